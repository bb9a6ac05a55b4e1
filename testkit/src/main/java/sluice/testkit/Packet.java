package sluice.testkit;

/** Requests of memcached's binary protocol, without a cas unique; a char of a text is a byte. */
public final class Packet {
  private static final int REQUEST = 0x80;

  private Packet() {}

  /** Appends a request, and returns what it was appended to. */
  public static Bytes add(
      Bytes out, int opcode, String extras, String key, String value, int opaque) {
    out.int8(REQUEST).int8(opcode).int16(key.length()).int8(extras.length());
    out.int8(0).int16(0).int32(extras.length() + key.length() + value.length());
    return out.int32(opaque).int64(0).ascii(extras).ascii(key).ascii(value);
  }

  /** A request. */
  public static byte[] bytes(int opcode, String extras, String key, String value, int opaque) {
    return add(new Bytes(), opcode, extras, key, value, opaque).toArray();
  }

  /** The same as text. */
  public static String text(int opcode, String extras, String key, String value, int opaque) {
    Bytes out = add(new Bytes(), opcode, extras, key, value, opaque);
    return out.string(0, out.end);
  }
}
