package sluice.codecs.ignite;

import org.jspecify.annotations.Nullable;

/**
 * Response made of Java objects, like {@code GridMemcachedMessage}. {@link ResponseEncoder} encodes
 * it without changing it. One instance, used again and again.
 */
public final class ResponseMessage {
  private int opcode;
  private int status;
  private int opaque;
  private @Nullable Object key;
  private @Nullable Object value;

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
  public @Nullable Object key() {
    return key;
  }

  /** Sets the key. An array is kept, not copied. */
  public ResponseMessage key(@Nullable Object key) {
    this.key = key;
    return this;
  }

  /** Null for none. */
  public @Nullable Object value() {
    return value;
  }

  /** Sets the value. An array is kept, not copied. */
  public ResponseMessage value(@Nullable Object value) {
    this.value = value;
    return this;
  }
}
