package sluice.gateway.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.request.OrderedRequester;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.RequestPool;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.server.protocol.DecodedReplies;
import sluice.names.Command;
import sluice.testkit.ExpectedErrors;

/**
 * Replies that arrive after the connection was paused for a slow client. A socket with TLS brings
 * several records after its reading was stopped. Nothing is lost, and what was accounted for as
 * buffered is given back.
 */
class PausedRepliesTest {
  private static final String REQUEST = "get k\r\n";
  private static final String FIRST = "VALUE k 0 5\r\nfirst\r\nEND\r\n";
  private static final String SECOND = "VALUE k 0 6\r\nsecond\r\nEND\r\n";
  private static final String REPLIES = FIRST + SECOND + SECOND;
  private static final String GROWN_FIRST = FIRST.replace("5\r\nfirst", "6\r\nfirst!");
  private static final String GROWN =
      REPLIES.replace("5\r\nfirst", "6\r\nfirst!").replace("6\r\nsecond", "7\r\nsecond!");

  private final ProbedServer server = new ProbedServer(ServerStatus.Side.TEXT, null);
  private final Client client = new Client();

  /** A client that awaits another server's reply first, until the test says that it has come. */
  private final class Client extends OrderedRequester {
    private boolean mayTake;
    private boolean breaks; // at the next failure
    private String why; // of the last failure
    private Resumable paused; // null: none

    Client() {
      super(server.context().requestPool());
    }

    void ask() {
      PendingReply pending = pool().take();
      pending.start(this, Command.GET, ReplyKind.LINE, Suppression.NOTHING, 0);
      DecodedReplies.addKey(pending, "k");
      GrowingValue.bridge(pending, pool(), "k");
      waiting.add(pending);
      server.connection().expect(pending);
      server.connection().write(Unpooled.copiedBuffer(REQUEST, ISO_8859_1));
    }

    private RequestPool pool() {
      return server.context().requestPool();
    }

    void otherReplyCame() {
      mayTake = true;
      advance();
      Resumable resumed = paused;
      paused = null;
      resumed.resumed();
      server.runTasks();
    }

    @Override
    public boolean isFull(boolean next) {
      return !mayTake;
    }

    @Override
    public boolean pauses(Resumable connection) {
      boolean first = paused == null;
      paused = connection;
      return first;
    }

    @Override
    public boolean holdsUp(Resumable connection) {
      return paused == connection;
    }

    @Override
    public boolean isTurnOf(PendingReply pending) {
      return mayTake && super.isTurnOf(pending);
    }

    @Override
    public ByteBuf failureReply(PendingReply pending, String reason) {
      if (breaks) {
        breaks = false;
        throw new IllegalStateException("of the test");
      }
      why = reason;
      return Unpooled.copiedBuffer("failed", ISO_8859_1);
    }

    @Override
    public void advance() {
      for (PendingReply next = waiting.peek();
          next != null && next.isComplete();
          next = waiting.peek()) {
        next.writeSlices();
        pool().give(waiting.poll());
      }
    }
  }

  @BeforeEach
  void open() {
    server.asked();
    server.answer("VERSION 1.6.45\r\n");
    assertThat(server.state()).isEqualTo("usable");
    for (int i = 0; i < 3; i++) {
      client.ask();
    }
    assertThat(server.asked()).isEqualTo(REQUEST.repeat(3));
  }

