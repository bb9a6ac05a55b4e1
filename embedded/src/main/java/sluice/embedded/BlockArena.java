package sluice.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.Arrays;
import sluice.codecs.buffer.Bytes;

/**
 * Memory of one segment: blocks of 64 bytes, chained to hold items of any length. Memory never
 * fragments, and any evicted item makes room for any new one.
 *
 * <pre>
 *   page: 256 KiB
 *   +-----------------------+-----+-----------------------+-----------------------+-----
 *   | link of block 0 (int) | ... | block 0 (64 bytes)    | block 1               | ...
 *   +-----------------------+-----+-----------------------+-----------------------+-----
 *   a block's number: page &lt;&lt; 12 | slot; neighbours in a page have neighbouring numbers
 * </pre>
 *
 * <p>Links are stored apart from the bytes, so that adjacent blocks are copied at once. Pages are
 * allocated as they are needed and kept until {@link #release}. Owns its pages; not thread-safe.
 */
final class BlockArena {
  /** No block. */
  static final int NONE = -1;

  static final int BLOCK_BYTES = 64;
  static final int PAGE_BYTES = 256 * 1024;
  static final int BLOCKS_PER_PAGE = PAGE_BYTES / (BLOCK_BYTES + Integer.BYTES);

  private static final long MAX_BLOCKS = Integer.MAX_VALUE / 2;
  private static final int SLOT_BITS = 12;
  private static final int SLOT_MASK = (1 << SLOT_BITS) - 1;
  private static final int BLOCK_SHIFT = 6;
  private static final int FIRST_BLOCK = PAGE_BYTES - BLOCKS_PER_PAGE * BLOCK_BYTES;

  private final ByteBufAllocator allocator;
  private ByteBuf[] pages = new ByteBuf[4];
  private ByteBuffer[] views = new ByteBuffer[4];
  private int pageCount;
  private int freshPage; // first block that was never used
  private int freshSlot;
  private int freeHead = NONE;
  private int freeCount;
  private int used;
  private int limit;
  private int tail = NONE;

  /**
   * An arena of at most {@code limit} blocks.
   *
   * @param allocator of pages, which are direct buffers
   */
  BlockArena(ByteBufAllocator allocator, int limit) {
    this.allocator = allocator;
    this.limit = limit;
  }

  /** Number of blocks that hold {@code bytes}. */
  static long blocksFor(long bytes) {
    return (bytes + BLOCK_BYTES - 1) >>> BLOCK_SHIFT;
  }

  /**
   * Number of blocks in as many whole pages as fit into some bytes, at least one page. This leaves
   * memory for a table with at most one bucket for every two blocks.
   */
  static int blocksWithin(long bytes) {
    long perPage = PAGE_BYTES + BLOCKS_PER_PAGE * (Integer.BYTES / 2L);
    return (int) Math.min(MAX_BLOCKS, Math.max(1, bytes / perPage) * BLOCKS_PER_PAGE);
  }

  int limit() {
    return limit;
  }

  /** Blocks in use. */
  int used() {
    return used;
  }

  /** Sets how many blocks may be in use; allocated pages are kept. */
  void limit(int blocks) {
    limit = blocks;
  }

  /**
   * Whether {@code blocks} fit once all others are free. Allocates the pages for them, so that a
   * result of true stays true: if the process is out of direct memory, the limit is lowered.
   */
  boolean canHold(long blocks) {
    return blocks <= limit && ensurePages(blocks);
  }

  private boolean ensurePages(long blocks) {
    while ((long) pageCount * BLOCKS_PER_PAGE < blocks) {
      if (!grow()) {
        limit = pageCount * BLOCKS_PER_PAGE;
        return false;
      }
    }
    return true;
  }

  /** Whether {@code blocks} more fit without an eviction. */
  boolean hasRoom(int blocks) {
    return (long) used + blocks <= limit;
  }

  /**
   * Allocates a chain of blocks, whose last one is {@link #tail}.
   *
   * @return the first block; {@link #NONE} if the limit is reached, or if the process is out of
   *     direct memory and the limit was lowered to the memory in use
   */
  int allocate(int blocks) {
    if (!hasRoom(blocks) || !ensureFree(blocks)) {
      return NONE;
    }
    used += blocks;
    int head = NONE;
    int last = NONE;
    int fromFreed = Math.min(blocks, freeCount);
    if (fromFreed > 0) {
      head = freeHead;
      last = freeHead;
      for (int i = 1; i < fromFreed; i++) {
        last = next(last);
      }
      freeHead = next(last);
      freeCount -= fromFreed;
    }
    for (int i = fromFreed; i < blocks; i++) {
      int block = nextFresh();
      if (last == NONE) {
        head = block;
      } else {
        link(last, block);
      }
      last = block;
    }
    link(last, NONE);
    tail = last;
    return head;
  }

  /** The last block of the chain allocated last. */
  int tail() {
    return tail;
  }

  /** Releases a whole chain. */
  void free(int head, int last, int blocks) {
    link(last, freeHead);
    freeHead = head;
    freeCount += blocks;
    used -= blocks;
  }

  private boolean ensureFree(int blocks) {
    while (freeCount + fresh() < blocks) {
      if (!grow()) {
        limit = pageCount * BLOCKS_PER_PAGE;
        return false;
      }
    }
    return true;
  }

  private long fresh() {
    return (long) (pageCount - freshPage) * BLOCKS_PER_PAGE - freshSlot;
  }

