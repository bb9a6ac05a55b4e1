package sluice.gateway.client.text;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.config.Loader;
import sluice.gateway.client.Connected;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.client.text.request.TextKey;
import sluice.gateway.client.text.request.TextRequest;
import sluice.gateway.dispatch.Dispatcher;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.dispatch.RequestPhase;
import sluice.gateway.listener.Listener;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.metrics.DropReason;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.near.NearCaches;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.RequestPool;
import sluice.gateway.request.Suppression;
import sluice.gateway.route.Route;
import sluice.gateway.session.LineMemory;
import sluice.gateway.session.LoopState;
import sluice.names.Command;
import sluice.testkit.Patience;

/** Bytes in, requests out: wherever the input is cut, and however long a request has to wait. */
class TextReaderTest {
  private static final String YAML =
      """
      listeners: {cache: {bind: 127.0.0.1:0, route: cache, limits: {stall: 20ms}}}
      routes: {cache: [{pool: cache}]}
      pools: {cache: {protocol: embedded, size: 2MiB}}
      """;

  private static final String INPUT =
      """
      get a bc def\r
      set key 1 0 5\r
      hello\r
       get  x
      mg Zm9v v b Oab\r
      ms m 3 S\r
      abc\r
      delete key noreply\r
      set empty 0 0 0\r
      \r
      incr n 1\r
      nonsense\r
      gat 10 k1 k2\r
      """;

  private static final List<String> REQUESTS =
      List.of(
          "GET|get|a|bc|def",
          "SET|set|key|1|0|5+hello",
          "GET|get|x",
          "MG|mg|Zm9v|v|b|Oab",
          "MS|ms|m|3|S+abc",
          "DELETE|delete|key|noreply",
          "SET|set|empty|0|0|0+",
          "INCR|incr|n|1",
          "UNKNOWN|nonsense",
          "GAT|gat|10|k1|k2");

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  private final LoopMetrics metrics = new GatewayMetrics().newLoop();
  private final MemoryShare memory = MemoryShare.of(1, 16 << 20)[0];
  private final EmbeddedChannel owner = new EmbeddedChannel();
  private final Loop loop = new Loop(owner.eventLoop(), allocator, memory, metrics);
  private final LoopState loopState = new LoopState(loop, new RequestPool(), List.of(), 0);
  private final Dispatcher dispatcher = new Dispatcher(loopState);
  private final TextPools pools = new TextPools(loopState, dispatcher);
  private final List<EmbeddedChannel> channels = new ArrayList<>();
  private final List<String> seen = new ArrayList<>();

  private ListenerView listenerView() {
    Listener listener = new Listener(loop, metrics.listener("cache"), new AtomicInteger());
    listener.apply(
        Loader.parse("test.yaml", YAML).configuration().listeners().get("cache"),
        new Route("cache", List.of()),
        new Pool[0],
        List.of(),
        new NearCaches());
    return new ListenerView(listener);
  }

  /** Notes each request, and is done with it. */
  private class Noting implements TextReader.Handler {
    @Override
    public void handle(TextRequest request) {
      assertThat(request.phase()).isEqualTo(RequestPhase.PARSED);
      int block = block(request);
      if (block > 0 && !request.hasBlock(block)) {
        request.reader().gather(block);
        return;
      }
      String value =
          block > 0 ? "+" + request.buffer().toString(request.next(), block - 2, US_ASCII) : "";
      seen.add(words(request) + value);
      request.reader().lineDone(block);
    }

    @Override
    public void handleGathered(TextRequest request) {
      ByteBuf whole = request.client().slices().copyBehind(Unpooled.EMPTY_BUFFER);
      seen.add(words(request) + "+" + whole.toString(0, whole.writerIndex() - 2, US_ASCII));
      whole.release();
      request.reader().gatheredDone();
    }

    private int block(TextRequest request) {
      return switch (request.command()) {
        case SET -> number(request, 4) + 2;
        case MS -> number(request, 2) + 2;
        default -> 0;
      };
    }

    private int number(TextRequest request, int token) {
      return Integer.parseInt(request.line.string(token));
    }
  }

  /** As {@link Noting}, but it waits with every request until it is looked at again. */
  private final class Waiting extends Noting {
    TextRequest waited;