  /** Three reads in one loop iteration. The first one has more than the first reply. */
  private void answerInThreeReads(int length) {
    int behind = (FIRST + SECOND).length() + 3;
    server.readsOfOneIteration(
        REPLIES.substring(0, behind),
        REPLIES.substring(behind, behind + length),
        REPLIES.substring(behind + length));
    assertThat(client.got).isEmpty();
    assertThat(client.paused).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 20})
  void shouldDeliverThemAfterThePause(int length) {
    answerInThreeReads(length);

    client.otherReplyCame();

    assertThat(client.got).asString().isEqualTo(GROWN);
    assertThat(client.waiting).isEmpty();
    server.close(); // checks that nothing is accounted for
  }

  /** No client is slow: other sockets come first, because the work on the values takes long. */
  @Test
  void shouldLeaveTheRestForLaterWhenAValueBecameVeryLong() {
    client.mayTake = true;
    GrowingValue.growBy(5 << 20);
    try {
      server.reads(REPLIES);
      assertThat(client.got.indexOf("second")).isNegative();
      server.runTasks();
    } finally {
      GrowingValue.growBy(1);
    }
    assertThat(client.waiting).isEmpty();
    assertThat(client.got.toString().replaceAll("!+", "!").replaceAll(" 0 [0-9]+", " 0 n"))
        .isEqualTo(GROWN.replaceAll(" 0 [0-9]+", " 0 n"));
    server.close(); // checks that nothing is accounted for
  }

  /** Each TLS record is a read of its own. */
  @Test
  void shouldLeaveTheNextReadForLaterWhenAValueBecameVeryLong() {
    client.mayTake = true;
    GrowingValue.growBy(5 << 20);
    try {
      server.reads(FIRST);
      server.reads(SECOND);
      server.reads(SECOND);
      assertThat(client.got.indexOf("second")).isNegative();
      server.runTasks();
    } finally {
      GrowingValue.growBy(1);
    }
    assertThat(client.waiting).isEmpty();
    server.close(); // checks that nothing is accounted for
  }

  @Test
  void shouldDeliverThemWhenTheServerCloses() {
    answerInThreeReads(7);

    server.ends();

    client.mayTake = true;
    client.advance();
    assertThat(client.got).asString().isEqualTo(GROWN);
    server.close(); // checks that nothing is accounted for
  }

  @Test
  void shouldDeliverThemWhenTheServerBreaksTls() {
    answerInThreeReads(7);

    server.breaksTls();

    client.mayTake = true;
    client.advance();
    assertThat(client.got).asString().isEqualTo(GROWN);
    server.close(); // checks that nothing is accounted for
  }

  @Test
  void shouldReleaseThemWhenTheServerClosesAndMemoryIsShort() {
    answerInThreeReads(7);
    server.context().loop().buffered(ProbedServer.MEMORY);

    server.ends();

    server.context().loop().buffered(-ProbedServer.MEMORY);
    client.mayTake = true;
    client.advance();
    assertThat(client.got).asString().isEqualTo(GROWN_FIRST + "failed".repeat(2));
    server.close(); // checks that nothing is accounted for
  }

  /** An error of the program costs the replies that it comes from, and no more. */
  @Test
  void shouldFailAllThatWaitWhenADeliveryBreaks() throws Exception {
    answerInThreeReads(7);
    GrowingValue.breaks = true;
    try {
      ExpectedErrors.of("an internal error").during(server::ends);
    } finally {
      GrowingValue.breaks = false;
    }

    client.mayTake = true;
    client.advance();
    assertThat(client.got).asString().isEqualTo(GROWN_FIRST + "failed".repeat(2));
    assertThat(server.server().owesReplies()).isFalse();
    server.close(); // checks that nothing is accounted for
  }

  /** The error may have skipped replies of the first record. */
  @Test
  void shouldReadNoOtherRecordBehindAnErrorOfTheProgram() throws Exception {
    client.mayTake = true;
    GrowingValue.breaks = true;
    try {
      ExpectedErrors.of("an internal error")
          .during(() -> server.readsOfRecords(FIRST + SECOND, SECOND, SECOND));
    } finally {
      GrowingValue.breaks = false;
    }

    assertThat(client.got).asString().isEqualTo("failed".repeat(3));
    assertThat(server.server().owesReplies()).isFalse();
    server.close(); // checks that nothing is accounted for
  }

  /** As when there is no direct memory left for the text. */
  @Test
  void shouldFailTheOthersWhenOneOfThemCannotBeFailed() throws Exception {
    client.breaks = true;
    ExpectedErrors.of("an internal error").during(server::ends);

    client.waiting.remove(); // of which nothing is known
    client.mayTake = true;
    client.advance();
    assertThat(client.got).asString().isEqualTo("failed".repeat(2));
    assertThat(server.server().owesReplies()).isFalse();
    server.close(); // checks that nothing is accounted for
  }

  @Test
  void shouldFailTheRestWhenTheServerClosesBehindABrokenReply() {
    server.readsOfOneIteration(FIRST + SECOND + "VALUE what\r\n");
    assertThat(client.paused).isNotNull();

    server.ends();

    client.mayTake = true;
    client.advance();
    assertThat(client.got).asString().endsWith("END\r\nfailed");
    assertThat(client.why).isEqualTo("server s broke the protocol");
    server.close(); // checks that nothing is accounted for
  }

  @AfterEach
  void close() {
    server.close();
  }
}
