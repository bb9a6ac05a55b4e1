package sluice.codecs.ignite;

/**
 * A response as Java's objects, as {@code GridMemcachedMessage} is one: what {@link
 * ResponseEncoder} encodes, and does not change. One instance, used again and again.
 */
public final class ResponseMessage {
  private int opcode;
  private int status;
  private int opaque;
  private Object key;
  private Object value;

  public int opcode() {
    return opcode;
  }

  public ResponseMessage opcode(int opcode) {
    this.opcode = opcode;
    return this;
  }

  public int status() {
    return status;
  }

  public ResponseMessage status(int status) {
    this.status = status;
    return this;
  }

  public int opaque() {
    return opaque;
  }

  public ResponseMessage opaque(int opaque) {
    this.opaque = opaque;
    return this;
  }

  /** Null for none. */
  public Object key() {
    return key;
  }

  /** Sets the key, which is kept as it is: an array is not copied. */
  public ResponseMessage key(Object key) {
    this.key = key;
    return this;
  }

  /** Null for none. */
  public Object value() {
    return value;
  }

  /** Sets the value, which is kept as it is: an array is not copied. */
  public ResponseMessage value(Object value) {
    this.value = value;
    return this;
  }
}
