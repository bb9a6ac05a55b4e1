package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import java.util.Objects;

/**
 * Reads of one stream, joined without copying: bytes come in at the end as the buffers they were
 * read into, and leave at the front as slices of these. In between they are found by their offset
 * from the front.
 *
 * <p>Reads of less than {@link #COPIED_BELOW} bytes that come behind others are copied together, so
 * that a peer who sends byte by byte does not make the queue hold a buffer for each.
 *
 * <p>It allocates nothing in steady state. Owned by one thread; {@link #clear} gives back what is
 * left.
 */
public final class ByteQueue {
  static final int COPIED_BELOW = 1024;
  private static final int JOINED_CAPACITY = 4 * COPIED_BELOW;

  private final Slices slices;
  private ByteBuf[] pieces = new ByteBuf[4];
  private int count;
  private int length;
  private ByteBuf joined; // the last piece, if it is our own and may be added to

  /** An empty queue, of which slices are taken with slices. */
  public ByteQueue(Slices slices) {
    this.slices = slices;
  }

  /** Appends. Consumes bytes. */
  public void add(ByteBuf bytes) {
    int readable = bytes.readableBytes();
    if (readable == 0) {
      bytes.release();
    } else if (count > 0 && readable < COPIED_BELOW) {
      addCopied(bytes, readable);
    } else {
      joined = null;
      addPiece(bytes);
    }
    length += readable;
  }

  private void addCopied(ByteBuf bytes, int readable) {
    try {
      if (joined == null || joined.writableBytes() < readable) {
        joined = bytes.alloc().directBuffer(JOINED_CAPACITY, JOINED_CAPACITY);
        addPiece(joined);
      }
      Bytes.append(bytes, bytes.readerIndex(), readable, joined);
    } finally {
      bytes.release();
    }
  }

  private void addPiece(ByteBuf piece) {
    if (count == pieces.length) {
      pieces = Arrays.copyOf(pieces, 2 * count);
    }
    pieces[count++] = piece;
  }

  /** Bytes that are in it. */
  public int length() {
    return length;
  }

  /** The buffer in which the byte at offset lies. The queue keeps it: borrowed until it changes. */
  public ByteBuf piece(int offset) {
    int i = 0;
    while (offset >= pieces[i].readableBytes()) {
      offset -= pieces[i++].readableBytes();
    }
    return pieces[i];
  }

  /** Index of the byte at offset in its {@link #piece}. */
  public int index(int offset) {
    int i = 0;
    while (offset >= pieces[i].readableBytes()) {
      offset -= pieces[i++].readableBytes();
    }
    return pieces[i].readerIndex() + offset;
  }

  /** How many bytes from offset on lie in one piece; 0 at the end of the queue. */
  public int contiguous(int offset) {
    for (int i = 0; i < count; i++) {
      int readable = pieces[i].readableBytes();
      if (offset < readable) {
        return readable - offset;
      }
      offset -= readable;
    }
    return 0;
  }

  public byte getByte(int offset) {
    return piece(offset).getByte(index(offset));
  }

  /** Little endian, cut or not. */
  public int getIntLE(int offset) {
    if (contiguous(offset) >= Integer.BYTES) {
      return piece(offset).getIntLE(index(offset));
    }
    int value = 0;
    for (int i = 0; i < Integer.BYTES; i++) {
      value |= (getByte(offset + i) & 0xFF) << (8 * i);
    }
    return value;
  }

  /** Copies a range to an index of out, which has room for it. Borrows out, moves no index. */
  public void getBytes(int offset, ByteBuf out, int index, int bytes) {
    Objects.checkFromIndexSize(offset, bytes, length);
    while (bytes > 0) {
      int here = Math.min(bytes, contiguous(offset));
      Bytes.set(piece(offset), index(offset), here, out, index);
      offset += here;
      index += here;
      bytes -= here;
    }
  }

  /** Takes the first bytes out and hands them to the sink: a slice, or the rest, of each piece. */
  public void moveTo(ByteSink sink, int bytes) {
    Objects.checkFromIndexSize(0, bytes, length);
    while (bytes > 0) {
      ByteBuf first = pieces[0];
      int readable = first.readableBytes();
      if (bytes < readable) {
        length -= bytes;
        sink.accept(slices.takeNext(first, bytes));
        return;
      }
      bytes -= readable;
      sink.accept(removeFirst());
    }
  }

  /** Takes the first bytes out and releases what nobody else holds. */
  public void skip(int bytes) {
    Objects.checkFromIndexSize(0, bytes, length);
    while (bytes > 0) {
      int readable = pieces[0].readableBytes();
      if (bytes < readable) {
        pieces[0].skipBytes(bytes);
        length -= bytes;
        return;
      }
      bytes -= readable;
      removeFirst().release();
    }
  }

  /** Releases everything in it; it may be used again. */
  public void clear() {
    skip(length);
  }

  private ByteBuf removeFirst() {
    ByteBuf first = pieces[0];
    length -= first.readableBytes();
    count--;
    System.arraycopy(pieces, 1, pieces, 0, count);
    pieces[count] = null;
    if (first == joined) {
      joined = null;
    }
    return first;
  }
}
