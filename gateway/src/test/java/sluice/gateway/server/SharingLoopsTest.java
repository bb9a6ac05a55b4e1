package sluice.gateway.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.memcached.ServerVersion;
import sluice.config.model.DurationRange;
import sluice.config.model.HealthConfig;
import sluice.config.model.LimitsConfig;
import sluice.gateway.loop.MemoryShare;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.server.connection.ServerConnection;
import sluice.gateway.server.connection.Slot;
import sluice.gateway.server.health.PoolHealth;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.server.shared.LoopMailboxes;
import sluice.gateway.server.shared.SharedServers;
import sluice.names.Command;
import sluice.testkit.ExpectedErrors;

/** Two event loops, one with a connection and its sharer, which do their work in any order. */
class SharingLoopsTest {
  private static final long MILLI = 1_000_000;
  private static final long LONG = TimeUnit.HOURS.toNanos(1);
  private static final String ANSWERED_EARLY = "SERVER_ERROR object too large for cache\r\n";

  /** Runs out of memory when told so. */
  private static final class Allocator extends AbstractByteBufAllocator {
    private final UnpooledByteBufAllocator from = new UnpooledByteBufAllocator(false);
    private boolean exhausted;

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
      return from.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
      if (exhausted) {
        throw new OutOfMemoryError("as asked");
      }
      return from.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }

