package sluice.codecs.ignite;

import io.netty.buffer.ByteBuf;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import sluice.codecs.ProtocolException;

/**
 * Reads what {@link CompressedFieldWriter} writes. Nothing is allocated before sizes were compared:
 * a field says how much it becomes, and deflate cannot make more than 1,032 bytes of one.
 *
 * <p>One instance, used again and again, owned by one thread.
 */
public final class CompressedFieldReader implements AutoCloseable {
  private static final int MAX_RATIO = 1032;

  /** What Ignite allows beyond the ratio. */
  private static final int ALLOWANCE = 64;

  private static final int INCOMPLETE = -2;

  private final int type;
  private final Inflater inflater = new Inflater(true);
  private ByteBuf in;
  private int at;
  private int end;

  /**
   * A reader of one version's fields.
   *
   * @param type differs between versions of Ignite
   */
  public CompressedFieldReader(int type) {
    this.type = type & 0xFFFF;
  }

  /**
   * Appends what a field was made of. Borrows both, each in one piece.
   *
   * @param index where the field begins
   * @param limit where what has arrived ends
   * @param maxSize bytes that it may become
   * @return where it ends, or -1 if that has not arrived; then nothing was appended
   * @throws ProtocolException if it is none, or larger, or what is compressed is damaged
   */
  public int read(ByteBuf from, int index, int limit, ByteBuf out, int maxSize) {
    in = from;
    at = index;
    end = limit;
    try {
      return read(out, maxSize);
    } finally {
      in = null;
    }
  }

  private int read(ByteBuf out, int maxSize) {
    if (end - at < Short.BYTES) {
      return -1;
    }
    int found = in.getUnsignedShortLE(at);
    if (found != type) {
      throw new ProtocolException("type " + found + " for a compressed field");
    }
    at += Short.BYTES;
    int size = int32();
    if (size == INCOMPLETE) {
      return -1;
    }
    if (size < 0 || size > maxSize) {
      throw new ProtocolException("a compressed field of " + size + " bytes");
    }
    if (size == 0) {
      return at;
    }
    int chunks = at;
    long compressed = 0;
    for (int length = nextChunk(); length != 0; length = nextChunk()) {
      if (length < 0 || length > end - at) {
        return -1;
      }
      compressed += length;
      at += length;
    }
    if (size > MAX_RATIO * compressed + ALLOWANCE) {
      throw new ProtocolException(size + " bytes of " + compressed + " compressed ones");
    }
    at = chunks;
    inflate(out, size);
    return at;
  }

  /** Goes to the next chunk. Its length, 0 behind the last, -1 if it has not arrived. */
  private int nextChunk() {
    if (at == end) {
      return -1;
    }
    int last = in.getByte(at++);
    if (last == 1) {
      return 0;
    }
    if (last != 0) {
      throw new ProtocolException(last + " where a chunk or the end was expected");
    }
    int length = int32();
    if (length == INCOMPLETE) {
      return -1;
    }
    if (length <= 0 || length > CompressedFieldWriter.MAX_CHUNK) {
      throw new ProtocolException("a chunk of " + length + " bytes");
    }
    return length;
  }

  private void inflate(ByteBuf out, int size) {
    out.ensureWritable(size + 1); // one more, to see that there is no more
    inflater.reset();
    int done = 0;
    try {
      for (int length = nextChunk(); length != 0; length = nextChunk()) {
        inflater.setInput(in.internalNioBuffer(at, length));
        at += length;
        while (!inflater.needsInput() && !inflater.finished()) {
          int index = out.writerIndex() + done;
          int more = inflater.inflate(out.internalNioBuffer(index, size + 1 - done));
          done += more;
          if (done > size || (more == 0 && !inflater.finished() && !inflater.needsInput())) {
            throw new ProtocolException("a compressed field of more than its " + size + " bytes");
          }
        }
        if (inflater.getRemaining() != 0) {
          throw new ProtocolException("bytes behind the end of what is compressed");
        }
      }
    } catch (DataFormatException e) {
      throw new ProtocolException("a compressed field is damaged: " + e.getMessage());
    }
    if (done != size || !inflater.finished()) {
      throw new ProtocolException(done + " bytes of a compressed field of " + size);
    }
    out.writerIndex(out.writerIndex() + size);
  }

  /** The next integer, or {@link #INCOMPLETE}; no integer is less than -1 here. */
  private int int32() {
    long value = 0;
    for (int shift = 0; shift < 5 * 7; shift += 7) {
      if (at == end) {
        return INCOMPLETE;
      }
      byte next = in.getByte(at++);
      value |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        int decoded = (int) value - 1;
        if (value > Integer.MAX_VALUE || decoded < -1) {
          throw new ProtocolException("a length of " + value);
        }
        return decoded;
      }
    }
    throw new ProtocolException("an integer of more than five bytes");
  }

  /** Gives the inflater's native memory back. */
  @Override
  public void close() {
    inflater.end();
  }
}
