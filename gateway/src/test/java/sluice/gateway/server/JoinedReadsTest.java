package sluice.gateway.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.net.SocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.buffer.KeyHash;
import sluice.gateway.loop.Loop;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.loop.Outbound;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.request.PatientRequester;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.RequestPool;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.connection.SocketTransport;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.server.protocol.text.TextProtocol;
import sluice.names.Command;
import sluice.testkit.LogLines;

/**
 * Gets of several clients leave as one line, and each has its own reply: whatever is found and
 * whatever is not, wherever the reply is cut, and whoever is gone meanwhile.
 */
class JoinedReadsTest {
  private static final LoopMetrics METRICS = new GatewayMetrics().newLoop();
  private static final long SECOND = 1_000_000_000L;
  private static final String FAILED = "failed\r\n";

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
  private final MemoryShare memory = MemoryShare.of(1, 64 << 20)[0];
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final RequestPool requestPool = new RequestPool();
  private final Loop loop = new Loop(channel.eventLoop(), allocator, memory, METRICS);
  private ServerConnection connection;

  /** A client with one request under way at most, that takes everything at once. */
  private static final class Client extends PatientRequester {
    final StringBuilder read = new StringBuilder();
    PendingReply asked;

    @Override
    public boolean isTurnOf(PendingReply pending) {
      return true;
    }

    @Override
    public void reply(ByteBuf bytes) {
      reply(bytes, bytes.readerIndex(), bytes.readableBytes());
      bytes.release();
    }

    @Override
    public void reply(ByteBuf source, int from, int length) {
      read.append(source.toString(from, length, ISO_8859_1));
    }

    @Override
    public boolean completed(PendingReply pending) {
      assertThat(pending).isSameAs(asked);
      asked = null;
      return false;
    }

    @Override
    public void advance() {
      if (asked != null && asked.isComplete()) {
        PendingReply pending = asked;
        pending.writeSlices();
        completed(pending);
      }
    }

    @Override
    public ByteBuf failureReply(PendingReply pending, String reason) {
      return Unpooled.copiedBuffer(FAILED, ISO_8859_1);
    }

    @Override
    public void abandon(String reason) {
      read.append("closed");
      asked.detach();
      asked.releaseSlices();
      asked = null;
    }

    /** As if its connection had been closed. */
    void leaves() {
      asked.detach();
      asked.releaseSlices();
      asked = null;
    }
  }

  @BeforeEach
  void connect() {
    connect("1.6.18");
  }

  private void connect(String version) {
    SocketAddress nowhere = SocketAddress.inetSocketAddress(1, "127.0.0.1");
    ServerSettings settings =
        new ServerSettings(nowhere, null, null, 1, 1, SECOND, SECOND, SECOND, SECOND, 0, 0, 0, 0);
    ServerStatus status = new ServerStatus("p", "s");
    Server server =
        new Server(loop, null, requestPool, status, TextProtocol.INSTANCE, settings, METRICS);
    connection = server.made(0, new SocketTransport(server.context().reports()));
    channel.pipeline().addLast(connection);
    channel.writeInbound(Unpooled.copiedBuffer("VERSION " + version + "\r\n", ISO_8859_1));
    sent();
    assertThat(connection.isUsable()).isTrue();
  }

  @AfterEach
  void shouldLeaveNothing() {
    channel.finishAndReleaseAll();
    assertThat(memory.total()).as("bytes counted as buffered").isZero();
    assertThat(allocator.metric().usedDirectMemory()).as("direct bytes leaked").isZero();
  }

  /** What has been sent to the server since the last call. */
  private String sent() {
    channel.runPendingTasks();
    channel.checkException();
    return Outbound.text(channel);
  }

  private Client ask(Command command, String key) {
    Client client = new Client();
    ask(client, command, key);
    return client;
  }

  private void ask(Client client, Command command, String key) {
    ByteBuf bytes = Unpooled.copiedBuffer(key, ISO_8859_1);
    PendingReply pending = requestPool.take();
    pending.start(client, command, ReplyKind.VALUES, Suppression.NOTHING, loop.now());
    pending.sent().addKey(KeyHash.of(bytes, 0, key.length()));
    client.asked = pending;
    connection.ask(pending, bytes, 0, key.length());
  }

  private List<Client> askAll(String... keys) {
    return Arrays.stream(keys).map(key -> ask(Command.GET, key)).toList();
  }

  private void answer(String bytes) {
    if (channel.isOpen() && !bytes.isEmpty()) {
      channel.writeInbound(Unpooled.copiedBuffer(bytes, ISO_8859_1));
      channel.runPendingTasks();
    }
  }

  /** A value that looks like what ends and begins values, of a length that differs by key. */
  private static String value(String key) {
    String data = ("END\r\nVALUE " + key + " 0 1\r\n").repeat(key.charAt(0) - 'a' + 1);
    return "VALUE " + key + " 7 " + data.length() + "\r\n" + data + "\r\n";
  }