    @Override
    public void handle(TextRequest request) {
      if (waited == null) {
        waited = request;
        request.key.read(request.line, 1, false);
        request.routed(null);
        request.admitted();
        request.client().waitsForAll();
      } else {
        assertThat(request).isSameAs(waited);
        assertThat(request.phase()).isEqualTo(RequestPhase.WAITING);
        TextKey key = request.key;
        String name = key.buffer().toString(key.from(), key.length(), US_ASCII);
        seen.add(words(request) + "=" + name);
        waited = null;
        request.reader().lineDone();
      }
    }
  }

  private static String words(TextRequest request) {
    StringBuilder words = new StringBuilder(request.command().name());
    IntStream.range(0, request.line.count())
        .forEach(token -> words.append('|').append(request.line.string(token)));
    return words.toString();
  }

  private Connected connect(TextReader.Handler handler) {
    EmbeddedChannel channel = new EmbeddedChannel();
    channels.add(channel);
    ListenerView listenerView = listenerView();
    return Connected.by(
        channel,
        loopState,
        listenerView,
        client -> new TextReader(client, loopState, pools, listenerView, handler));
  }

  private void says(Connected client, String text) {
    client.channel().pipeline().fireChannelRead(Unpooled.copiedBuffer(text, US_ASCII));
    client.channel().pipeline().fireChannelReadComplete();
    client.channel().checkException();
  }