  private boolean grow() {
    ByteBuf page;
    try {
      page = allocator.directBuffer(PAGE_BYTES, PAGE_BYTES);
    } catch (OutOfMemoryError e) {
      return false; // a JVM flag limits direct memory: the cache continues with the memory it has
    }
    if (pageCount == pages.length) {
      pages = Arrays.copyOf(pages, pageCount * 2);
      views = Arrays.copyOf(views, pageCount * 2);
    }
    pages[pageCount] = page;
    views[pageCount++] = page.internalNioBuffer(0, PAGE_BYTES).slice();
    return true;
  }

  private int nextFresh() {
    int block = freshPage << SLOT_BITS | freshSlot;
    if (++freshSlot == BLOCKS_PER_PAGE) {
      freshSlot = 0;
      freshPage++;
    }
    return block;
  }

  private int next(int block) {
    return views[block >>> SLOT_BITS].getInt((block & SLOT_MASK) * Integer.BYTES);
  }

  private void link(int block, int next) {
    views[block >>> SLOT_BITS].putInt((block & SLOT_MASK) * Integer.BYTES, next);
  }

  /** The page that contains a block, for absolute access to the block's bytes. */
  ByteBuffer page(int block) {
    return views[block >>> SLOT_BITS];
  }

  private ByteBuf bytes(int block) {
    return pages[block >>> SLOT_BITS];
  }

  /** Index in its page at which a block starts. */
  int position(int block) {
    return FIRST_BLOCK + ((block & SLOT_MASK) << BLOCK_SHIFT);
  }

  private int seek(int head, int offset) {
    int block = head;
    for (int i = offset >>> BLOCK_SHIFT; i > 0; i--) {
      block = next(block);
    }
    return block;
  }

  /** Appends the bytes [offset, offset + length) of a chain to out. Borrows out. */
  void read(int head, int offset, int length, ByteBuf out) {
    out.ensureWritable(length);
    int block = seek(head, offset);
    int inBlock = offset & (BLOCK_BYTES - 1);
    int left = length;
    while (left > 0) {
      int last = block;
      int run = BLOCK_BYTES - inBlock;
      int following = next(last);
      while (run < left && following == last + 1) {
        last = following;
        following = next(last);
        run += BLOCK_BYTES;
      }
      run = Math.min(run, left);
      Bytes.append(bytes(block), position(block) + inBlock, run, out);
      left -= run;
      block = following;
      inBlock = 0;
    }
  }

  /** Writes src's bytes [from, from + length) into a chain at offset. Borrows src. */
  void write(int head, int offset, ByteBuf src, int from, int length) {
    writeOn(seek(head, offset), offset, src, from, length);
  }

  /**
   * As {@link #write}, for a caller that knows the block of the byte at offset: finding it takes
   * time in proportion to the offset.
   *
   * @param first that block
   * @return the block of the byte behind the written ones; {@link #NONE} if the chain ends there
   */
  int writeOn(int first, int offset, ByteBuf src, int from, int length) {
    int block = first;
    int inBlock = offset & (BLOCK_BYTES - 1);
    int index = from;
    int left = length;
    while (left > 0) {
      int last = block;
      int run = BLOCK_BYTES - inBlock;
      int following = next(last);
      while (run < left && following == last + 1) {
        last = following;
        following = next(last);
        run += BLOCK_BYTES;
      }
      src.getBytes(index, bytes(block), position(block) + inBlock, Math.min(run, left));
      if (run > left) {
        return last;
      }
      index += run;
      left -= run;
      block = following;
      inBlock = 0;
    }
    return block;
  }

  /** Copies length bytes from one chain into another. */
  void copy(int source, int sourceOffset, int target, int targetOffset, int length) {
    int from = seek(source, sourceOffset);
    int to = seek(target, targetOffset);
    int inFrom = sourceOffset & (BLOCK_BYTES - 1);
    int inTo = targetOffset & (BLOCK_BYTES - 1);
    int left = length;
    while (left > 0) {
      int run = Math.min(left, BLOCK_BYTES - Math.max(inFrom, inTo));
      page(to).put(position(to) + inTo, page(from), position(from) + inFrom, run);
      left -= run;
      inFrom += run;
      inTo += run;
      if (inFrom == BLOCK_BYTES) {
        from = next(from);
        inFrom = 0;
      }
      if (inTo == BLOCK_BYTES) {
        to = next(to);
        inTo = 0;
      }
    }
  }

  /** Whether a chain holds, at offset, the bytes [from, from + length) of other. Borrows other. */
  boolean matches(int head, int offset, ByteBuf other, int from, int length) {
    int block = seek(head, offset);
    int inBlock = offset & (BLOCK_BYTES - 1);
    int index = from;
    int left = length;
    while (left > 0) {
      ByteBuffer view = page(block);
      int at = position(block) + inBlock;
      int run = Math.min(left, BLOCK_BYTES - inBlock);
      int i = 0;
      for (; i + Long.BYTES <= run; i += Long.BYTES) {
        if (view.getLong(at + i) != other.getLong(index + i)) {
          return false;
        }
      }
      for (; i < run; i++) {
        if (view.get(at + i) != other.getByte(index + i)) {
          return false;
        }
      }
      index += run;
      left -= run;
      block = next(block);
      inBlock = 0;
    }
    return true;
  }

  /** Drops everything stored and keeps the pages. */
  void clear() {
    freshPage = 0;
    freshSlot = 0;
    freeHead = NONE;
    freeCount = 0;
    used = 0;
  }

  /** Returns the pages to their allocator. */
  void release() {
    clear();
    for (int i = 0; i < pageCount; i++) {
      pages[i].release();
    }
    pageCount = 0;
    pages = new ByteBuf[0];
    views = new ByteBuffer[0];
  }
}
