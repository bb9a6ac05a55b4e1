package sluice.gateway.internode;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.tls.TlsException;
import sluice.testkit.ExpectedErrors;

class LinkSideTest {
  private static final int IN_FLIGHT = 1 << 20;
  private static final int CEILING = 64 << 20;
  private static final int TIGHT = 57 << 20; // over seven eighths of it
  private static final int READ = 64 * 1024;

  private final MemoryShare memory = MemoryShare.of(1, CEILING)[0];
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final Loop loop =
      new Loop(
          channel.eventLoop(),
          new UnpooledByteBufAllocator(false),
          memory,
          new GatewayMetrics().newLoop());
  private final Passed passed = new Passed(loop);
  private final LinkSide side = LinkSide.initiator(loop, passed, IN_FLIGHT);

  @BeforeEach
  void begin() {
    passed.side = side;
    channel.pipeline().addLast(side);
  }

  @AfterEach
  void end() {
    channel.finishAndReleaseAll();
  }

  /** As {@code internode_tcp_user_timeout} and {@code internode_streaming_tcp_user_timeout}. */
  @ParameterizedTest(name = "streams: {0}")
  @CsvSource({"false, 30000", "true, 300000"})
  void shouldGiveNodesAsLongAsNodesDo(boolean streams, int millis) throws Exception {
    assumeThat(Epoll.isAvailable()).isTrue();
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    try {
      Loop ofGroup =
          new Loop(
              group.next(),
              new UnpooledByteBufAllocator(false),
              MemoryShare.of(1, 64 << 20)[0],
              new GatewayMetrics().newLoop());
      Channel socket =
          new Bootstrap()
              .group(group)
              .channel(EpollSocketChannel.class)
              .handler(LinkSide.acceptor(ofGroup, null, IN_FLIGHT, streams))
              .register()
              .sync()
              .channel();
      assertThat(socket.config().getOption(ChannelOption.SO_KEEPALIVE)).isTrue();
      assertThat(socket.config().getOption(EpollChannelOption.TCP_USER_TIMEOUT)).isEqualTo(millis);
      socket.close().sync();
    } finally {
      group.shutdownGracefully(0, 20, TimeUnit.SECONDS).sync();
    }
  }

  /** Each byte may become hundreds, and other links of the same iteration have used memory up. */
  @Test
  void shouldKeepUnreadWhatComesWhileMemoryIsTight() {
    channel.writeInbound(Unpooled.copiedBuffer("a", US_ASCII));
    assertThat(passed.got).hasToString("a");
    memory.add(64 << 20);
    channel.writeInbound(Unpooled.copiedBuffer("b", US_ASCII));
    channel.writeInbound(Unpooled.copiedBuffer("cd", US_ASCII));
    assertThat(passed.got).hasToString("a");
    assertThat(side.unreadBytes()).isEqualTo(3);

    side.readAgain(LinkSide.MEMORY); // one read at a time, as long as there is no memory
    assertThat(passed.got).hasToString("ab");
    memory.add(-(64 << 20));
    side.readAgain(LinkSide.MEMORY);
    assertThat(passed.got).hasToString("abcd");
    assertThat(side.unreadBytes()).isZero();

    memory.add(TIGHT);
    channel.writeInbound(Unpooled.copiedBuffer("e", US_ASCII));
    assertThat(passed.got).hasToString("abcd");
    channel.close();
    assertThat(passed.got).as("nothing is lost when the node closes").hasToString("abcde");
    assertThat(passed.lost).isZero();
  }

  /** It does not come to 250 times what it has read. */
  @Test
  void shouldPassOnOnlyAPortionOfAReadThatGrowsWhileMemoryIsTight() {
    memory.add(TIGHT);
    ByteBuf first = read(READ);
    ByteBuf second = read(READ);
    channel.writeInbound(first, second);
    passed.growth = 256;
    side.readAgain(LinkSide.MEMORY);
    assertThat(passed.got).hasSize(LinkSide.PORTION);
    assertThat(side.unreadBytes()).isEqualTo(2 * READ - LinkSide.PORTION);
    passed.growth = 0;
    side.readAgain(LinkSide.MEMORY);
    assertThat(passed.got).as("all of one read").hasSize(READ);
    assertThat(first.refCnt()).isZero();
    channel.close();
    assertThat(passed.got).hasSize(2 * READ);
    assertThat(second.refCnt()).isZero();
  }

