package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
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
public final class SliceList {
  static final int COPIED_BELOW = 1024;
  private static final int JOINED_CAPACITY = 4 * COPIED_BELOW;

  private final Slices slices;
  private ByteBuf[] pieces = new ByteBuf[4];
  private int first; // of the pieces that are in it, which lie side by side
  private int count;
  private int length;
  private ByteBuf joined; // the last piece, if it is our own and may be added to

  /** An empty queue, of which slices are taken with slices. */
  public SliceList(Slices slices) {
    this.slices = slices;
  }

  /** Appends what was read next; a few bytes behind others are copied. Consumes bytes. */
  public void addRead(ByteBuf bytes) {
    int readable = bytes.readableBytes();
    if (readable == 0) {
      bytes.release();
    } else if (count > 0 && readable < COPIED_BELOW) {
      try {
        addCopied(bytes, bytes.readerIndex(), readable, bytes.alloc());
      } finally {
        bytes.release();
      }
    } else {
      joined = null;
      addPiece(bytes);
      length += readable;
    }
  }

  /** Appends as they are, however few. Consumes bytes, of which there is at least one. */
  public void add(ByteBuf bytes) {
    joined = null;
    length += bytes.readableBytes();
    addPiece(bytes);
  }

  /** Appends the bytes [from, from + bytes) of source: a slice, or a copy of a few. */
  public void addRange(ByteBuf source, int from, int bytes) {
    addRange(source, from, bytes, source.alloc());
  }

  /** The same, with the allocator of the buffer that a few are copied to. */
  void addRange(ByteBuf source, int from, int bytes, ByteBufAllocator allocator) {
    if (bytes >= COPIED_BELOW) {
      add(slices.take(source, from, bytes));
    } else if (bytes > 0) {
      addCopied(source, from, bytes, allocator);
    }
  }

  /** Appends the bytes [from, from + bytes) of source as a slice; nothing if there are none. */
  public void addSlice(ByteBuf source, int from, int bytes) {
    if (bytes > 0) {
      add(slices.take(source, from, bytes));
    }
  }

  /** Whether so few bytes are copied, if they come behind others. */
  static boolean isCopied(int bytes) {
    return bytes < COPIED_BELOW;
  }

  private void addCopied(ByteBuf source, int from, int bytes, ByteBufAllocator allocator) {
    if (joined == null || joined.writableBytes() < bytes) {
      joined = allocator.directBuffer(JOINED_CAPACITY, JOINED_CAPACITY);
      addPiece(joined);
    }
    Bytes.append(source, from, bytes, joined);
    length += bytes;
  }

  private void addPiece(ByteBuf piece) {
    if (first + count == pieces.length) {
      ByteBuf[] room = 2 * count > pieces.length ? new ByteBuf[2 * count] : pieces;
      System.arraycopy(pieces, first, room, 0, count);
      if (room == pieces) {
        Arrays.fill(pieces, count, first + count, null);
      }
      pieces = room;
      first = 0;
    }
    pieces[first + count++] = piece;
  }

  /** Bytes that are in it. */
  public int length() {
    return length;
  }

  /** How many buffers it lies in. */
  public int count() {
    return count;
  }

  /** The buffer with this number, from 0. The queue keeps it: borrowed until it changes. */
  public ByteBuf get(int number) {
    return pieces[first + number];
  }

  /** The buffer in which the byte at offset lies. The queue keeps it: borrowed until it changes. */
  public ByteBuf sliceAt(int offset) {
    int i = first;
    while (offset >= pieces[i].readableBytes()) {
      offset -= pieces[i++].readableBytes();
    }
    return pieces[i];
  }

  /** Index of the byte at offset in its {@link #sliceAt}. */
  public int index(int offset) {
    int i = first;
    while (offset >= pieces[i].readableBytes()) {
      offset -= pieces[i++].readableBytes();
    }
    return pieces[i].readerIndex() + offset;
  }

  /** How many bytes from offset on lie in one piece; 0 at the end of the queue. */
  public int contiguous(int offset) {
    for (int i = first; i < first + count; i++) {
      int readable = pieces[i].readableBytes();
      if (offset < readable) {
        return readable - offset;
      }
      offset -= readable;
    }
    return 0;
  }

  public byte getByte(int offset) {
    return sliceAt(offset).getByte(index(offset));
  }

  /** Little endian, cut or not. */
  public int getIntLE(int offset) {
    if (contiguous(offset) >= Integer.BYTES) {
      return sliceAt(offset).getIntLE(index(offset));
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
    for (int i = first; bytes > 0; i++) {
      int readable = pieces[i].readableBytes();
      if (offset < readable) {
        int here = Math.min(bytes, readable - offset);
        Bytes.set(pieces[i], pieces[i].readerIndex() + offset, here, out, index);
        index += here;
        bytes -= here;
        offset = 0;
      } else {
        offset -= readable;
      }
    }
  }

  /**
   * Takes the first bytes out and appends them to another queue: pieces as they are, of the last
   * one a slice, or a copy of a few bytes.
   */
  public void moveTo(SliceList other, int bytes) {
    Objects.checkFromIndexSize(0, bytes, length);
    while (bytes > 0) {
      ByteBuf piece = pieces[first];
      int readable = piece.readableBytes();
      if (bytes < readable) {
        other.addRange(piece, piece.readerIndex(), bytes);
        piece.skipBytes(bytes);
        length -= bytes;
        return;
      }
      bytes -= readable;
      other.add(removeFirst());
    }
  }

  /**
   * Takes the first bytes out and hands them to the sink: a slice, or the rest, of each piece. The
   * sink may {@link #clear} the queue, and is then given no more; it must not change it otherwise.
   */
  public void moveTo(ByteSink sink, int bytes) {
    Objects.checkFromIndexSize(0, bytes, length);
    while (bytes > 0 && count > 0) {
      ByteBuf piece = pieces[first];
      int readable = piece.readableBytes();
      if (bytes < readable) {
        length -= bytes;
        sink.accept(slices.takeNext(piece, bytes));
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
      int readable = pieces[first].readableBytes();
      if (bytes < readable) {
        pieces[first].skipBytes(bytes);
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
    ByteBuf piece = pieces[first];
    pieces[first] = null;
    count--;
    first = count == 0 ? 0 : first + 1;
    length -= piece.readableBytes();
    if (piece == joined) {
      joined = null;
    }
    return piece;
  }
}
