package sluice.gateway.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import sluice.codecs.buffer.Bytes;
import sluice.gateway.loop.Connection;
import sluice.gateway.loop.Loop;

/**
 * What is held of a reply until its turn, in the pieces in which it came: owns them from when they
 * are added until they are taken.
 *
 * <p>Short ranges that are moved here one behind the other are copied into one piece, as they would
 * be when they are written; others stay where they lie.
 */
final class HeldPieces {
  /** What takes the pieces of a reply. */
  interface Taker {
    /** Writes bytes of the reply whose turn it is. Consumes bytes. */
    void reply(ByteBuf bytes);
  }

  private static final int JOINED = 8 * 1024;
  private static final int MOST_KEPT = 1024;

  private ByteBuf[] pieces = new ByteBuf[4];
  private int front; // of those before, nothing is left
  private int end;
  private int bytes;
  private ByteBuf joined; // the last piece, if more may be copied behind it

  int count() {
    return end - front;
  }

  /** All readable bytes. */
  int bytes() {
    return bytes;
  }

  ByteBuf get(int index) {
    return pieces[front + index];
  }

  /** Consumes piece. */
  void add(ByteBuf piece) {
    append(piece, piece.readableBytes());
    joined = null;
  }

  private void append(ByteBuf piece, int length) {
    if (end == pieces.length) {
      if (front >= end / 2) { // a long reply is moved away while it comes
        System.arraycopy(pieces, front, pieces, 0, end - front);
        Arrays.fill(pieces, end - front, end, null);
        end -= front;
        front = 0;
      } else {
        pieces = Arrays.copyOf(pieces, end * 2);
      }
    }
    pieces[end++] = piece;
    bytes += length;
  }

  /** Takes a piece away, in whose place an empty one stays; the caller owns it. */
  ByteBuf take(int index) {
    ByteBuf piece = get(index);
    pieces[front + index] = Unpooled.EMPTY_BUFFER;
    bytes -= piece.readableBytes();
    joined = null;
    return piece;
  }

  /** All pieces become the last of to. */
  void moveTo(HeldPieces to) {
    for (int i = front; i < end; i++) {
      to.add(pieces[i]);
      pieces[i] = null;
    }
    clear();
  }

  /** The first length bytes, of which there are as many, become the last of to. */
  void moveFirst(int length, HeldPieces to, Loop loop) {
    bytes -= length;
    int left = length;
    while (left > 0) {
      ByteBuf piece = pieces[front];
      int here = piece.readableBytes();
      int moved = Math.min(left, here);
      left -= moved;
      if (moved <= Connection.COPY_BELOW) {
        to.copy(piece, moved, loop);
        if (moved == here) {
          piece.release();
        } else {
          piece.skipBytes(moved);
        }
      } else if (moved == here) {
        to.add(piece);
      } else {
        to.add(loop.readSlice(piece, moved));
      }
      if (moved == here) {
        pieces[front++] = null;
      }
    }
    if (front == end) {
      clear();
    }
  }

  private void copy(ByteBuf from, int length, Loop loop) {
    if (joined == null || joined.writableBytes() < length) {
      // One that is alone needs no more room: the next may be long.
      joined = loop.buffer(joined == null ? length : JOINED);
      append(joined, 0);
    }
    Bytes.append(from, from.readerIndex(), length, joined);
    bytes += length;
  }

  private void clear() {
    front = 0;
    end = 0;
    bytes = 0;
    joined = null;
    if (pieces.length > MOST_KEPT) {
      pieces = new ByteBuf[4];
    }
  }

  /** Hands all pieces over. */
  void writeTo(Taker taker) {
    int from = front;
    int to = end;
    ByteBuf[] written = pieces;
    clear();
    for (int i = from; i < to; i++) {
      ByteBuf piece = written[i];
      written[i] = null;
      taker.reply(piece);
    }
  }

  void release() {
    for (int i = front; i < end; i++) {
      pieces[i].release();
      pieces[i] = null;
    }
    clear();
  }
}