  @Test
  void shouldNotGoBeyondMemoryForANodeThatHasClosed() {
    memory.add(TIGHT);
    List<ByteBuf> reads = new ArrayList<>();
    for (int i = 0; i < LinkSide.MOST_UNREAD / READ; i++) {
      reads.add(read(READ));
      channel.writeInbound(reads.get(i));
    }
    passed.growth = 256;
    channel.close();
    assertThat(memory.total()).isBetween((long) CEILING, CEILING + 256L * LinkSide.PORTION);
    assertThat(passed.got).isNotEmpty();
    assertThat(passed.lost).isEqualTo(LinkSide.MOST_UNREAD - passed.got.length());
    assertThat(reads).allMatch(read -> read.refCnt() == 0);
  }

  /** As many bytes are pending then as were unread. */
  @Test
  void shouldPassOnWhatDoesNotGrowForANodeThatHasClosedAlthoughMemoryIsUsedUp() {
    memory.add(CEILING);
    ByteBuf read = read(READ);
    channel.writeInbound(read);
    assertThat(passed.got).isEmpty();
    channel.close();
    assertThat(passed.got).hasSize(READ);
    assertThat(passed.lost).isZero();
    assertThat(read.refCnt()).isZero();
  }

  /** As a node that has closed does: Netty then reads everything, whether paused or not. */
  @Test
  void shouldAbortASideThatSendsOnAlthoughMemoryIsUsedUp() {
    memory.add(CEILING);
    passed.growth = 2;
    List<ByteBuf> reads = new ArrayList<>();
    for (int i = 0; i <= LinkSide.MOST_UNREAD / READ; i++) {
      assertThat(channel.isOpen()).isTrue();
      reads.add(read(READ));
      channel.pipeline().fireChannelRead(reads.get(i));
    }
    assertThat(channel.isOpen()).isFalse();
    channel.runPendingTasks();
    assertThat(passed.got).isEmpty();
    assertThat(passed.lost).isEqualTo(LinkSide.MOST_UNREAD + READ);
    assertThat(reads).allMatch(read -> read.refCnt() == 0);
  }

  /** Small TLS records take far more memory than their bytes. */
  @Test
  void shouldAbortASideOfWhichTooManyReadsWait() {
    memory.add(TIGHT);
    for (int i = 0; i < LinkSide.MOST_UNREAD_READS; i++) {
      channel.pipeline().fireChannelRead(Unpooled.wrappedBuffer(new byte[] {'a'}));
    }
    assertThat(channel.isOpen()).isTrue();
    assertThat(side.unreadBytes()).isEqualTo(LinkSide.MOST_UNREAD_READS);
    channel.pipeline().fireChannelRead(Unpooled.wrappedBuffer(new byte[] {'a'}));
    assertThat(channel.isOpen()).isFalse();
    channel.runPendingTasks();
    assertThat(passed.got).hasSize(LinkSide.MOST_UNREAD_READS + 1);
    assertThat(side.unreadBytes()).isZero();
  }

  /** The rest would be passed on behind a hole. */
  @Test
  void shouldPassNothingOnAfterAnErrorOfTheProgram() throws Exception {
    memory.add(TIGHT);
    ByteBuf first = read(10);
    ByteBuf second = read(10);
    channel.writeInbound(first, second);
    passed.fails = true;
    ExpectedErrors.of("an internal error").during(() -> side.readAgain(LinkSide.MEMORY));
    passed.fails = false;
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isFalse();
    assertThat(passed.got).isEmpty();
    assertThat(first.refCnt()).isZero();
    assertThat(second.refCnt()).isZero();
  }

