package sluice.gateway.values;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * Whole value as slices of the buffers that it was read into, without any line end. Owns them. One
 * instance, used again and again.
 */
public final class Value {
  private static final int MOST_KEPT = 1024;

  private ByteBuf[] pieces = new ByteBuf[4];
  private int count;
  private int length;

  /** Adds a slice behind the others; an empty one is dropped. Consumes piece. */
  public void add(ByteBuf piece) {
    if (!piece.isReadable()) {
      piece.release();
      return;
    }
    if (count == pieces.length) {
      pieces = Arrays.copyOf(pieces, 2 * count);
    }
    pieces[count++] = piece;
    length += piece.readableBytes();
  }

  /** Number of slices; 0 for an empty value. */
  public int count() {
    return count;
  }

  /** Length of all slices in bytes. */
  public int length() {
    return length;
  }

  /** Slice {@code index}; borrowed. */
  public ByteBuf piece(int index) {
    return pieces[index];
  }

  /** Takes slice {@code index} out, whose place stays empty; the caller owns the result. */
  public ByteBuf take(int index) {
    ByteBuf piece = pieces[index];
    pieces[index] = null;
    return piece;
  }

  /** Releases all slices that were not taken; the value is empty. */
  public void clear() {
    for (int i = 0; i < count; i++) {
      if (pieces[i] != null) {
        pieces[i].release();
        pieces[i] = null;
      }
    }
    count = 0;
    length = 0;
    if (pieces.length > MOST_KEPT) {
      pieces = new ByteBuf[4];
    }
  }
}
