package sluice.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.buffer.SliceList;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.names.Command;

/** The reply that a pending reply holds, and what becomes of it. */
class HeldReplyTest {
  private static final int MOST = 4096;

  private final AdaptiveByteBufAllocator allocator = new AdaptiveByteBufAllocator(true);
  private final Loop loop =
      new Loop(
          new EmbeddedChannel().eventLoop(),
          allocator,
          MemoryShare.of(1, 1L << 30)[0],
          new GatewayMetrics().newLoop());
  private final RequestPool pool = new RequestPool();
  private final Taker taker = new Taker();
  private final List<ByteBuf> sources = new ArrayList<>();

  /** Keeps what it is given. */
  private static final class Taker extends PatientRequester {
    private final ByteArrayOutputStream taken = new ByteArrayOutputStream();
    private final List<Integer> lengths = new ArrayList<>();

    @Override
    public void reply(ByteBuf bytes) {
      byte[] copy = new byte[bytes.readableBytes()];
      bytes.readBytes(copy).release();
      lengths.add(copy.length);
      taken.writeBytes(copy);
    }
  }

  private PendingReply pending() {
    return pool.take().start(taker, Command.GET, ReplyKind.VALUES, Suppression.NOTHING, 0);
  }

  /** A piece of a larger buffer, as what is read is. */
  private ByteBuf piece(byte[] bytes) {
    ByteBuf source = allocator.directBuffer(bytes.length + 7);
    source.writeZero(7).writeBytes(bytes);
    sources.add(source);
    return loop.slice(source, 7, bytes.length);
  }

  private static int length(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> 1 + random.nextInt(3);
      case 1 -> SliceList.COPIED_BELOW - 1 + random.nextInt(3);
      default -> 1 + random.nextInt(MOST);
    };
  }

  /** Every buffer that was made is released once; none before it was read. */
  private void assertNothingLeft() {
    for (ByteBuf source : sources) {
      assertThat(source.refCnt()).isEqualTo(1);
      source.release();
    }
    sources.clear();
    assertThat(taker.held()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void shouldKeepTheOrderOfWhatIsMovedFromSeveral(int subrequests) {
    for (int seed = 0; seed < 200; seed++) {
      taker.taken.reset();
      move(subrequests, new Random(seed));
    }
  }

  private void move(int subrequests, Random random) {
    PendingReply whole = pending();
    PendingReply[] from = new PendingReply[subrequests];
    ByteArrayOutputStream[] left = new ByteArrayOutputStream[subrequests];
    for (int i = 0; i < subrequests; i++) {
      from[i] = pending();
      left[i] = new ByteArrayOutputStream();
    }
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    for (int step = 0; step < 200; step++) {
      int subrequest = random.nextInt(subrequests);
      byte[] held = left[subrequest].toByteArray();
      switch (random.nextInt(6)) {
        case 0 -> {
          byte[] bytes = new byte[length(random)];
          random.nextBytes(bytes);
          left[subrequest].writeBytes(bytes);
          from[subrequest].hold(piece(bytes));
        }
        case 1 -> {
          if (random.nextInt(10) == 0) {
            whole.writeSlices();
          }
        }
        case 2 -> {
          if (random.nextInt(10) == 0) {
            PendingReply other = pending();
            from[subrequest].moveSlices(other);
            assertThat(from[subrequest].heldBytes()).isZero();
            assertThat(from[subrequest].sliceCount()).isZero();
            pool.give(from[subrequest]);
            from[subrequest] = other;
          }
        }
        default -> {
          int bytes = Math.min(held.length, length(random));
          if (bytes > 0) {
            from[subrequest].moveBytes(bytes, whole, loop);
            expected.write(held, 0, bytes);
            left[subrequest].reset();
            left[subrequest].write(held, bytes, held.length - bytes);
          }
        }
      }
      long all = whole.heldBytes();
      for (int i = 0; i < subrequests; i++) {
        assertThat(from[i].heldBytes()).isEqualTo(left[i].size());
        all += left[i].size();
      }
      assertThat(taker.held()).isEqualTo(all);
    }
    whole.writeSlices();
    assertThat(taker.taken.toByteArray()).isEqualTo(expected.toByteArray());
    pool.give(whole);
    Arrays.stream(from).forEach(pool::give);
    assertNothingLeft();
  }

  @Test
  void shouldJoinShortOnesAndCopyNoLongOne() {
    PendingReply subrequest = pending();
    PendingReply whole = pending();
    int below = SliceList.COPIED_BELOW;
    subrequest.hold(piece(new byte[10 * 100 + below + 5 * 100]));
    for (int i = 0; i < 10; i++) {
      subrequest.moveBytes(100, whole, loop);
    }
    subrequest.moveBytes(below, whole, loop);
    for (int i = 0; i < 5; i++) {
      subrequest.moveBytes(100, whole, loop);
    }
    assertThat(subrequest.sliceCount()).isZero();
    assertThat(sources.get(0).refCnt()).isEqualTo(2); // the long one is a part of it
    whole.writeSlices();
    assertThat(taker.lengths).containsExactly(100, 512, 388, below, 100, 400);
    pool.give(subrequest);
    pool.give(whole);
    assertNothingLeft();
  }

  @Test
  void shouldReleaseWhatIsForgotten() {
    PendingReply subrequest = pending();
    PendingReply whole = pending();
    subrequest.hold(piece(new byte[3000]));
    subrequest.hold(piece(new byte[300]));
    subrequest.moveBytes(100, whole, loop);
    subrequest.moveBytes(100, whole, loop);
    subrequest.moveBytes(1000, whole, loop);
    subrequest.releaseSlices();
    whole.releaseSlices();
    assertThat(taker.held()).isZero();
    pool.give(subrequest);
    pool.give(whole);
    assertNothingLeft();
    assertThat(taker.lengths).isEmpty();
  }
}
