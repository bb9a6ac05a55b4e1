package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;

/**
 * Writes headers of messages, versions 12 to 14, in the order of {@code Message.Serializer}: see
 * {@link MessageHeader}. One instance, used again and again: what is not set again stays. It
 * allocates nothing.
 */
public final class MessageHeaderWriter {
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

  /** Sets the fields to those of another header, but for params and payload. */
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

  /** Written from version 14 on. */
  public MessageHeaderWriter epoch(long value) {
    epoch = value;
    return this;
  }

  /** Low 32 bits of milliseconds since 1970. */
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
   * Appends a header with params that lie in a buffer as they are to be written. Borrows both.
   *
   * @param paramsLength bytes of all {@code paramCount} params: their types, lengths and values
   * @param payloadLength bytes that the caller puts behind the header
   */
  public void write(
      ByteBuf out,
      int paramCount,
      ByteBuf params,
      int paramsIndex,
      int paramsLength,
      long payloadLength) {
    out.ensureWritable(7 * Vint.MAX_LENGTH + 4 + paramsLength);
    int at = out.writerIndex();
    at = Vint.put(out, at, id);
    if (version >= MessageHeader.FIRST_WITH_EPOCH) {
      at = Vint.put(out, at, epoch);
    }
    at = putTimes(out, at);
    if (((verb | flags | paramCount) & ~0x7F) == 0) { // each has one byte: written as one word
      int word = verb << 24 | flags << 16 | paramCount << 8;
      if (paramsLength == 0 && (payloadLength & ~0x7FL) == 0) {
        out.setInt(at, word | (int) payloadLength);
        out.writerIndex(at + 4);
        return;
      }
      out.setMedium(at, word >>> 8);
      at += 3;
    } else {
      at = Vint.put(out, at, verb);
      at = Vint.put(out, at, flags);
      at = Vint.put(out, at, paramCount);
    }
    if (paramsLength > 0) {
      out.setBytes(at, params, paramsIndex, paramsLength);
      at += paramsLength;
    }
    out.writerIndex(Vint.put(out, at, payloadLength));
  }

  private int putTimes(ByteBuf out, int at) {
    if (expiresAfter >>> 28 != 0) {
      out.setInt(at, createdAt);
      return Vint.put(out, at + 4, expiresAfter);
    }
    // A vint of up to 4 bytes: both as one word, whose end is written over.
    int length = Vint.encodedLength(expiresAfter);
    int vint = (int) expiresAfter << (32 - 8 * length) | ~(-1 >>> (length - 1));
    out.setLong(at, (long) createdAt << 32 | (vint & 0xFFFF_FFFFL));
    return at + 4 + length;
  }
}
