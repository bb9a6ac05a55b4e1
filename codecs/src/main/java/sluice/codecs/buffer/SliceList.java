package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Ordered list of slices, which it owns. Bytes are added at the end in the buffers that they were
 * read into, and are removed at the front as slices of these buffers. Offsets count from the front.
 *
 * <p>A few bytes may be copied to the end of others, so that a peer that sends single bytes does
 * not make the list hold a buffer for each byte. Ranges of at least {@link #COPIED_BELOW} bytes are
 * not copied, unless the caller asks for a {@linkplain #copy copy}.
 *
 * <p>It allocates nothing in steady state, and belongs to one thread at a time.
 */
public final class SliceList {
  /** Length in bytes below which a range is copied, because a slice would cost more (ADR 0056). */
  public static final int COPIED_BELOW = 1024;

  /** Least capacity of a buffer to copy into; each is at least twice as large as the one before. */
  private static final int LEAST_JOINED = 512;

  private static final int MOST_JOINED = 64 * 1024;
  private static final int FEWEST = 4;
  private static final int MOST_KEPT = 1024; // slices in the array of an empty list

  private final Slices slicer; // null: slices are never cut
  private ByteBuf[] slices = new ByteBuf[FEWEST];
  private int first; // number of the first slice in the array
  private int count;
  private int length;
  private @Nullable ByteBuf joined; // the last slice, if copies may be appended to it

  /** An empty list, which makes no slices except in {@link #joinTo}. */
  @SuppressWarnings("NullAway") // no method of such a list that cuts a slice is called
  public SliceList() {
    this(null);
  }

  /** An empty list, whose slices are cut by {@code slicer}. */
  public SliceList(Slices slicer) {
    this.slicer = slicer;
  }

  /** Appends a slice as it is, however short; an empty one is dropped. Consumes slice. */
  public void add(ByteBuf slice) {
    int readable = slice.readableBytes();
    if (readable == 0) {
      slice.release();
      return;
    }
    append(slice);
    joined = null;
    length += readable;
  }

  /** Appends received bytes: as they are, or as a copy if there are few. Consumes read. */
  public void addRead(ByteBuf read) {
    int readable = read.readableBytes();
    if (count == 0 || readable == 0 || !isCopied(readable)) {
      add(read);
      return;
    }
    try {
      copy(read, read.readerIndex(), readable, read.alloc());
    } finally {
      read.release();
    }
  }

  /**
   * Appends the range [from, from + bytes) of source, as a slice or a copy. Borrows source; the
   * allocator provides the buffer that a few bytes are copied to.
   */
  void addRange(ByteBuf source, int from, int bytes, ByteBufAllocator allocator) {
    if (isCopied(bytes)) {
      copy(source, from, bytes, allocator);
    } else {
      add(slicer.take(source, from, bytes));
    }
  }

  /** Appends the range [from, from + bytes) of source as a slice, if any. Borrows source. */
  public void addSlice(ByteBuf source, int from, int bytes) {
    if (bytes > 0) {
      add(slicer.take(source, from, bytes));
    }
  }

  /** Whether a range of this length is copied. */
  public static boolean isCopied(int bytes) {
    return bytes < COPIED_BELOW;
  }

  /**
   * Appends a copy of the bytes [from, from + bytes) of source, after bytes copied before. Borrows
   * source; the allocator provides the buffer that is copied into.
   */
  public void copy(ByteBuf source, int from, int bytes, ByteBufAllocator allocator) {
    copy(source, from, bytes, allocator, 0, MOST_JOINED);
  }

  /**
   * The same.
   *
   * @param least capacity of a first buffer, if there is none to copy into
   * @param more largest number of bytes that may follow these: no buffer has room for more
   */
  public void copy(
      ByteBuf source, int from, int bytes, ByteBufAllocator allocator, int least, int more) {
    int left = bytes;
    while (left > 0) {
      if (joined == null || !joined.isWritable()) {
        append(joining(left, allocator, least, more));
        joined = slices[first + count - 1];
      }
      int now = Math.min(left, joined.writableBytes());
      Bytes.append(source, from + bytes - left, now, joined);
      left -= now;
      length += now;
    }
  }

  /**
   * Copies the last slice if it is a small part of its buffer, which it would retain. For lists
   * that keep bytes until more are read. A copy stays as it is until some of it has left.
   */
  public void copyLastIfSmall() {
    ByteBuf last = count == 0 ? Unpooled.EMPTY_BUFFER : get(count - 1);
    int readable = last.readableBytes();
    boolean isFresh = last == joined && last.readerIndex() == 0;
    if (!isFresh && Bytes.isSmallPartOf(last, readable)) {
      last.retain();
      skipLast(readable);
      copy(last, last.readerIndex(), readable, last.alloc());
      last.release();
    }
  }

  /** A buffer for these bytes, and for bytes that may be copied after them. */
  private ByteBuf joining(int bytes, ByteBufAllocator allocator, int least, int more) {
    int grown = joined == null ? least : Math.max(LEAST_JOINED, 2 * joined.capacity());
    int capacity = Math.max(bytes, Math.min(MOST_JOINED, Math.min(grown, bytes + more)));
    return allocator.directBuffer(capacity, capacity);
  }

  private void append(ByteBuf slice) {
    if (first + count == slices.length) {
      ByteBuf[] room = 2 * count > slices.length ? new ByteBuf[2 * slices.length] : slices;
      System.arraycopy(slices, first, room, 0, count);
      if (room == slices) {
        Arrays.fill(slices, count, first + count, null);
      }
      slices = room;
      first = 0;
    }
    slices[first + count++] = slice;
  }

  /** Bytes in the queue. */
  public int length() {
    return length;
  }

  /** The number of slices; 0 if there are no bytes. */
  public int count() {
    return count;
  }

  public boolean isEmpty() {
    return count == 0;
  }

  /** The slice with this number, from 0. Borrowed, until the list changes. */
  public ByteBuf get(int number) {
    return slices[first + number];
  }

  /** The slice that contains the byte at offset. Borrowed, until the list changes. */
  public ByteBuf sliceAt(int offset) {
    int i = first;
    while (offset >= slices[i].readableBytes()) {
      offset -= slices[i++].readableBytes();
    }
    return slices[i];
  }

  /** Index of the byte at offset in its {@link #sliceAt}. */
  public int index(int offset) {
    int i = first;
    while (offset >= slices[i].readableBytes()) {
      offset -= slices[i++].readableBytes();
    }
    return slices[i].readerIndex() + offset;
  }

  /** The number of bytes from offset on in the same slice; 0 at the end of the list. */
  public int contiguous(int offset) {
    for (int i = first; i < first + count; i++) {
      int readable = slices[i].readableBytes();
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

  /** The little-endian integer at offset, which may be spread over several buffers. */
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

  /**
   * Copies a range to an index of out, which must have the capacity for it. Borrows out, moves no
   * index.
   */
  public void getBytes(int offset, ByteBuf out, int index, int bytes) {
    Objects.checkFromIndexSize(offset, bytes, length);
    for (int i = first; bytes > 0; i++) {
      int readable = slices[i].readableBytes();
      if (offset < readable) {
        int here = Math.min(bytes, readable - offset);
        Bytes.set(slices[i], slices[i].readerIndex() + offset, here, out, index);
        index += here;
        bytes -= here;
        offset = 0;
      } else {
        offset -= readable;
      }
    }
  }

  /** Appends a copy of all bytes to out, which must have the capacity for it. Borrows out. */
  public void appendTo(ByteBuf out) {
    getBytes(0, out, out.writerIndex(), length);
    out.writerIndex(out.writerIndex() + length);
  }

  /** Removes the first slice, which must exist; the caller owns the result. */
  public ByteBuf removeFirst() {
    ByteBuf slice = slices[first];
    slices[first++] = null;
    count--;
    length -= slice.readableBytes();
    if (count == 0) {
      reset();
    }
    return slice;
  }

  private void reset() {
    first = 0;
    count = 0;
    length = 0;
    joined = null;
    if (slices.length > MOST_KEPT) {
      slices = new ByteBuf[FEWEST];
    }
  }

  /** Moves all slices to another list, as they are. */
  public void moveTo(SliceList other) {
    moveTo(other, length);
  }

  /**
   * Moves the first bytes to another list. Whole slices move as they are; of the last one, a slice
   * or a copy of a few bytes is made.
   */
  public void moveTo(SliceList other, int bytes) {
    Objects.checkFromIndexSize(0, bytes, length);
    while (bytes > 0) {
      ByteBuf slice = slices[first];
      int readable = slice.readableBytes();
      if (bytes < readable) {
        other.addRange(slice, slice.readerIndex(), bytes, slice.alloc());
        skip(bytes);
        return;
      }
      bytes -= readable;
      other.add(removeFirst());
    }
  }

  /**
   * Removes the first bytes and appends them to another list; ranges of few bytes are copied. For
   * bytes that would be copied together when they are written.
   *
   * @param cutter makes a slice of the last one
   * @param allocator of the buffers that are copied into
   */
  public void joinTo(SliceList other, int bytes, Slices cutter, ByteBufAllocator allocator) {
    Objects.checkFromIndexSize(0, bytes, length);
    while (bytes > 0) {
      ByteBuf slice = slices[first];
      int readable = slice.readableBytes();
      int moved = Math.min(bytes, readable);
      bytes -= moved;
      if (isCopied(moved)) {
        other.copy(slice, slice.readerIndex(), moved, allocator);
        skip(moved);
      } else if (moved == readable) {
        other.add(removeFirst());
      } else {
        length -= moved;
        other.add(cutter.takeNext(slice, moved));
      }
    }
  }

  /**
   * Moves the first bytes to the sink, slice by slice. The sink may {@link #clear} the list, and
   * then gets no more; it must not change the list otherwise.
   */
  public void moveTo(ByteSink sink, int bytes) {
    Objects.checkFromIndexSize(0, bytes, length);
    while (bytes > 0 && count > 0) {
      ByteBuf slice = slices[first];
      int readable = slice.readableBytes();
      if (bytes < readable) {
        length -= bytes;
        sink.accept(slicer.takeNext(slice, bytes));
        return;
      }
      bytes -= readable;
      sink.accept(removeFirst());
    }
  }

  /**
   * Passes all slices to the sink. The list is empty before the sink gets the first slice, and may
   * be cleared meanwhile. Nothing may be added before the sink has received the last one.
   */
  public void drainTo(ByteSink sink) {
    ByteBuf[] drained = slices;
    int from = first;
    int to = first + count;
    reset();
    for (int i = from; i < to; i++) {
      ByteBuf slice = drained[i];
      drained[i] = null;
      sink.accept(slice);
    }
  }

  /** Removes the first bytes and releases their slices. */
  public void skip(int bytes) {
    Objects.checkFromIndexSize(0, bytes, length);
    while (bytes > 0) {
      int readable = slices[first].readableBytes();
      if (bytes < readable) {
        slices[first].skipBytes(bytes);
        length -= bytes;
        return;
      }
      bytes -= readable;
      removeFirst().release();
    }
  }

  /** Removes the last bytes and releases their slices. */
  public void skipLast(int bytes) {
    Objects.checkFromIndexSize(0, bytes, length);
    joined = null;
    while (bytes > 0) {
      ByteBuf last = slices[first + count - 1];
      int readable = last.readableBytes();
      if (bytes < readable) {
        last.writerIndex(last.writerIndex() - bytes);
        length -= bytes;
        return;
      }
      bytes -= readable;
      slices[first + --count] = null;
      length -= readable;
      last.release();
    }
  }

  /** Releases everything in the queue, which may be used again. */
  public void clear() {
    skip(length);
  }
}
