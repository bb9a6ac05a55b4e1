package sluice.codecs.memcached.binary;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.FieldReader;
import sluice.codecs.buffer.FieldWriter;

/**
 * Fields of the 24-byte header of the binary protocol, big endian, at an absolute offset
 * (protocols/memcached.md, 4). Every method borrows its buffer and moves no index.
 *
 * <pre>
 *   0      1       2            4         5          6              8            12      16
 *  +------+-------+------------+---------+----------+--------------+------------+-------+------+
 *  | magic| opcode| key length | extras  | data type| vbucket or   | body       | opaque| cas  |
 *  |      |       |            | length  |          | status       | length     |       |      |
 *  +------+-------+------------+---------+----------+--------------+------------+-------+------+
 * </pre>
 */
public final class BinaryHeader {
  public static final int LENGTH = 24;
  public static final int REQUEST_MAGIC = 0x80;
  public static final int RESPONSE_MAGIC = 0x81;

  private BinaryHeader() {}

  public static int magic(ByteBuf buffer, int offset) {
    return buffer.getUnsignedByte(offset);
  }

  public static int opcode(ByteBuf buffer, int offset) {
    return buffer.getUnsignedByte(offset + 1);
  }

  public static void setOpcode(ByteBuf buffer, int offset, int opcode) {
    buffer.setByte(offset + 1, opcode);
  }

  public static int keyLength(ByteBuf buffer, int offset) {
    return buffer.getUnsignedShort(offset + 2);
  }

  public static int extrasLength(ByteBuf buffer, int offset) {
    return buffer.getUnsignedByte(offset + 4);
  }

  /** Status of a response; the vbucket of a request. */
  public static int status(ByteBuf buffer, int offset) {
    return buffer.getUnsignedShort(offset + 6);
  }

  /** Length of extras, key and value together, in bytes: unsigned 32 bits. */
  public static long bodyLength(ByteBuf buffer, int offset) {
    return buffer.getUnsignedInt(offset + 8);
  }

  public static int opaque(ByteBuf buffer, int offset) {
    return buffer.getInt(offset + 12);
  }

  public static void setOpaque(ByteBuf buffer, int offset, int opaque) {
    buffer.setInt(offset + 12, opaque);
  }

  /** The cas unique, unsigned 64 bits. */
  public static long cas(ByteBuf buffer, int offset) {
    return buffer.getLong(offset + 16);
  }

  /** The magic of the header that head wraps. */
  public static int magic(FieldReader head) {
    return head.unsigned8(0);
  }

  /** The opcode of the header that head wraps. */
  public static int opcode(FieldReader head) {
    return head.unsigned8(1);
  }

  /** Length of the key in bytes. */
  public static int keyLength(FieldReader head) {
    return head.unsigned16(2);
  }

  /** Length of the extras in bytes. */
  public static int extrasLength(FieldReader head) {
    return head.unsigned8(4);
  }

  /** Status of a response; the vbucket of a request. */
  public static int status(FieldReader head) {
    return head.unsigned16(6);
  }

  /** Length of extras, key and value together, in bytes: unsigned 32 bits. */
  public static long bodyLength(FieldReader head) {
    return head.unsigned32(8);
  }

  /** The opaque. */
  public static int opaque(FieldReader head) {
    return head.int32(12);
  }

  /** Index where the key starts: after the extras. */
  public static int keyStart(ByteBuf buffer, int offset) {
    return offset + LENGTH + extrasLength(buffer, offset);
  }

  /** Appends a response header. Borrows out. */
  public static void writeResponse(
      ByteBuf out,
      int opcode,
      int keyLength,
      int extrasLength,
      int status,
      int bodyLength,
      int opaque,
      long cas) {
    out.ensureWritable(LENGTH);
    out.writeLong(lengths(RESPONSE_MAGIC, opcode, keyLength, extrasLength, status));
    out.writeLong(bodyAndOpaque(bodyLength, opaque));
    out.writeLong(cas);
  }

  /** Writes a response header, {@link #LENGTH} bytes; fields may follow. */
  public static FieldWriter writeResponse(
      FieldWriter fields,
      int opcode,
      int keyLength,
      int extrasLength,
      int status,
      int bodyLength,
      int opaque,
      long cas) {
    return fields
        .int64(lengths(RESPONSE_MAGIC, opcode, keyLength, extrasLength, status))
        .int64(bodyAndOpaque(bodyLength, opaque))
        .int64(cas);
  }

  /** Writes a request header, {@link #LENGTH} bytes; fields may follow. */
  public static FieldWriter writeRequest(
      FieldWriter fields,
      int opcode,
      int keyLength,
      int extrasLength,
      int bodyLength,
      int opaque,
      long cas) {
    return fields
        .int64(lengths(REQUEST_MAGIC, opcode, keyLength, extrasLength, 0))
        .int64(bodyAndOpaque(bodyLength, opaque))
        .int64(cas);
  }

  /** The first 8 bytes. */
  private static long lengths(
      int magic, int opcode, int keyLength, int extrasLength, int statusOrVbucket) {
    int upper = magic << 24 | opcode << 16 | keyLength;
    return (long) upper << 32 | ((extrasLength << 24 | statusOrVbucket) & 0xFFFF_FFFFL);
  }

  /** The second 8 bytes. */
  private static long bodyAndOpaque(int bodyLength, int opaque) {
    return (long) bodyLength << 32 | (opaque & 0xFFFF_FFFFL);
  }
}