  /** As the records that TLS hands out one after the other. */
  @Test
  void shouldPassOnNoFurtherRecordOfAReadAfterAnErrorOfTheProgram() throws Exception {
    ByteBuf first = read(10);
    ByteBuf second = read(10);
    ChannelHandlerContext context = channel.pipeline().context(passed.side);
    passed.fails = true;
    ExpectedErrors.of("an internal error").during(() -> channel.pipeline().fireChannelRead(first));
    passed.fails = false;
    passed.side.channelRead(context, second); // a closed EmbeddedChannel has no handlers any more
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isFalse();
    assertThat(passed.got).isEmpty();
    assertThat(first.refCnt()).isZero();
    assertThat(second.refCnt()).isZero();
  }

  private void readWithoutTasks(String text) {
    channel.pipeline().fireChannelRead(Unpooled.copiedBuffer(text, US_ASCII));
  }

  /** What was read goes on behind the other sockets of the event loop, in its order. */
  @Test
  void shouldReadNothingMoreUntilAllOfAReadIsDone() {
    passed.turns = 3;
    readWithoutTasks("a");
    readWithoutTasks("b");
    assertThat(passed.got).hasToString("a");
    assertThat(side.unreadBytes()).isEqualTo(1);
    assertThat(channel.config().isAutoRead()).isFalse();
    side.stopReading(LinkSide.MEMORY);
    side.readAgain(LinkSide.MEMORY);
    assertThat(passed.got).as("memory is not what it waits for").hasToString("a");
    channel.runPendingTasks();
    assertThat(passed.turnsBegun).isEqualTo(3);
    assertThat(passed.got).hasToString("ab");
    assertThat(side.unreadBytes()).isZero();
    assertThat(channel.config().isAutoRead()).isTrue();
  }

  /** Hundreds of links may be ready at once, and each read of them may take a turn. */
  @Test
  void shouldBeginBehindOtherSocketsWhereLinksHaveTakenLong() {
    passed.othersDue = true;
    readWithoutTasks("a");
    readWithoutTasks("b");
    assertThat(passed.got).isEmpty();
    assertThat(side.unreadBytes()).isEqualTo(2);
    assertThat(channel.config().isAutoRead()).isFalse();
    channel.runPendingTasks(); // where it has its time, although others are still due
    assertThat(passed.got).hasToString("ab");
    assertThat(channel.config().isAutoRead()).isTrue();
    readWithoutTasks("c");
    channel.pipeline().fireChannelInactive();
    assertThat(passed.got).as("nothing is lost when the node closes").hasToString("abc");
    assertThat(passed.lost).isZero();
  }

  /** Hundreds of links may close directly behind what they sent, and all wait for a first turn. */
  @Test
  void shouldTakeNoFirstTurnThatThereIsNoTimeForWhenTheNodeHasClosed() {
    passed.othersDue = true;
    passed.turnsInTime = 0;
    readWithoutTasks("ab");
    channel.pipeline().fireChannelInactive();
    assertThat(passed.got).isEmpty();
    assertThat(passed.lost).isEqualTo(2);
    assertThat(passed.whyLost).isEqualTo("the rest would take too long");
  }

  @Test
  void shouldTakeATurnWhileMemoryIsTightOnlyIfItIsFed() {
    passed.turns = 2;
    readWithoutTasks("a");
    readWithoutTasks("b");
    memory.add(TIGHT);
    channel.runPendingTasks();
    assertThat(passed.turnsBegun).isZero();
    side.readAgain(LinkSide.MEMORY);
    assertThat(passed.turnsBegun).as("one at a time").isEqualTo(1);
    channel.runPendingTasks();
    assertThat(passed.turnsBegun).isEqualTo(1);
    side.readAgain(LinkSide.MEMORY);
    assertThat(passed.turnsBegun).isEqualTo(2);
    assertThat(passed.got).hasToString("a");
    memory.add(-TIGHT);
    side.readAgain(LinkSide.MEMORY);
    assertThat(passed.got).hasToString("ab");
    assertThat(channel.config().isAutoRead()).isTrue();
  }

