package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Arrays;
import java.util.Objects;

/**
 * Reads of one stream, joined without copying. Bytes are added at the end as the buffers they were
 * read into, and leave at the front as slices of these buffers. In between, an offset from the
 * front addresses them.
 *
 * <p>Reads shorter than {@link #COPIED_BELOW} bytes that follow others are copied together. A peer
 * that sends byte by byte therefore does not make the queue hold one buffer for each byte.
 *
 * <p>Allocates nothing in steady state. Owned by one thread; {@link #clear} releases what is left.
 */
public final class ByteQueue {
  static final int COPIED_BELOW = 1024;
  private static final int JOINED_CAPACITY = 4 * COPIED_BELOW;

  private final Slices slices;
  private ByteBuf[] pieces = new ByteBuf[4];
  private int first; // index of the first slice in use; the others follow it
  private int count;
  private int length;
  private ByteBuf joined; // the last slice, if the queue allocated it and may append to it

  /** An empty queue that takes its slices from slices. */
  public ByteQueue(Slices slices) {
    this.slices = slices;
  }

  /** Appends. Consumes bytes. */
  public void add(ByteBuf bytes) {
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

  /** Appends the buffer itself, however short. Consumes bytes, which must not be empty. */
  public void attach(ByteBuf bytes) {
    joined = null;
    length += bytes.readableBytes();
    addPiece(bytes);
  }

  /** Appends the bytes [from, from + bytes) of source: as a slice, or copied if they are few. */
  public void addRange(ByteBuf source, int from, int bytes) {
    addRange(source, from, bytes, source.alloc());
  }

  /** The same; allocator provides the buffer that a few bytes are copied to. */
  void addRange(ByteBuf source, int from, int bytes, ByteBufAllocator allocator) {
    if (bytes >= COPIED_BELOW) {
      attach(slices.take(source, from, bytes));
    } else if (bytes > 0) {
      addCopied(source, from, bytes, allocator);
    }
  }

  /** Appends the bytes [from, from + bytes) of source as a slice; nothing if there are none. */
  public void addSlice(ByteBuf source, int from, int bytes) {
    if (bytes > 0) {
      attach(slices.take(source, from, bytes));
    }
  }

  /** Whether a read of this many bytes is copied when it follows others. */
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

  /** Bytes in the queue. */
  public int length() {
    return length;
  }

  /** Buffers that the queue consists of. */
  public int pieces() {
    return count;
  }

  /** The buffer with this number, from 0. The queue keeps it: borrowed until the queue changes. */
  public ByteBuf pieceAt(int number) {
    return pieces[first + number];
  }

  /**
   * The buffer that holds the byte at offset. The queue keeps it: borrowed until the queue changes.
   */
  public ByteBuf piece(int offset) {
    int i = first;
    while (offset >= pieces[i].readableBytes()) {
      offset -= pieces[i++].readableBytes();
    }
    return pieces[i];
  }

  /** Index of the byte at offset in its {@link #piece}. */
  public int index(int offset) {
    int i = first;
    while (offset >= pieces[i].readableBytes()) {
      offset -= pieces[i++].readableBytes();
    }
    return pieces[i].readerIndex() + offset;
  }

  /** Bytes from offset on that lie in the same buffer; 0 at the end of the queue. */
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
    return piece(offset).getByte(index(offset));
  }

  /** The little-endian integer at offset, which may be spread over several buffers. */
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

  /**
   * Copies a range to an index of out, which must have the capacity for it. Borrows out, moves no
   * index.
   */
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
   * Moves the first bytes to the end of another queue. Whole buffers move as they are; the last one
   * leaves a slice, or a copy if it is short.
   */
  public void moveTo(ByteQueue other, int bytes) {
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
      other.attach(removeFirst());
    }
  }

  /**
   * Moves the first bytes to the sink, buffer by buffer: each whole or as a slice. The sink may
   * {@link #clear} the queue, which ends the transfer; it must not change the queue otherwise.
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

  /** Drops the first bytes and releases the buffers that become unused. */
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

  /** Releases everything in the queue, which may be used again. */
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
