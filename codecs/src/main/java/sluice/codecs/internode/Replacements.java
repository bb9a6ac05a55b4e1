package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Arrays;
import sluice.codecs.buffer.ByteSink;

/**
 * What a {@link MessageReplacer} needs beside the frames: messages in one piece, new messages until
 * they are written, and one message that is cut over partial frames until it is whole.
 *
 * <p>It owns what it holds: new messages until {@link #release}, the large one until {@link #end}.
 */
final class Replacements implements ByteSink {
  /** Room for a large message at first: what its header says of its length may be a lie. */
  private static final int LARGE = 64 * 1024;

  private final MessageReplacer replacer;
  private final ByteBufAllocator allocator;
  private final Ranges message = new Ranges();

  private ByteBuf[] owned = new ByteBuf[8];
  private int count;
  private Ranges target;
  private ByteBuf large; // null: no message is held
  private int largestPiece;

  Replacements(MessageReplacer replacer, ByteBufAllocator allocator) {
    this.replacer = replacer;
    this.allocator = allocator;
  }

  boolean concerns(MessageHeader header) {
    return replacer.concerns(header);
  }

  /**
   * Looks at a message that lies in ranges of a payload.
   *
   * @return whether another takes its place, of {@link #length} bytes: to be {@link #addTo added}
   */
  boolean rewrite(Ranges payload, int range, int at, int length) {
    if (payload.start(range) + payload.length(range) - at >= length) {
      return replacer.rewrite(payload.buffer(range), at, length);
    }
    ByteBuf whole = own(allocator.directBuffer(length, length));
    payload.copyTo(whole, range, at, length);
    return replacer.rewrite(whole, 0, length);
  }

  /** Bytes of the message that {@link #rewrite} said takes the place of another. */
  int length() {
    return replacer.length();
  }

  /** Adds that message to ranges, which borrow it until {@link #release}. */
  void addTo(Ranges ranges) {
    int before = ranges.length();
    int expected = replacer.length();
    target = ranges;
    replacer.write(allocator, this);
    if (ranges.length() - before != expected) {
      throw new IllegalStateException(
          "new message of %d bytes, expected %d".formatted(ranges.length() - before, expected));
    }
  }

  @Override
  public void accept(ByteBuf bytes) {
    target.add(own(bytes), bytes.readerIndex(), bytes.readableBytes());
  }

  /** Keeps a buffer until {@link #release}. Consumes it. */
  ByteBuf own(ByteBuf bytes) {
    if (count == owned.length) {
      owned = Arrays.copyOf(owned, 2 * count);
    }
    owned[count++] = bytes;
    return bytes;
  }

  /** Releases new messages, and whatever was kept for them: no ranges refer to them any more. */
  void release() {
    for (int i = 0; i < count; i++) {
      owned[i].release();
      owned[i] = null;
    }
    count = 0;
  }

  // ---- a message in partial frames

  /**
   * Adds the plain bytes of a partial frame to the large message. Borrows them.
   *
   * @param length of all of the message, as its header says
   */
  void hold(Ranges plain, long length) {
    int bytes = plain.length();
    if (large == null) {
      int most = (int) Math.min(length, Integer.MAX_VALUE);
      large = allocator.directBuffer(Math.min(most, Math.max(LARGE, bytes)), most);
      largestPiece = 0;
    }
    int needed = large.writerIndex() + bytes;
    if (needed > large.capacity()) {
      large.capacity((int) Math.min(large.maxCapacity(), Math.max(needed, 2L * large.capacity())));
    }
    plain.copyTo(large);
    largestPiece = Math.max(largestPiece, bytes);
  }

  /** Bytes of a large message that is not whole yet. */
  int heldBytes() {
    return large == null ? 0 : large.readableBytes();
  }

  /** Bytes of the largest piece that the last large message came in. */
  int largestPiece() {
    return largestPiece;
  }

  /**
   * Ends the large message, which is whole: what is to leave in its place, or itself, is good until
   * {@link #release}.
   */
  Ranges end() {
    ByteBuf whole = own(large);
    large = null;
    message.clear();
    if (replacer.rewrite(whole, 0, whole.readableBytes())) {
      addTo(message);
    } else {
      message.add(whole, 0, whole.readableBytes());
    }
    return message;
  }

  /** Releases all that is held. */
  void close() {
    release();
    if (large != null) {
      large.release();
      large = null;
    }
  }
}