  @Test
  void shouldTakeTheTurnsThatAreLeftWhenTheNodeHasClosed() {
    passed.turns = 2;
    readWithoutTasks("a");
    readWithoutTasks("b");
    channel.pipeline().fireChannelInactive(); // before the turn
    assertThat(passed.turnsBegun).isEqualTo(2);
    assertThat(passed.got).hasToString("ab");
    assertThat(passed.lost).isZero();
    channel.runPendingTasks();
    assertThat(passed.turnsBegun).isEqualTo(2);
  }

  @Test
  void shouldNotTakeTurnsWithoutEndWhenTheNodeHasClosed() {
    passed.turns = Integer.MAX_VALUE;
    readWithoutTasks("a");
    readWithoutTasks("bc");
    channel.pipeline().fireChannelInactive();
    assertThat(passed.turnsBegun).isEqualTo(LinkSide.MOST_TURNS_AT_END);
    assertThat(passed.got).hasToString("a");
    assertThat(passed.lost).isEqualTo(2);
    assertThat(passed.whyLost).isEqualTo("the rest would take too long");
  }

  /** All links of a loop share that time. */
  @Test
  void shouldTakeOnlyTheTurnsThatThereIsTimeForWhenTheNodeHasClosed() {
    passed.turns = Integer.MAX_VALUE;
    passed.turnsInTime = 3;
    readWithoutTasks("a");
    readWithoutTasks("bc");
    channel.pipeline().fireChannelInactive();
    assertThat(passed.turnsBegun).isEqualTo(3);
    assertThat(passed.turnsCounted).isEqualTo(3);
    assertThat(passed.got).hasToString("a");
    assertThat(passed.lost).isEqualTo(2);
    assertThat(passed.whyLost).isEqualTo("the rest would take too long");
  }

  private static ByteBuf read(int bytes) {
    return Unpooled.buffer(bytes).writeZero(bytes);
  }

  /** A link that writes down what it is given. */
  private static final class Passed implements LinkSide.Owner {
    private final StringBuilder got = new StringBuilder();
    private final Loop loop;
    private LinkSide side;
    private int growth; // bytes that each byte takes up
    private int turns; // that are not enough for what was read
    private int turnsBegun; // by empty reads
    private boolean othersDue;
    private int turnsInTime = Integer.MAX_VALUE;
    private int turnsCounted;
    private long lost;
    private String whyLost;
    private boolean fails;

    Passed(Loop loop) {
      this.loop = loop;
    }

    @Override
    public void read(LinkSide from, ByteBuf bytes) {
      if (fails) {
        bytes.release();
        throw new IllegalStateException("of the test");
      }
      turnsBegun += bytes.isReadable() ? 0 : 1;
      if (turns > 0) {
        turns--;
        side.endTurn();
      }
      got.append(bytes.toString(US_ASCII));
      loop.buffered((long) growth * bytes.readableBytes());
      bytes.release();
      pauseIfTight();
    }

    @Override
    public void pauseIfTight() {
      if (loop.memory().isTight()) {
        side.stopReading(LinkSide.MEMORY);
      }
    }

    @Override
    public void account() {}

    @Override
    public boolean mayGrow() {
      return growth > 1;
    }

    @Override
    public boolean areOthersDue(LinkSide from) {
      return othersDue;
    }

    @Override
    public boolean hasTimeAtEnd(LinkSide from) {
      return turnsCounted < turnsInTime;
    }

    @Override
    public void spentAtEnd(LinkSide from, long nanos) {
      assertThat(nanos).isNotNegative();
      turnsCounted++;
    }

    @Override
    public void unreadLost(String why, long bytes) {
      whyLost = why;
      lost += bytes;
    }

    @Override
    public LinkSide other(LinkSide of) {
      return null;
    }

    @Override
    public void flushed(LinkSide of) {}

    @Override
    public void tlsFailed(LinkSide of, TlsException failure) {}

    @Override
    public void closed(LinkSide of) {}
  }
}
