package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Packet of the binary protocol that a client has received.
 *
 * @param cas the cas unique of an item; 0 for none
 * @param extras its extras
 * @param value the rest of its body
 */
record BinaryReply(
    int magic,
    int opcode,
    int status,
    int opaque,
    long cas,
    byte[] extras,
    String key,
    String value) {
  static final int HEADER = 24;

  /** Where a header has the length of the body. */
  static final int BODY_LENGTH = 8;

  /** Where it has the cas unique. */
  static final int CAS = 16;

  static final int NO_ERROR = 0;
  static final int NOT_FOUND = 1;
  static final int EXISTS = 2;
  static final int NOT_STORED = 5;

  /** The first status of a server, or of the gateway, that cannot carry out a request now. */
  static final int INTERNAL_ERROR = 0x84;

  /** The last one. */
  static final int TEMPORARY_FAILURE = 0x86;

  private static final int REPLY = 0x81;

  /** The first packet of some bytes; null if it is not complete. */
  static @Nullable BinaryReply first(ByteBuffer bytes) {
    if (bytes.remaining() < HEADER
        || bytes.remaining() < HEADER + bytes.getInt(bytes.position() + BODY_LENGTH)) {
      return null;
    }
    int magic = bytes.get() & 0xFF;
    int opcode = bytes.get() & 0xFF;
    int keyLength = bytes.getShort() & 0xFFFF;
    byte[] extras = new byte[bytes.getShort() >> Byte.SIZE];
    int status = bytes.getShort() & 0xFFFF;
    int body = bytes.getInt();
    int opaque = bytes.getInt();
    long cas = bytes.getLong();
    bytes.get(extras);
    String key = text(bytes, keyLength);
    String value = text(bytes, body - extras.length - keyLength);
    return new BinaryReply(magic, opcode, status, opaque, cas, extras, key, value);
  }

  private static String text(ByteBuffer bytes, int length) {
    byte[] text = new byte[length];
    bytes.get(text);
    return new String(text, ISO_8859_1);
  }

  /** The packet of a request. */
  static byte[] request(int opcode, byte[] extras, String key, String value, int opaque) {
    int body = extras.length + key.length() + value.length();
    return ByteBuffer.allocate(HEADER + body)
        .put((byte) 0x80)
        .put((byte) opcode)
        .putShort((short) key.length())
        .putShort((short) (extras.length << Byte.SIZE))
        .putShort((short) 0)
        .putInt(body)
        .putInt(opaque)
        .putLong(0)
        .put(extras)
        .put(key.getBytes(ISO_8859_1))
        .put(value.getBytes(ISO_8859_1))
        .array();
  }

  boolean answers(int to, int opaqueOf) {
    return magic == REPLY && opcode == to && opaque == opaqueOf;
  }

  /** Whether it says that a server, or the gateway, could not carry out the request. */
  boolean isFailure() {
    return INTERNAL_ERROR <= status && status <= TEMPORARY_FAILURE;
  }

  /** The flags of an item; -1 if it has none. */
  long flags() {
    return extras.length == Integer.BYTES ? ByteBuffer.wrap(extras).getInt() & 0xFFFFFFFFL : -1;
  }

  @Override
  public String toString() {
    String told = value.substring(0, Math.min(60, value.length()));
    return "opcode 0x%02x, status 0x%02x, extras %s, key \"%s\", value \"%s\""
        .formatted(opcode, status, HexFormat.of().formatHex(extras), key, told);
  }
}