  @AfterEach
  void closeEverything() {
    for (EmbeddedChannel channel : channels) {
      channel.finishAndReleaseAll();
      channel.runPendingTasks();
    }
    loopState.close();
    pools.close();
    dispatcher.close();
    assertThat(memory.total()).isZero();
    assertThat(allocator.metric().usedHeapMemory()).isZero();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  @Test
  void shouldFindRequestsWhereverTheInputIsCut() {
    for (int cut = 1; cut < INPUT.length(); cut++) {
      seen.clear();
      Connected client = connect(new Noting());
      says(client, INPUT.substring(0, cut));
      says(client, INPUT.substring(cut));
      assertThat(seen).as("cut at %d", cut).isEqualTo(REQUESTS);
    }
  }

  @Test
  void shouldFindRequestsThatComeByteByByte() {
    Connected client = connect(new Noting());
    for (int i = 0; i < INPUT.length(); i++) {
      says(client, INPUT.substring(i, i + 1));
    }
    assertThat(seen).isEqualTo(REQUESTS);
  }

  /** Of a large buffer that little is left of, that is copied: what waits there goes along. */
  @Test
  void shouldGoOnWithARequestThatWaitedWhereItWas() {
    Connected client = connect(new Waiting());
    String much = "get " + "k".repeat(200) + "\r\n";
    String line = "get one two\r\n";
    says(client, much.repeat(100) + line);
    for (int i = 0; i <= 100; i++) {
      assertThat(seen).hasSize(i);
      client.client().advance();
    }
    assertThat(seen).hasSize(101).last().isEqualTo("GET|get|one|two=one");
  }

  @Test
  void shouldGoOnWithALineThatCameInParts() {
    Connected client = connect(new Waiting());
    says(client, "delete k");
    says(client, "ey\r\nget other\r\n");
    client.client().advance();
    assertThat(seen).containsExactly("DELETE|delete|key=key");
    client.client().advance();
    assertThat(seen).hasSize(2).last().isEqualTo("GET|get|other=other");
  }

  /** Idle clients have no request; those that wait have one each, which counts. */
  @Test
  void shouldTakeMemoryForRequestsOnlyWhileTheyWait() {
    says(connect(new Noting()), "get a\r\n");
    long before = memory.objects();
    List<Connected> idle = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      idle.add(connect(new Noting()));
      says(idle.get(i), "get a\r\nget b");
    }
    assertThat(memory.objects()).isEqualTo(before);
    List<Connected> waiting = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      waiting.add(connect(new Waiting()));
      says(waiting.get(i), "get a\r\n");
    }
    assertThat(memory.objects()).isGreaterThan(before + 99 * 500L);
    waiting.forEach(client -> client.connection().cut(DropReason.STOPPING));
    waiting.forEach(client -> client.channel().runPendingTasks());
    assertThat(memory.objects()).isLessThan(before + 20 * 1500L);
  }

  // --- long lines -------------------------------------------------------------------------------

  private static final int SHORT = LineMemory.SHORT;
  private static final int LONGEST = LineMemory.LONGEST;
  private static final int READ = 60_000; // as much as is read at once

  /** A get of length bytes, without its line end. */
  private static String get(int length) {
    String keys = ("k".repeat(200) + ' ').repeat(length / 201 + 1);
    return ("get " + keys).substring(0, length - 1) + "k";
  }

  /** Notes how long each request is. */
  private final class Measuring extends Noting {
    @Override
    public void handle(TextRequest request) {
      seen.add(request.command() + " " + request.length());
      request.reader().lineDone();
    }
  }

  /** Says text in reads, as far as the client is read. Returns what is left. */
  private String saysAsRead(Connected client, String text) {
    String left = text;
    while (!left.isEmpty() && client.channel().config().isAutoRead()) {
      int some = Math.min(READ, left.length());
      says(client, left.substring(0, some));
      left = left.substring(some);
    }
    return left;
  }

  @ParameterizedTest
  @ValueSource(ints = {SHORT - 1, SHORT, SHORT + 1, 5 * SHORT, LONGEST - 1})
  void shouldFindLongLinesWhereverTheyAreCut(int length) {
    String input = get(length) + "\r\nget x\r\n";
    int end = length + 2;
    for (int near : new int[] {5, SHORT, end - 3, end + 3}) {
      for (int cut = near - 4; cut <= near + 4; cut++) {
        seen.clear();
        Connected client = connect(new Measuring());
        says(client, input.substring(0, Math.min(cut, end)));
        if (cut < end) {
          assertThat(saysAsRead(client, input.substring(cut, end))).isEmpty();
        }
        says(client, input.substring(end));
        assertThat(seen).as("cut at %d", cut).containsExactly("GET " + end, "GET 7");
        assertThat(client.channel().isOpen()).isTrue();
      }
    }
    assertThat(memory.total()).isZero();
  }

  @Test
  void shouldCloseALineThatIsTooLong() {
    Connected client = connect(new Measuring());
    saysAsRead(client, get(LONGEST + 1));
    client.channel().runPendingTasks();
    assertThat(client.channel().isOpen()).isFalse();
  }

  /** They would fill the memory many times. Those that stop are closed when others wait. */
  @Test
  void shouldNotTakeMoreMemoryForLinesThatStopThanThereIs() {
    List<Connected> stopping = new ArrayList<>();
    List<String> left = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      stopping.add(connect(new Measuring()));
      left.add(get(900_000));
    }
    for (int times = 0; times < 100; times++) {
      for (int i = 0; i < stopping.size(); i++) {
        Connected client = stopping.get(i);
        if (client.channel().isOpen() && client.channel().config().isAutoRead()) {
          String rest = left.get(i);
          int some = Math.min(READ, rest.length());
          says(client, rest.substring(0, some));
          left.set(i, rest.substring(some));
        }
        assertThat(memory.total()).isLessThan(16 << 20);
      }
      loopState.sweep();
    }
    Connected good = connect(new Measuring());
    String[] rest = {get(900_000) + "\r\n"};
    boolean done =
        Patience.within(
            Duration.ofSeconds(60),
            () -> {
              loopState.sweep();
              rest[0] = saysAsRead(good, rest[0]);
              return !seen.isEmpty();
            });
    assertThat(done).isTrue();
    assertThat(seen).containsExactly("GET 900002");
  }

  /** The client had not read earlier replies when the memory came: its line had not begun. */
  @Test
  void shouldReleaseTheMemoryOfLinesThatNeverBegin() {
    List<Connected> first = new ArrayList<>();
    List<Connected> cut = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      first.add(connect(new Measuring()));
      saysAsRead(first.get(i), get(900_000));
    }
    for (int i = 0; i < 4; i++) {
      cut.add(connect(new Measuring()));
      says(cut.get(i), get(READ));
      cut.get(i).client().waitsForAll();
    }
    first.forEach(client -> client.channel().close());
    loopState.sweep();
    cut.forEach(client -> client.connection().cut(DropReason.STALLED));
    cut.forEach(client -> client.channel().runPendingTasks());
    assertThat(memory.total()).isZero();
    assertThat(saysAsRead(connect(new Measuring()), get(900_000) + "\r\n")).isEmpty();
    assertThat(seen).containsExactly("GET 900002");
  }

  /** The client may read its last replies slowly, and others wait for the memory meanwhile. */
  @Test
  void shouldReleaseTheMemoryOfALineThatIsTooLong() {
    Connected client = connect(new Measuring());
    client.client().newReply(Command.GET, ReplyKind.LINE, Suppression.NOTHING);
    saysAsRead(client, get(LONGEST + 1));
    assertThat(client.channel().isOpen()).isTrue();
    assertThat(memory.total()).isZero();
  }

  @Test
  void shouldLetALineTakeItsTimeWhileThereIsMemory() {
    Connected slow = connect(new Measuring());
    saysAsRead(slow, get(900_000));
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(2)) {
      loopState.sweep();
    }
    says(slow, "\r\n");
    assertThat(seen).containsExactly("GET 900002");
  }

  /** A client that leaves while its line waits: what it has sent is carried out. */
  @Test
  void shouldReadToTheEndWhenTheClientLeaves() {
    for (int i = 0; i < 4; i++) {
      saysAsRead(connect(new Measuring()), get(900_000));
    }
    Connected leaves = connect(new Noting());
    says(leaves, get(READ));
    assertThat(leaves.channel().config().isAutoRead()).isFalse();
    says(leaves, get(100) + "\r\nset k 0 0 1\r\nx\r\n");
    assertThat(seen).isEmpty();
    leaves.channel().close();
    assertThat(seen).hasSize(2).last().isEqualTo("SET|set|k|0|0|1+x");
  }

  // --- values that the gateway has itself -------------------------------------------------------

  private static final int VALUE = 300_000;
  private static final int CEILING = 16 << 20;

  /** Answers at once, except what has the key "slow". */
  private final class Answering extends Noting {
    @Override
    public void handle(TextRequest request) {
      seen.add(words(request));
      ConnectedClient client = request.client();
      boolean slow = request.line.string(1).equals("slow");
      request.reader().lineDone();
      if (slow) {
        client.newReply(Command.GET, ReplyKind.LINE, Suppression.NOTHING);
      } else {
        client.answer(Command.GET, Outcome.OK, loop.buffer(VALUE).writeZero(VALUE));
      }
    }
  }

  private static final String SLOW = "get slow\r\n";
  private static final String MANY = "get v\r\n".repeat(100);

  private List<Connected> connectMany() {
    return IntStream.range(0, 60).mapToObj(i -> connect(new Answering())).toList();
  }

  @Test
  void shouldHoldFewValuesBehindAReplyThatDoesNotCome() {
    PendingReply[] slow = new PendingReply[1];
    Connected client =
        connect(
            new Noting() {
              @Override
              public void handle(TextRequest request) {
                if (slow[0] != null) {
                  new Answering().handle(request);
                  return;
                }
                ConnectedClient client = request.client();
                request.reader().lineDone();
                slow[0] = client.newReply(Command.GET, ReplyKind.LINE, Suppression.NOTHING);
              }
            });
    says(client, SLOW + MANY);
    assertThat(memory.total()).isBetween((long) VALUE, 5L * VALUE);
    client.client().answer(slow[0], Unpooled.copiedBuffer("END\r\n", US_ASCII));
    assertThat(seen).hasSize(100);
    assertThat(memory.total()).isZero();
  }

  @Test
  void shouldHoldNoMoreValuesForManyClientsThanThereIsMemory() {
    connectMany().forEach(client -> says(client, SLOW + MANY));
    for (int i = 0; i < 50; i++) {
      loopState.sweep();
    }
    assertThat(memory.total()).isBetween((long) CEILING / 2, CEILING + 4L * VALUE);
  }

  @Test
  void shouldResumeNoMoreClientsThanThereIsMemoryFor() {
    memory.add(CEILING);
    List<Connected> clients = connectMany();
    clients.forEach(client -> says(client, SLOW + MANY));
    assertThat(seen).isEmpty();
    memory.add(-CEILING);
    loopState.sweep();
    assertThat(memory.total()).isBetween((long) CEILING / 2, CEILING + 4L * VALUE);
  }

  /** All of them may have waited for the same server. */
  @Test
  void shouldNotGoOnWithoutMemoryAfterAnotherWait() {
    List<Connected> clients = connectMany();
    for (Connected client : clients) {
      client.client().waitsForAll();
      says(client, "get v\r\nget v\r\n");
    }
    memory.add(CEILING);
    clients.forEach(client -> client.client().advance());
    assertThat(seen).isEmpty();
    for (int i = 0; i < 100; i++) { // one after the other has its turn
      loopState.sweep();
    }
    assertThat(seen).hasSizeBetween(1, 10);
    memory.add(-CEILING);
    boolean done =
        Patience.within(
            Duration.ofSeconds(60),
            () -> {
              loopState.sweep();
              channels.forEach(EmbeddedChannel::runPendingTasks);
              return seen.size() == clients.size() * 2;
            });
    assertThat(done).isTrue();
  }
}
