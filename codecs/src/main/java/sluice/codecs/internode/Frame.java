package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.SliceList;

/**
 * View of the header of one frame ({@code FrameEncoderCrc}, {@code FrameEncoderLZ4}, {@code
 * FrameEncoderUnprotected}). Little endian, bit 0 first:
 *
 * <pre>
 *  CRC, UNPROTECTED   0              17 18     24       48
 *                    +----------------+-+------+--------+----------+-------+
 *                    | length n       |S| zero | CRC24  | n bytes  | CRC32 |  no CRC32 if unprotected
 *                    +----------------+-+------+--------+----------+-------+
 *  LZ4                0              17             34 35     40       64
 *                    +----------------+--------------+-+------+--------+----------+-------+
 *                    | length c       | plain u or 0 |S| zero | CRC24  | c bytes  | CRC32 |
 *                    +----------------+--------------+-+------+--------+----------+-------+
 * </pre>
 *
 * S: self-contained, that is, the payload is whole messages; else it is a part of one message. One
 * instance, used again and again; it owns nothing and keeps no buffer.
 */
public final class Frame {
  /** The largest payload of a frame in bytes, compressed or plain. */
  public static final int MAX_PAYLOAD = 0x1FFFF;

  private static final int SELF_CONTAINED = 1 << 17;
  private static final int LZ4_SELF_CONTAINED_BIT = 34;

  private final Framing framing;
  private int payloadLength;
  private int plainLength;
  private boolean compressed;
  private boolean selfContained;

  public Frame(Framing framing) {
    this.framing = framing;
  }

  /**
   * Reads the header at index, whose {@code framing.headerLength()} bytes must have arrived.
   * Borrows the buffer.
   *
   * @throws ProtocolException if its CRC24 is wrong: nothing after it can be read
   */
  public Frame wrap(ByteBuf buffer, int index) {
    if (framing == Framing.LZ4) {
      readLz4(buffer.getLongLE(index));
    } else {
      read(buffer.getUnsignedMediumLE(index), buffer.getUnsignedMediumLE(index + 3));
    }
    return this;
  }

  /**
   * As {@link #wrap(ByteBuf, int)}, for a header that may be spread over several buffers of the
   * queue.
   */
  public Frame wrap(SliceList queue, int offset) {
    int length = framing.headerLength();
    if (queue.contiguous(offset) >= length) {
      return wrap(queue.sliceAt(offset), queue.index(offset));
    }
    long header = 0;
    for (int i = 0; i < length; i++) {
      header |= (queue.getByte(offset + i) & 0xFFL) << (8 * i);
    }
    if (framing == Framing.LZ4) {
      readLz4(header);
    } else {
      read((int) header & 0xFF_FFFF, (int) (header >>> 24) & 0xFF_FFFF);
    }
    return this;
  }

  private void read(int header, int crc24) {
    if (Crc24.of3(header) != crc24) {
      throw corrupt(crc24, Crc24.of3(header));
    }
    payloadLength = header & MAX_PAYLOAD;
    plainLength = payloadLength;
    selfContained = (header & SELF_CONTAINED) != 0;
  }

  private void readLz4(long header) {
    int crc24 = (int) (header >>> 40);
    if (Crc24.of5(header) != crc24) {
      throw corrupt(crc24, Crc24.of5(header));
    }
    payloadLength = (int) header & MAX_PAYLOAD;
    int uncompressed = (int) (header >>> 17) & MAX_PAYLOAD;
    compressed = uncompressed != 0;
    plainLength = compressed ? uncompressed : payloadLength;
    selfContained = (header >>> LZ4_SELF_CONTAINED_BIT & 1) != 0;
  }

  private static ProtocolException corrupt(int found, int expected) {
    return new ProtocolException(
        "frame header with CRC24 %06x, expected %06x".formatted(found, expected));
  }

  public Framing framing() {
    return framing;
  }

  /** Length of the frame in bytes: header, payload and trailer. */
  public int length() {
    return framing.headerLength() + payloadLength + framing.trailerLength();
  }

  /** Length of the payload as it lies in the frame, in bytes. */
  public int payloadLength() {
    return payloadLength;
  }

  /**
   * Length of the payload's messages in bytes: more than {@link #payloadLength} if the payload is
   * compressed.
   */
  public int plainLength() {
    return plainLength;
  }

  public boolean isCompressed() {
    return compressed;
  }

  /**
   * Whether a node counts the frame as 0 bytes of its message if its CRC32 is wrong, and not by
   * {@link #plainLength}: {@code FrameDecoderLZ4} does so where the header states no plain length.
   */
  boolean isEmptyIfCorrupt() {
    return framing == Framing.LZ4 && !compressed;
  }

  /** Whether the payload is whole messages; if not, it is a part of exactly one. */
  public boolean isSelfContained() {
    return selfContained;
  }

  /**
   * Writes a header over the bytes at index. Borrows out, moves no index.
   *
   * @param payloadLength bytes that follow, up to {@link #MAX_PAYLOAD}
   * @param plainLength for LZ4: the decompressed length; 0 if the payload is plain
   */
  public static void setHeader(
      ByteBuf out,
      int index,
      Framing framing,
      int payloadLength,
      int plainLength,
      boolean selfContained) {
    if (framing == Framing.LZ4) {
      long header =
          payloadLength
              | (long) plainLength << 17
              | (selfContained ? 1L : 0L) << LZ4_SELF_CONTAINED_BIT;
      out.setLongLE(index, header | (long) Crc24.of5(header) << 40);
    } else {
      int header = payloadLength | (selfContained ? SELF_CONTAINED : 0);
      out.setMediumLE(index, header);
      out.setMediumLE(index + 3, Crc24.of3(header));
    }
  }
}