  private static List<String> readBy(List<Client> clients) {
    return clients.stream().map(client -> client.read.toString()).toList();
  }

  @Test
  void shouldAskForAllInOneLineAndEndEachReply() {
    List<Client> clients = askAll("a", "b", "c", "d");
    assertThat(sent()).isEqualTo("get a b c d\r\n");
    answer(value("a") + value("c") + "END\r\n");
    assertThat(readBy(clients))
        .containsExactly(value("a") + "END\r\n", "END\r\n", value("c") + "END\r\n", "END\r\n");
    assertThat(connection.inFlight()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b c", "a a b", "a b b", "c a c", "a a a"})
  void shouldTellRepliesApartWhereverTheyAreCut(String asked) {
    String[] keys = asked.split(" ");
    for (int found = 0; found < 8; found++) {
      StringBuilder reply = new StringBuilder();
      List<String> expected = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        // Of one key all are found or none, as from a server that nobody writes to meanwhile.
        boolean hit = (found & 1 << Arrays.asList(keys).indexOf(keys[i])) != 0;
        reply.append(hit ? value(keys[i]) : "");
        expected.add((hit ? value(keys[i]) : "") + "END\r\n");
      }
      String whole = reply + "END\r\n";
      for (int cut = 0; cut < whole.length(); cut++) {
        for (int second = cut; second < whole.length(); second += 1 + whole.length() / 7) {
          List<Client> clients = askAll(keys);
          assertThat(sent()).isEqualTo("get " + asked + "\r\n");
          answer(whole.substring(0, cut));
          answer(whole.substring(cut, second));
          answer(whole.substring(second));
          assertThat(readBy(clients)).as("cut at %d and %d", cut, second).isEqualTo(expected);
        }
      }
    }
  }

  @Test
  void shouldKnowTheSecondOfTwoEqualKeysWhenOneWasFound() {
    List<Client> clients = askAll("a", "a", "b");
    assertThat(sent()).isEqualTo("get a a b\r\n");
    answer(value("a") + value("b") + "END\r\n");
    assertThat(readBy(clients))
        .containsExactly(value("a") + "END\r\n", "END\r\n", value("b") + "END\r\n");
  }

  @Test
  void shouldKeepTheOrderOfWhatIsNotAskedAlike() {
    List<Client> first = askAll("a", "b");
    Client third = ask(Command.GETS, "c");
    Client ping = new Client();
    ping.asked = requestPool.take();
    ping.asked.start(ping, Command.DELETE, ReplyKind.DELETED, Suppression.NOTHING, loop.now());
    connection.expect(ping.asked);
    connection.write(Unpooled.copiedBuffer("delete a\r\n", ISO_8859_1));
    List<Client> last = askAll("a", "b");
    assertThat(sent()).isEqualTo("get a b\r\ngets c\r\ndelete a\r\nget a b\r\n");
    answer(value("a") + "END\r\nEND\r\nDELETED\r\n" + value("b") + "END\r\n");
    assertThat(readBy(first)).containsExactly(value("a") + "END\r\n", "END\r\n");
    assertThat(third.read).hasToString("END\r\n");
    assertThat(ping.read).hasToString("DELETED\r\n");
    assertThat(readBy(last)).containsExactly("END\r\n", value("b") + "END\r\n");
  }

  @Test
  void shouldBeginAnotherLineBeforeOneIsTooLong() {
    List<String> keys =
        IntStream.range(0, 9).mapToObj(i -> String.valueOf((char) ('a' + i)).repeat(250)).toList();
    List<Client> clients = askAll(keys.toArray(String[]::new));
    List<String> lines = sent().lines().toList();
    assertThat(lines).hasSize(3).allMatch(line -> line.length() < 1024);
    assertThat(lines.stream().flatMap(line -> Stream.of(line.split(" "))).filter(keys::contains))
        .isEqualTo(keys);
    answer("END\r\n".repeat(3));
    assertThat(readBy(clients)).containsOnly("END\r\n");
  }

  @Test
  void shouldPassALargeValueOnAmongSmallOnes() {
    String large = "VALUE b 0 100000\r\n" + "x".repeat(100_000) + "\r\n";
    List<Client> clients = askAll("a", "b", "c");
    assertThat(sent()).isEqualTo("get a b c\r\n");
    String whole = value("a") + large + value("c") + "END\r\n";
    for (int from = 0; from < whole.length(); from += 30_000) {
      answer(whole.substring(from, Math.min(whole.length(), from + 30_000)));
    }
    assertThat(readBy(clients))
        .containsExactly(value("a") + "END\r\n", large + "END\r\n", value("c") + "END\r\n");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void shouldDropTheReplyOfWhoIsGone(int gone) {
    String whole = value("a") + value("b") + value("c") + "END\r\n";
    for (int when = 0; when < whole.length(); when++) {
      List<Client> clients = askAll("a", "b", "c");
      sent();
      answer(whole.substring(0, when));
      Client leaving = clients.get(gone);
      if (leaving.asked != null) {
        leaving.leaves();
      }
      answer(whole.substring(when));
      for (int i = 0; i < 3; i++) {
        if (i != gone) {
          assertThat(clients.get(i).read)
              .as("gone at %d", when)
              .hasToString(value("abc".substring(i, i + 1)) + "END\r\n");
        }
      }
      assertThat(connection.inFlight()).isZero();
    }
  }

  static Stream<List<String>> lies() {
    return Stream.of(
        // what was not asked for; nobody may have it, and none be told of a miss that was none
        List.of("VALUE z 0 1\r\n1\r\nEND\r\n", FAILED, FAILED, FAILED),
        List.of(value("a") + "VALUE z 0 1\r\n1\r\nEND\r\n", FAILED, FAILED, FAILED),
        // twice
        List.of(value("a") + value("a"), FAILED, FAILED, FAILED),
        List.of(value("c") + value("c"), "END\r\n", "END\r\n", FAILED),
        // in another order
        List.of(value("b") + value("a"), "END\r\n", FAILED, FAILED),
        // no reply to a read
        List.of("STORED\r\n", FAILED, FAILED, FAILED),
        List.of(value("a") + "STORED\r\n", FAILED, FAILED, FAILED),
        // a key that begins as one that was asked for
        List.of("VALUE aa 0 1\r\n1\r\nEND\r\n", FAILED, FAILED, FAILED));
  }

  @ParameterizedTest
  @MethodSource("lies")
  void shouldGiveNobodyWhatTheServerGotWrong(List<String> lie) {
    List<Client> clients = askAll("a", "b", "c");
    sent();
    answer(lie.get(0));
    assertThat(channel.isOpen()).isFalse();
    assertThat(readBy(clients)).isEqualTo(lie.subList(1, 4));
  }

  /** A server that does not keep the order gets a line for each key, instead of doing it again. */
  @ParameterizedTest
  @ValueSource(strings = {"b a", "c a", "c b"})
  void shouldJoinNoMoreReadsBehindValuesInAnotherOrder(String order) {
    askAll("a", "b", "c");
    sent();
    answer(value(order.substring(0, 1)) + value(order.substring(2)) + "END\r\n");
    assertThat(channel.isOpen()).isFalse();
    assertThat(connection.joinsReads()).isFalse();
  }

  /** memcached's own proxy says more behind an error: that must be nobody's reply. */
  @ParameterizedTest
  @ValueSource(strings = {"", "a", "b", "c"})
  void shouldTrustNoLineWithAnErrorInIt(String found) {
    List<Client> clients = askAll("a", "b", "c");
    Client next = ask(Command.GETS, "d");
    sent();
    try (LogLines log = LogLines.of("sluice.gateway.server")) {
      answer((found.isEmpty() ? "" : value(found)) + "SERVER_ERROR backend failure\r\nEND\r\n");
      assertThat(log.lines())
          .anyMatch(
              line ->
                  line.contains("found \"SERVER_ERROR backend failure")
                      && line.contains("from now on, each key gets a line of its own"));
    }
    assertThat(channel.isOpen()).isFalse();
    assertThat(readBy(clients)).allMatch(read -> read.equals(FAILED) || read.equals("END\r\n"));
    assertThat(next.read).hasToString(FAILED);
    assertThat(connection.joinsReads()).isFalse();
  }

  static IntStream cuts() {
    return IntStream.range(0, (value("a") + value("c") + "END\r\n").length());
  }

  /** Whatever had come: what is whole is answered, the others hear of the end. */
  @ParameterizedTest
  @MethodSource("cuts")
  void shouldTellAllWhoWaitWhenTheServerDies(int cut) {
    List<Client> clients = askAll("a", "b", "c");
    sent();
    answer((value("a") + value("c") + "END\r\n").substring(0, cut));
    channel.close();
    channel.runPendingTasks();
    assertThat(clients).allMatch(client -> client.asked == null && client.held() == 0);
    String lineOfNext = value("c").substring(0, value("c").indexOf('\n') + 1);
    boolean firstIsWhole = cut >= (value("a") + lineOfNext).length();
    assertThat(readBy(clients))
        .isEqualTo(
            firstIsWhole
                ? List.of(value("a") + "END\r\n", "END\r\n", FAILED)
                : List.of(FAILED, FAILED, FAILED));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.5.0", "mcrouter 41", "1.6", "1.8.1", "11.4.0"})
  void shouldAskWhatIsNotMemcachedForEachByItself(String version) {
    channel.pipeline().removeLast();
    connect(version);
    assertThat(connection.joinsReads()).isFalse();
  }

  @Test
  void shouldJoinReadsOfMemcached() {
    assertThat(connection.joinsReads()).isTrue();
  }
}
