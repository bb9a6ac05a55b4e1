package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.FieldWriter;

/**
 * Writer of message headers, versions 12 to 14, in the order of {@code Message.Serializer}: see
 * {@link MessageHeader}. One instance, used again and again: a field keeps its value until it is
 * set again. Allocates nothing.
 */
public final class MessageHeaderWriter {
  private final FieldWriter fields = new FieldWriter();
  private final int version;
  private long id;
  private long epoch;
  private int createdAt;
  private long expiresAfter;
  private int verb;
  private int flags;

  /**
   * A writer of one version's headers.
   *
   * @param version as negotiated, 12 or later
   */
  public MessageHeaderWriter(int version) {
    this.version = version;
  }

  /** Copies the fields of another header, except params and payload. */
  public MessageHeaderWriter like(MessageHeader header) {
    return id(header.id())
        .epoch(header.epoch())
        .createdAt(header.createdAt())
        .expiresAfterMillis(header.expiresAfterMillis())
        .verb(header.verb())
        .flags(header.flags());
  }

  public MessageHeaderWriter id(long value) {
    id = value;
    return this;
  }

  /** Sets the epoch, which is written from version 14 on. */
  public MessageHeaderWriter epoch(long value) {
    epoch = value;
    return this;
  }

  /** Sets the low 32 bits of the milliseconds since 1970. */
  public MessageHeaderWriter createdAt(int value) {
    createdAt = value;
    return this;
  }

  public MessageHeaderWriter expiresAfterMillis(long value) {
    expiresAfter = value;
    return this;
  }

  public MessageHeaderWriter verb(int value) {
    verb = value;
    return this;
  }

  public MessageHeaderWriter flags(int value) {
    flags = value;
    return this;
  }

  /** Appends a header without params. Borrows out. */
  public void write(ByteBuf out, long payloadLength) {
    write(out, 0, out, 0, 0, payloadLength);
  }

  /**
   * Appends a header with params that lie in a buffer in their final form. Borrows both.
   *
   * @param paramsLength bytes of all {@code paramCount} params: their types, lengths and values
   * @param payloadLength bytes that the caller writes after the header
   */
  public void write(
      ByteBuf out,
      int paramCount,
      ByteBuf params,
      int paramsIndex,
      int paramsLength,
      long payloadLength) {
    fields.into(out, 7 * Vint.MAX_LENGTH + 4 + paramsLength);
    Vint.put(fields, id);
    if (version >= MessageHeader.FIRST_WITH_EPOCH) {
      Vint.put(fields, epoch);
    }
    putTimes();
    if (((verb | flags | paramCount) & ~0x7F) == 0) { // one byte each: written as one word
      int word = verb << 24 | flags << 16 | paramCount << 8;
      if (paramsLength == 0 && (payloadLength & ~0x7FL) == 0) {
        fields.int32(word | (int) payloadLength).done();
        return;
      }
      fields.first((long) word << 32, 3);
    } else {
      Vint.put(fields, verb);
      Vint.put(fields, flags);
      Vint.put(fields, paramCount);
    }
    if (paramsLength > 0) {
      fields.bytes(params, paramsIndex, paramsLength);
    }
    Vint.put(fields, payloadLength);
    fields.done();
  }

  private void putTimes() {
    if (expiresAfter >>> 28 != 0) {
      fields.int32(createdAt);
      Vint.put(fields, expiresAfter);
      return;
    }
    // A vint of up to 4 bytes is written together with it, as one word.
    int length = Vint.encodedLength(expiresAfter);
    int vint = (int) expiresAfter << (32 - 8 * length) | ~(-1 >>> (length - 1));
    fields.first((long) createdAt << 32 | (vint & 0xFFFF_FFFFL), Integer.BYTES + length);
  }
}
