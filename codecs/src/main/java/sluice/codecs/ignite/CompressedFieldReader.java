package sluice.codecs.ignite;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import sluice.codecs.ProtocolException;

/**
 * Reader of the fields that {@link CompressedFieldWriter} writes. It compares sizes before it
 * allocates: a field states its plain size, and DEFLATE expands at most 1,032 times.
 *
 * <p>One instance, used again and again, owned by one thread.
 */
public final class CompressedFieldReader implements AutoCloseable {
  private static final int MAX_RATIO = 1032;

  /** Bytes that Ignite tolerates beyond that ratio. */
  private static final int ALLOWANCE = 64;

  private static final int INCOMPLETE = -2;

  private final int type;
  private final Inflater inflater = new Inflater(true);
  private ByteBuf in = Unpooled.EMPTY_BUFFER;
  private int at;
  private int end;

  /**
   * A reader of one version's fields.
   *
   * @param type the field's type, which differs between versions of Ignite
   */
  public CompressedFieldReader(int type) {
    this.type = type & 0xFFFF;
  }

  /**
   * Decompresses a field and appends the result. Borrows both buffers, which must be contiguous.
   *
   * @param index where the field begins
   * @param limit where the received bytes end
   * @param maxSize the largest plain size accepted, in bytes
   * @return where the field ends, or -1 if it is incomplete; then nothing was appended
   * @throws ProtocolException if the bytes are no such field, too large, or damaged
   */
  public int read(ByteBuf from, int index, int limit, ByteBuf out, int maxSize) {
    in = from;
    at = index;
    end = limit;
    try {
      return read(out, maxSize);
    } finally {
      in = Unpooled.EMPTY_BUFFER;
    }
  }

  private int read(ByteBuf out, int maxSize) {
    if (end - at < Short.BYTES) {
      return -1;
    }
    int found = in.getUnsignedShortLE(at);
    if (found != type) {
      throw new ProtocolException("compressed field has type " + found);
    }
    at += Short.BYTES;
    int size = int32();
    if (size == INCOMPLETE) {
      return -1;
    }
    if (size < 0 || size > maxSize) {
      throw new ProtocolException("compressed field claims " + size + " bytes");
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
      throw new ProtocolException(
          "compressed field claims " + size + " bytes from " + compressed + " compressed ones");
    }
    at = chunks;
    inflate(out, size);
    return at;
  }

  /** Goes to the next chunk. Returns its length, 0 behind the last, -1 if it is incomplete. */
  private int nextChunk() {
    if (at == end) {
      return -1;
    }
    int last = in.getByte(at++);
    if (last == 1) {
      return 0;
    }
    if (last != 0) {
      throw new ProtocolException(
          "compressed field has byte " + last + ", expected a chunk or the end");
    }
    int length = int32();
    if (length == INCOMPLETE) {
      return -1;
    }
    if (length <= 0 || length > CompressedFieldWriter.MAX_CHUNK) {
      throw new ProtocolException("compressed field has a chunk of " + length + " bytes");
    }
    return length;
  }

  private void inflate(ByteBuf out, int size) {
    out.ensureWritable(size + 1); // one more byte, to detect a longer result
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
            throw new ProtocolException(
                "compressed field is longer than the " + size + " bytes it claims");
          }
        }
        if (inflater.getRemaining() != 0) {
          throw new ProtocolException("compressed field has bytes behind its end");
        }
      }
    } catch (DataFormatException e) {
      throw new ProtocolException("compressed field is damaged: " + e.getMessage());
    }
    if (done != size || !inflater.finished()) {
      throw new ProtocolException("compressed field ends after " + done + " of " + size + " bytes");
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

  /** Releases the inflater's native memory. */
  @Override
  public void close() {
    inflater.end();
  }
}
