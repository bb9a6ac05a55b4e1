package sluice.gateway.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.gateway.request.OrderedRequester;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.RequestPool;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.health.ServerStatus;
import sluice.gateway.server.protocol.DecodedReplies;
import sluice.names.Command;
import sluice.testkit.ExpectedErrors;

/** A server that says more than it was asked answers no request that it has not seen. */
class SurplusRepliesTest {
  private static final String REQUEST = "get k\r\n";
  private static final String FORGED = "VALUE k 0 6\r\nforged\r\nEND\r\n";

  /** What is flushed before the end of the loop iteration. */
  private static final int MUCH = 200_000;

  private final ProbedServer server = new ProbedServer(ServerStatus.Side.TEXT, null);
  private final Client client = new Client();

  /** A client that takes everything at once, in the order in which it asked. */
  private final class Client extends OrderedRequester {
    private boolean asksAgain; // as soon as it is answered

    Client() {
      super(server.context().requestPool());
    }

    void ask() {
      ask(Unpooled.copiedBuffer(REQUEST, ISO_8859_1));
    }

    void ask(ByteBuf request) {
      expect();
      server.connection().write(request);
    }

    /** Its request cannot be written, as when there is no memory to join it to another. */
    void askInVain() {
      expect();
      ByteBuf request = Unpooled.copiedBuffer(REQUEST, ISO_8859_1);
      server.connection().write(request, 0, 2 * REQUEST.length());
      request.release();
      server.runTasks();
    }

    private void expect() {
      PendingReply pending = pool().take();
      pending.start(this, Command.GET, ReplyKind.VALUES, Suppression.NOTHING, 0);
      DecodedReplies.addKey(pending, "k");
      waiting.add(pending);
      server.connection().expect(pending);
    }

    private RequestPool pool() {
      return server.context().requestPool();
    }

    @Override
    public boolean completed(PendingReply pending) {
      boolean more = super.completed(pending);
      if (asksAgain) {
        asksAgain = false;
        ask();
      }
      return more;
    }

    @Override
    public ByteBuf failureReply(PendingReply pending, String reason) {
      return Unpooled.copiedBuffer("failed: " + reason, ISO_8859_1);
    }

    @Override
    public void advance() {
      PendingReply failed = waiting.poll();
      failed.writeSlices();
      pool().give(failed);
    }
  }

  @BeforeEach
  void open() {
    server.asked();
    server.answer("VERSION 1.6.45\r\n");
    assertThat(server.state()).isEqualTo("usable");
  }

  @AfterEach
  void close() {
    server.close();
  }

  private void shouldHaveFailedTheSecond() {
    assertThat(client.waiting).isEmpty();
    assertThat(client.got).asString().startsWith("END\r\nfailed: ").contains("broke the protocol");
    assertThat(server.connection().isOpen()).isFalse();
  }

  @Test
  void shouldNotAnswerARequestThatWasNotFlushed() {
    client.ask();
    assertThat(server.asked()).isEqualTo(REQUEST);
    client.ask();

    server.answer("END\r\n" + FORGED);

    shouldHaveFailedTheSecond();
  }

  @Test
  void shouldNotAnswerARequestThatWasNotFlushedInALaterRead() {
    client.ask();
    assertThat(server.asked()).isEqualTo(REQUEST);
    client.ask();

    server.readsOfOneIteration("END\r\n", FORGED);

    shouldHaveFailedTheSecond();
  }

  @Test
  void shouldNotAnswerARequestThatFollowsTheReply() {
    client.ask();
    assertThat(server.asked()).isEqualTo(REQUEST);
    client.asksAgain = true;

    server.answer("END\r\n" + FORGED);

    shouldHaveFailedTheSecond();
  }

  /** The server's next reply would be taken for that to the request which it has not got. */
  @Test
  void shouldNotBeAnsweredBehindARequestThatCannotBeWritten() throws Exception {
    client.ask();

    ExpectedErrors.of("an internal error").during(client::askInVain);

    assertThat(server.connection().isOpen()).isFalse();
    assertThat(client.waiting).isEmpty();
    assertThat(client.got).asString().isEqualTo("failed: server s closed the connection".repeat(2));
  }

  /** The server may have seen a long request, although the loop iteration has not ended. */
  @Test
  void shouldAnswerALongRequestThatWasFlushedEarly() {
    client.ask();
    assertThat(server.asked()).isEqualTo(REQUEST);
    client.ask(Unpooled.buffer(MUCH).writeZero(MUCH));

    server.answer("END\r\nEND\r\n");

    assertThat(client.got).asString().isEqualTo("END\r\nEND\r\n");
    assertThat(server.state()).isEqualTo("usable");
  }

  @Test
  void shouldAnswerRequestsThatWereFlushed() {
    client.ask();
    client.ask();
    assertThat(server.asked()).isEqualTo(REQUEST + REQUEST);
    client.asksAgain = true;

    server.answer("END\r\nEND\r\n");
    assertThat(server.asked()).isEqualTo(REQUEST);
    server.answer("END\r\n");

    assertThat(client.got).asString().isEqualTo("END\r\n".repeat(3));
    assertThat(client.waiting).isEmpty();
    assertThat(server.state()).isEqualTo("usable");
  }
}
