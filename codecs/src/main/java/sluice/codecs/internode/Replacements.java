package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.ByteSink;

/**
 * Buffers that a {@link MessageReplacer} needs in addition to the frames. They hold messages joined
 * from several reads, new messages until they are written, and one message in partial frames until
 * it is complete.
 *
 * <p>It owns their bytes: new messages until {@link #release}, the large one until {@link #end}.
 */
final class Replacements implements ByteSink {
  /** Replacements for walks that replace no message. */
  static final Replacements NONE =
      new Replacements(new NoReplacer(), UnpooledByteBufAllocator.DEFAULT);

  private static final int FEWEST = 8;

  /** A longer array of buffers is left to the collector once they are released. */
  private static final int MOST_KEPT = 1024;

  /** First capacity for a large message, because the length in its header may be false. */
  private static final int LARGE = 64 * 1024;

  private final MessageReplacer replacer;
  private final ByteBufAllocator allocator;
  private final Ranges message = new Ranges();

  private ByteBuf[] owned = new ByteBuf[FEWEST];
  private int count;
  private Ranges target = message;
  private @Nullable ByteBuf large; // null: no message is held
  private int largestFragment;
  private long ended; // large messages

  Replacements(MessageReplacer replacer, ByteBufAllocator allocator) {
    this.replacer = replacer;
    this.allocator = allocator;
  }

  boolean concerns(MessageHeader header) {
    return replacer.concerns(header);
  }

  /**
   * Offers a message, which lies in ranges of a payload, to the replacer.
   *
   * @return whether another message of {@link #length} bytes replaces it, which is to be {@link
   *     #addTo added}
   */
  boolean rewrite(Ranges payload, int range, int at, int length) {
    if (payload.start(range) + payload.length(range) - at >= length) {
      return replacer.rewrite(payload.buffer(range), at, length);
    }
    ByteBuf whole = own(allocator.directBuffer(length, length));
    payload.copyTo(whole, range, at, length);
    return replacer.rewrite(whole, 0, length);
  }

  /** Length of the new message that {@link #rewrite} announced, in bytes. */
  int length() {
    return replacer.length();
  }

  /** Adds the new message to ranges, which borrow it until {@link #release}. */
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

  /** Releases new messages and all buffers kept for them: no ranges refer to them any more. */
  void release() {
    for (int i = 0; i < count; i++) {
      owned[i].release();
      owned[i] = null;
    }
    count = 0;
    if (owned.length > MOST_KEPT) {
      owned = new ByteBuf[FEWEST];
    }
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
      largestFragment = 0;
    }
    int needed = large.writerIndex() + bytes;
    if (needed > large.capacity()) {
      large.capacity((int) Math.min(large.maxCapacity(), Math.max(needed, 2L * large.capacity())));
    }
    plain.copyTo(large);
    largestFragment = Math.max(largestFragment, bytes);
  }

  /** Bytes of a large message that is still incomplete. */
  int heldBytes() {
    return large == null ? 0 : large.readableBytes();
  }

  /** Whether a large message is incomplete. */
  boolean isHolding() {
    return large != null;
  }

  /** Number of large messages that were completed. */
  long ended() {
    return ended;
  }

  /** Length of the largest part in which the last large message arrived, in bytes. */
  int largestFragment() {
    return largestFragment;
  }

  /**
   * Ends the large message, which is complete. The result is its replacement or the message itself,
   * valid until {@link #release}.
   */
  Ranges end() {
    ByteBuf whole = own(Objects.requireNonNull(large, "no message is held"));
    large = null;
    ended++;
    message.clear();
    if (replacer.rewrite(whole, 0, whole.readableBytes())) {
      addTo(message);
    } else {
      message.add(whole, 0, whole.readableBytes());
    }
    return message;
  }

  /** Releases everything held. */
  void close() {
    release();
    if (large != null) {
      large.release();
      large = null;
    }
  }

  /** Replacer of no message. */
  private static final class NoReplacer implements MessageReplacer {
    @Override
    public boolean concerns(MessageHeader header) {
      return false;
    }

    @Override
    public boolean rewrite(ByteBuf message, int index, int length) {
      return false;
    }

    @Override
    public int length() {
      return 0;
    }

    @Override
    public void write(ByteBufAllocator allocator, ByteSink sink) {
      throw new UnsupportedOperationException("no message is replaced");
    }
  }
}