    long used() {
      return from.metric().usedDirectMemory();
    }
  }

  private final Allocator allocator = new Allocator();
  private final ServerStatus status = new ServerStatus("p", "s");
  private List<LoopMailboxes> mailboxes;
  private SharingLoop host;
  private SharingLoop sharer;
  private SharingLoop.Socket socket;
  private ServerConnection pipe; // the sharer's
  private SharingLoop.Client hosts;
  private SharingLoop.Client sharers;

  private void begin(long timeoutNanos, long hostAsksAfterNanos) {
    mailboxes = LoopMailboxes.of(2);
    SharedServers servers = new SharedServers(2);
    MemoryShare[] memory = MemoryShare.of(2, 64 << 20);
    host =
        new SharingLoop(
            mailboxes.get(0),
            servers,
            memory[0],
            allocator,
            status,
            timeoutNanos,
            hostAsksAfterNanos);
    sharer =
        new SharingLoop(
            mailboxes.get(1), servers, memory[1], allocator, status, timeoutNanos, LONG);
    socket = host.socket(0);
    hosts = host.new Client();
    sharers = sharer.new Client();
    pipe = connect();
  }

  private ServerConnection connect() {
    sharer.server.warmUp();
    runBoth();
    ServerConnection made = sharer.server.connection(0);
    assertThat(made).isNotNull();
    return made;
  }

  private void runBoth() {
    for (int i = 0; i < 4; i++) {
      host.run();
      sharer.run();
    }
    socket.runPendingTasks();
    host.run();
    sharer.run();
  }

  @AfterEach
  void shouldHoldNothing() {
    host.server.close();
    sharer.server.close();
    socket.finishAndReleaseAll();
    runBoth();
    assertThat(host.loop.memory().total()).as("bytes counted as buffered").isZero();
    assertThat(allocator.used()).as("direct bytes leaked").isZero();
  }

  private static String found(String key, String value) {
    return "VALUE " + key + " 0 " + value.length() + "\r\n" + value + "\r\nEND\r\n";
  }

  // --- in any order --------------------------------------------------------------------

  /** The value of a key: of any length, so that some are copied, some sliced, some held. */
  private static String valueOf(String key) {
    Random dice = new Random(key.hashCode());
    int length = dice.nextInt(8) == 0 ? dice.nextInt(60_000) : dice.nextInt(700);
    return key.repeat(length / key.length() + 1).substring(0, length);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void shouldAnswerEachRequestOnceAndWithItsOwnReply(long block) {
    interleave(block);
  }

  @Tag("long")
  @ParameterizedTest
  @ValueSource(longs = {5, 6, 7, 8})
  void shouldAnswerEachRequestOnceAndWithItsOwnReplyInOtherOrders(long block) {
    interleave(block);
  }

  private void interleave(long block) {
    for (long seed = block * 1000; seed < block * 1000 + 50; seed++) {
      try {
        new Interleaving(seed).play();
        shouldHoldNothing();
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
  }

  private final class Interleaving {
    private final Random dice;
    private final boolean dies;
    private final List<String> hostsKeys = new ArrayList<>();
    private final List<String> keysOfSharers = new ArrayList<>();
    private final StringBuilder lines = new StringBuilder();
    private final StringBuilder answers = new StringBuilder();
    private int keys;

    Interleaving(long seed) {
      dice = new Random(seed);
      dies = dice.nextInt(3) == 0;
      begin(LONG, LONG);
    }

    void play() {
      for (int step = 0; step < 200; step++) {
        step();
      }
      if (dies) {
        socket.close();
      }
      hosts.full(false);
      sharers.full(false);
      socket.stuck = false;
      do {
        socket.takes();
        host.sweep(); // where a sharer that reads again is noticed at the latest
        runBoth();
        serve();
        tell(answers.length());
        runBoth();
      } while (!dies && (!hosts.waiting.isEmpty() || !sharers.waiting.isEmpty()) && keys-- > 0);
      check(hosts, hostsKeys);
      check(sharers, keysOfSharers);
    }

    private void step() {
      switch (dice.nextInt(14)) {
        case 0, 1, 2 -> ask(host, hosts, hostsKeys);
        case 3, 4, 5 -> ask(sharer, sharers, keysOfSharers);
        case 6, 7 -> host.run();
        case 8, 9 -> sharer.run();
        case 10 -> serve();
        case 11 -> tell(dice.nextInt(answers.length() + 1));
        case 12 -> (dice.nextBoolean() ? hosts : sharers).full(dice.nextInt(4) == 0);
        default -> {
          socket.stuck = dice.nextInt(4) == 0;
          if (!socket.stuck) {
            socket.takes();
          }
          (dice.nextBoolean() ? host : sharer).sweep();
        }
      }
    }

    private void ask(SharingLoop loop, SharingLoop.Client client, List<String> asked) {
      ServerConnection connection = loop == host ? socket.connection : pipe;
      if (!connection.isOpen()) {
        return;
      }
      for (int i = dice.nextInt(3); i >= 0; i--) {
        String key = (loop == host ? "h" : "g") + keys++;
        asked.add(key);
        if (loop == host && dice.nextBoolean()) {
          client.join(socket.connection, key);
        } else if (dice.nextInt(6) > 0) {
          client.get(connection, key);
        } else { // two of them are more than a pipe takes
          String filler = "get " + key + " ".repeat(40_000 + dice.nextInt(60_000)) + "\r\n";
          client.ask(connection, Command.GET, ReplyKind.VALUES, key, filler);
        }
      }
    }

    /** The server reads, and knows what it has to say. */
    private void serve() {
      lines.append(socket.asked());
      for (int end = lines.indexOf("\r\n"); end >= 0; end = lines.indexOf("\r\n")) {
        String wanted = lines.substring("get ".length(), end).strip();
        assertThat(wanted).matches("[gh]\\d+|h\\d+( h\\d+)+");
        lines.delete(0, end + 2);
        for (String key : wanted.split(" ", -1)) {
          answers.append(found(key, valueOf(key)).replaceFirst("END\r\n$", ""));
        }
        answers.append("END\r\n");
      }
    }

    private void tell(int length) {
      if (length > 0 && socket.isOpen() && socket.config().isAutoRead()) {
        String text = answers.substring(0, length);
        answers.delete(0, length);
        socket.answer(text);
      }
    }

    /** Each has its own reply; behind where a connection was lost, if it was, its failure. */
    private void check(SharingLoop.Client client, List<String> asked) {
      assertThat(client.waiting).isEmpty();
      int at = 0;
      int answered = 0;
      for (String key : asked) {
        String reply = found(key, valueOf(key));
        if (!client.got.substring(at).startsWith(reply)) {
          break;
        }
        at += reply.length();
        answered++;
      }
      String rest = client.got.substring(at);
      if (!dies) {
        assertThat(rest).isEmpty();
        assertThat(answered).isEqualTo(asked.size());
        return;
      }
      int lost = asked.size() - answered - client.abandoned;
      if (client.abandoned > 0 && lost >= 0) {
        String begun = found(asked.get(answered), valueOf(asked.get(answered)));
        int failures = rest.indexOf("! ");
        String part = failures < 0 ? rest : rest.substring(0, failures);
        assertThat(begun).startsWith(part);
        rest = rest.substring(part.length());
      }
      assertThat(rest.lines().filter(line -> line.startsWith("! "))).hasSize(lost);
      assertThat(rest.lines().filter(line -> !line.startsWith("! "))).isEmpty();
    }
  }

  /** Replies that came before a connection was lost are those of requests that were answered. */
  @Test
  void shouldHandOverWhatCameBeforeABrokenReply() throws Exception {
    begin(LONG, LONG);
    for (int i = 0; i < 3; i++) {
      sharers.get(pipe, "g" + i);
    }
    runBoth();
    socket.answer(found("g0", "x") + found("g1", "y") + "nonsense\r\n");
    runBoth();
    socket.runPendingTasks();
    runBoth();
    assertThat(sharers.got.toString()).startsWith(found("g0", "x") + found("g1", "y") + "! ");
    assertThat(sharers.waiting).isEmpty();
  }

  /** Other connections may lead to other processes: one that reads lines in another way, say. */
  @Test
  void shouldKnowTheVersionOfTheProcessAtTheEndOfAPipe() {
    begin(LONG, LONG);
    sharer.server.status().version(new ServerVersion(1, 6, 45));
    assertThat(sharer.server.version()).hasToString("1.6.45");
    assertThat(socket.connection.version()).hasToString("1.6.18");
    assertThat(pipe.version()).hasToString("1.6.18");
  }

  @Test
  void shouldForgetWhatAGuestHadYetToReadWhenItGoes() {
    begin(LONG, LONG);
    for (int i = 0; i < 3; i++) {
      sharers.get(pipe, "g" + i);
    }
    runBoth();
    sharers.full(true);
    socket.answer(found("g0", "x"));
    sharer.run();
    socket.answer(found("g1", "y")); // which the sharer does not read
    sharer.run();
    assertThat(sharer.loop.memory().total()).isPositive();
    pipe.fail("of itself");
    runBoth();
    sharers.full(false);
    assertThat(sharers.waiting).isEmpty();
    socket.answer(found("g2", "z")); // which nobody waits for
    hosts.get(socket.connection, "h");
    runBoth();
    socket.answer(found("h", "x"));
    assertThat(hosts.got.toString()).isEqualTo(found("h", "x"));
  }

  /** What had come before the connection ended was put off for a client that did not take it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldDeliverWhatWasPutOffForASlowClientWhenTheServerCloses(boolean ofSharer) {
    begin(LONG, LONG);
    SharingLoop.Client client = ofSharer ? sharers : hosts;
    for (String key : List.of("a", "b", "c", "d")) {
      client.getGrown(ofSharer ? pipe : socket.connection, key);
    }
    runBoth();
    assertThat(socket.asked()).contains("get d\r\n");
    client.full(true);
    socket.answer(found("a", "x") + found("b", "y") + found("c", "z"));
    runBoth();
    socket.close();
    runBoth();
    client.full(false);
    assertThat(pipe.isAccepting()).as("a request may take it for open").isFalse();
    runBoth();
    assertThat(client.got.toString())
        .startsWith(found("a", "x!") + found("b", "y!") + found("c", "z!") + "! ")
        .contains("closed the connection");
    assertThat(client.waiting).isEmpty();
  }

  // --- back-pressure --------------------------------------------------------------------------

  /** Requests of others keep the queue from ever being empty: that is no reason to wait. */
  @Test
  void shouldTellThoseWhoWaitForAServerThatItIsThereThoughOthersUseIt() {
    begin(LONG, -1); // the server is always checked first
    List<String> told = new ArrayList<>();
    assertThat(host.server.connection(0)).isNull();
    host.server.await(waiter(told));
    assertThat(socket.asked()).isEqualTo("version\r\n");
    sharers.get(pipe, "g");
    sharer.run();
    assertThat(socket.asked()).endsWith("get g\r\n");
    socket.answer("VERSION 1.6.18\r\n");
    assertThat(told).containsExactly("changed");
    socket.answer(found("g", "x"));
    runBoth();
  }

  private static ServerWaiter waiter(List<String> told) {
    return new ServerWaiter() {
      @Override
      public void serverChanged() {
        told.add("changed");
      }

      @Override
      public void serverTooLate(String reason) {
        told.add(reason);
      }

      @Override
      public long waitingSince() {
        return System.nanoTime();
      }
    };
  }

  /** What was not read because of a host's client is not the server's silence. */
  @Test
  void shouldNotBlameAServerForTheTimeAHostDoesNotRead() throws Exception {
    long timeout = 300 * MILLI;
    for (boolean sure = false; !sure; ) {
      begin(timeout, LONG);
      hosts.get(socket.connection, "h");
      host.run();
      sharers.get(pipe, "g");
      runBoth();
      String reply = found("g", "value");
      hosts.full(true);
      socket.answer(found("h", "x") + reply.substring(0, 16));
      runBoth();
      assertThat(socket.config().isAutoRead()).isFalse();
      TimeUnit.NANOSECONDS.sleep(timeout + 50 * MILLI);
      host.loop.tick();
      long resumed = System.nanoTime();
      hosts.full(false);
      sharer.sweep();
      sure = sharer.loop.now() - resumed < timeout / 2; // or this machine was busy
      if (sure) {
        socket.answer(reply.substring(16));
        runBoth();
        assertThat(sharers.got.toString()).isEqualTo(reply);
      } else {
        shouldHoldNothing();
      }
    }
  }

  /** A sharer that is far behind with reading costs the host's clients a part of the timeout. */
  @Test
  void shouldAnswerAHostsClientThoughAGuestIsBehind() throws Exception {
    begin(1000 * MILLI, LONG);
    sharers.get(pipe, "g");
    runBoth();
    hosts.get(socket.connection, "h");
    host.run();
    socket.answer(
        "VALUE g 0 3000000\r\n" + "x".repeat(1_500_000)); // which the sharer has yet to read
    assertThat(socket.config().isAutoRead()).isFalse();
    TimeUnit.MILLISECONDS.sleep(70);
    host.sweep();
    assertThat(socket.config().isAutoRead()).as("it is read on").isTrue();
    socket.answer("x".repeat(1_500_000) + "\r\nEND\r\n" + found("h", "x"));
    assertThat(hosts.got.toString()).isEqualTo(found("h", "x"));
  }

  /** The connection that replaces one for a while is the only one in the end. */
  @Test
  void shouldCloseAConnectionThatAnotherHasReplaced() {
    begin(LONG, LONG);
    hosts.get(socket.connection, "h");
    host.run();
    hosts.full(true);
    socket.answer(found("h", "x"));
    hosts.full(false); // before the other is there: it takes requests again
    SharingLoop.Socket other = host.socket(0);
    runBoth();
    other.runPendingTasks();
    socket.runPendingTasks();
    runBoth();
    socket.runPendingTasks();
    assertThat(socket.isOpen()).isFalse();
    assertThat(other.isOpen()).isTrue();
    other.finishAndReleaseAll();
  }

  /** Work on values is no slow client: others use the connection on, and none is made beside it. */
  @Test
  void shouldNotDismissAGuestThatWorksOnAValue() {
    begin(LONG, LONG);
    sharers.getGrown(pipe, "a");
    sharers.getGrown(pipe, "b");
    sharers.get(pipe, "c");
    runBoth();
    String reply = found("c", "z".repeat(300_000));
    List<Boolean> reads = new ArrayList<>();
    GrowingValue.by = 5 << 20;
    try {
      socket.answer(found("a", "x") + found("b", "y"));
      sharer
          .loop
          .eventLoop()
          .execute( // before the guest reads on
              () -> {
                reads.add(pipe.channel().config().isAutoRead());
                socket.answer(reply.substring(0, 200_000));
                reads.add(socket.connection.isAccepting());
              });
      runBoth();
    } finally {
      GrowingValue.by = 1;
    }
    assertThat(reads).containsExactly(false, true);
    socket.answer(reply.substring(200_000));
    runBoth();
    assertThat(sharers.waiting).isEmpty();
    assertThat(sharers.got.toString().endsWith(reply)).isTrue();
    assertThat(pipe.isAccepting()).isTrue();
  }

  // --- loops that stand still -----------------------------------------------------------------

  /** A loop that does nothing for a while is handed a megabyte of replies, and then no more. */
  @Test
  void shouldReadNoMoreForAGuestThatStandsStillThanItMayOwe() {
    begin(LONG, LONG);
    sharers.get(pipe, "g");
    runBoth();
    int read = 16 * 1024;
    String reply = found("g", "x".repeat(200 * read));
    int sent = 0;
    long most = 0;
    for (; sent < reply.length() && socket.config().isAutoRead(); sent += read) {
      socket.answer(reply.substring(sent, sent + read));
      most = Math.max(most, host.loop.memory().total());
    }
    assertThat(most).isBetween(1L << 20, (1L << 20) + 2L * read);
    while (sent < reply.length()) {
      runBoth();
      assertThat(socket.config().isAutoRead()).isTrue();
      int next = Math.min(sent + read, reply.length());
      socket.answer(reply.substring(sent, next));
      sent = next;
    }
    runBoth();
    assertThat(sharers.got.toString().equals(reply)).isTrue();
  }

  /** What waits for a loop that does nothing is little, and then its sharers' clients wait. */
  @Test
  void shouldSendNoMoreToAHostThatStandsStillThanItsSocketMayOwe() {
    begin(LONG, LONG);
    StringBuilder asked = new StringBuilder();
    StringBuilder replies = new StringBuilder();
    for (int i = 0; pipe.channel().isWritable() && asked.length() < 1 << 20; i++) {
      String key = "key" + i;
      sharers.get(pipe, key);
      sharer.run(); // one request a turn: as many batches as can be
      asked.append("get ").append(key).append("\r\n");
      replies.append(found(key, key));
    }
    assertThat(pipe.channel().isWritable()).isFalse();
    assertThat(sharer.loop.memory().total()).isLessThan((128 + 64 + 1) * 1024);
    assertThat(mailboxes.get(0).mailbox().waiting())
        .isLessThan((128 * 1024) / "get key0\r\n".length());
    StringBuilder heard = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      runBoth();
      heard.append(socket.asked());
    }
    assertThat(heard.toString()).isEqualTo(asked.toString());
    socket.answer(replies.toString());
    runBoth();
    assertThat(sharers.got.toString()).isEqualTo(replies.toString());
  }

  /** However often a connection stops and goes on for the host's clients meanwhile. */
  @Test
  void shouldTellAGuestThatStandsStillOnceThatItIsToGoElsewhere() {
    begin(LONG, LONG);
    for (int i = 0; i < 200; i++) {
      hosts.get(socket.connection, "h");
      host.run();
      hosts.full(true);
      socket.answer(found("h", "x"));
      hosts.full(false);
    }
    assertThat(mailboxes.get(1).mailbox().waiting()).isBetween(1, 2);
    runBoth();
    assertThat(pipe.isOpen()).isFalse();
  }

  // --- exclusive connection
  // -----------------------------------------------------------------------

  private ServerConnection borrow() {
    List<ServerConnection> acquired = new ArrayList<>();
    sharer.server.acquire(new Borrower(acquired));
    runBoth();
    assertThat(acquired).hasSize(1);
    return acquired.get(0);
  }

  /** A request that waits for a connection as long as it has none. */
  private record Borrower(List<ServerConnection> acquired) implements ExclusivePool.Acquirer {
    @Override
    public void acquired(ServerConnection connection) {
      acquired.add(connection);
    }

    @Override
    public void refused(String reason) {
      throw new AssertionError(reason);
    }

    @Override
    public boolean isWaiting() {
      return true;
    }
  }

  /** Otherwise one that sends its value slowly is closed although none waits. */
  @Test
  void shouldKnowOnEachLoopWhetherAClientWaitsForAConnection() {
    begin(LONG, LONG);
    SharingLoop.Socket exclusive = host.socket(Slot.EXCLUSIVE);
    ServerConnection acquired = borrow();
    assertThat(sharer.server.lacksConnections()).isFalse();
    assertThat(host.server.lacksConnections()).isFalse();

    Borrower waiting = new Borrower(new ArrayList<>());
    host.server.acquire(waiting);
    assertThat(sharer.server.lacksConnections()).isTrue();
    assertThat(host.server.lacksConnections()).isTrue();

    host.server.doesNotWait(waiting);
    assertThat(sharer.server.lacksConnections()).isFalse();
    assertThat(host.server.lacksConnections()).isFalse();
    sharer.server.release(acquired);
    runBoth();
    exclusive.finishAndReleaseAll();
  }

  private void store(ServerConnection acquired, int length) {
    sharers.ask(acquired, Command.SET, ReplyKind.STORED, "k", "set k 0 0 " + length + "\r\n");
    sharers.say(acquired, "x".repeat(length / 2));
    runBoth();
  }

  /** What is acquired next must not begin inside a value that the server still waits for. */
  @Test
  void shouldNotLendAConnectionAgainWhoseRequestHasNotLeft() {
    begin(LONG, LONG);
    SharingLoop.Socket exclusive = host.socket(Slot.EXCLUSIVE);
    ServerConnection acquired = borrow();
    store(acquired, 600_000);
    exclusive.asked();
    exclusive.stuck = true;
    sharers.say(acquired, "x".repeat(150_000));
    runBoth();
    sharers.say(acquired, "x".repeat(150_000) + "\r\n");
    runBoth();
    exclusive.answer(ANSWERED_EARLY);
    runBoth();
    assertThat(sharers.got.toString()).isEqualTo(ANSWERED_EARLY);
    sharer.server.release(acquired);
    runBoth();
    exclusive.runPendingTasks();
    assertThat(exclusive.isOpen()).isFalse();
    exclusive.finishAndReleaseAll();
  }

  /** The owner's loop has the whole request, and the server has not. */
  @Test
  void shouldNotLendAConnectionAgainWhoseSocketHasNotTakenTheRequest() {
    begin(LONG, LONG);
    SharingLoop.Socket exclusive = host.socket(Slot.EXCLUSIVE);
    ServerConnection acquired = borrow();
    store(acquired, 100_000);
    exclusive.asked();
    exclusive.stuck = true;
    sharers.say(acquired, "x".repeat(50_000) + "\r\n");
    runBoth();
    exclusive.answer(ANSWERED_EARLY);
    runBoth();
    sharer.server.release(acquired);
    runBoth();
    exclusive.runPendingTasks();
    assertThat(exclusive.isOpen()).isFalse();
    exclusive.finishAndReleaseAll();
  }

  @Test
  void shouldLendAConnectionAgainThatWasGivenBack() {
    begin(LONG, LONG);
    SharingLoop.Socket exclusive = host.socket(Slot.EXCLUSIVE);
    for (int i = 0; i < 3; i++) {
      ServerConnection acquired = borrow();
      store(acquired, 600_000);
      sharers.say(acquired, "x".repeat(300_000) + "\r\n");
      runBoth();
      assertThat(exclusive.asked()).hasSize("set k 0 0 600000\r\n\r\n".length() + 600_000);
      exclusive.answer("STORED\r\n");
      runBoth();
      assertThat(sharers.got.toString()).isEqualTo("STORED\r\n".repeat(i + 1));
      sharer.server.release(acquired);
      runBoth();
    }
    assertThat(exclusive.isOpen()).isTrue();
    exclusive.finishAndReleaseAll();
  }

  // --- errors ---------------------------------------------------------------------------------

  /** It is an error of the program, and not taken for that of a socket. */
  @Test
  void shouldCloseThePipeWhenARequestCannotBePutIntoIt() throws Exception {
    ExpectedErrors.of("a connection is closed because of an error in this program")
        .during(
            () -> {
              begin(LONG, LONG);
              sharers.get(pipe, "g");
              allocator.exhausted = true;
              sharer.run();
              allocator.exhausted = false;
              runBoth();
            });
    assertThat(pipe.isOpen()).isFalse();
    assertThat(sharers.got.toString()).startsWith("! ");
    assertThat(socket.isOpen()).isTrue();
    assertThat(socket.asked()).isEmpty();
  }

  /** A request without its bytes would get the reply to the next one. */
  @Test
  void shouldCloseTheConnectionWhenAParcelCouldNotBeSentOn() throws Exception {
    ExpectedErrors.of("a connection is closed because of an error in this program")
        .during(
            () -> {
              begin(LONG, LONG);
              sharers.get(pipe, "g");
              sharer.run();
              hosts.get(socket.connection, "h");
              allocator.exhausted = true;
              host.run();
              allocator.exhausted = false;
              runBoth();
              socket.runPendingTasks();
              runBoth();
              assertThat(socket.isOpen()).isFalse();
              assertThat(hosts.got.toString()).startsWith("! ");
              assertThat(sharers.got.toString()).startsWith("! ");
            });
  }

  /** Otherwise its requests, and all that it still sends, would wait for their time to pass. */
  @Test
  void shouldTellASharerThatTheConnectionIsLostAlthoughPartOfAReplyCannotBePassedOn()
      throws Exception {
    begin(LONG, LONG);
    sharers.get(pipe, "g");
    runBoth();
    assertThat(socket.asked()).contains("get g\r\n");
    socket.answer("VALUE g 0 1");
    runBoth();
    ExpectedErrors.of("a connection is closed because of an error in this program")
        .during(
            () -> {
              allocator.exhausted = true;
              socket.close();
              allocator.exhausted = false;
              runBoth();
            });
    assertThat(pipe.isOpen()).isFalse();
    assertThat(sharers.got.toString()).startsWith("! ").contains("closed the connection");
    assertThat(sharers.waiting).isEmpty();
  }

  /** Otherwise a gateway that is short of memory would eject its servers. */
  @Test
  void shouldNotCountAnErrorOfTheProgramAsAFailureOfTheServer() throws Exception {
    begin(LONG, LONG);
    DurationRange minute = new DurationRange(60_000, 60_000);
    HealthConfig atOnce = new HealthConfig(1, LimitsConfig.NEVER, 100, minute, 100, false);
    new PoolHealth("p", atOnce, List.of(status), indices -> null).begin();
    hosts.get(socket.connection, "h");
    runBoth();
    ExpectedErrors.of("a connection is closed because of an error in this program")
        .during(
            () -> {
              socket.connection.broken(new IllegalStateException("of the test"));
              socket.runPendingTasks();
              runBoth();
            });
    assertThat(socket.isOpen()).isFalse();
    assertThat(hosts.got.toString()).isEqualTo("! server s closed the connection\r\n");
    assertThat(status.health().isEjected()).isFalse();
  }
}
