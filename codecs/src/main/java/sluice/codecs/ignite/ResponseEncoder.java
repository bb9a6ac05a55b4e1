package sluice.codecs.ignite;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.FieldWriter;
import sluice.codecs.memcached.binary.BinaryHeader;

/**
 * Encoder of the heads of responses, byte for byte as {@code GridTcpRestParser} of Ignite 2.18.0.
 * Key and value are copied or forwarded after the head.
 *
 * <p>One instance, used again and again, owned by one thread.
 */
public final class ResponseEncoder {
  private final FieldWriter fields = new FieldWriter();

  /** Bytes of {@link #head} for an opcode, for any status. */
  public static int headLength(int opcode) {
    return BinaryHeader.LENGTH + IgniteResponse.extrasLength(opcode);
  }

  /**
   * Appends the part of a response before its key; key and value follow unchanged. Borrows out,
   * allocates nothing.
   *
   * @param flags types of key and value, which only the response to a get carries
   */
  public void head(
      ByteBuf out, int opcode, int status, int opaque, int flags, int keyLength, int valueLength) {
    int extrasLength = IgniteResponse.extrasLength(opcode);
    fields.into(out, BinaryHeader.LENGTH + extrasLength);
    int bodyLength = extrasLength + keyLength + valueLength;
    BinaryHeader.writeResponse(
        fields, opcode, keyLength, extrasLength, status, bodyLength, opaque, 0);
    if (extrasLength != 0) {
      fields.int32(flags);
    }
    fields.done();
  }
}
