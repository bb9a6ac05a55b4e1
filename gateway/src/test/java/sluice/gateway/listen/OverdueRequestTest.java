package sluice.gateway.listen;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.gateway.client.Connected;
import sluice.gateway.request.Aggregator;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.RequestConnection;
import sluice.gateway.request.ServerRequest;
import sluice.gateway.request.Suppression;
import sluice.names.Command;
import sluice.testkit.ExpectedErrors;
import sluice.testkit.LogLines;

/** A request that nothing ends, by an error of ours: what its client is told. */
class OverdueRequestTest {
  private static final String FAILED = "SERVER_ERROR the request was not answered in time\r\n";
  private static final String LOGGED =
      "listener cache: a get request was neither answered nor failed in time, because of an"
          + " internal error";

  private final SocketlessClients clients = new SocketlessClients();
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final Connected client = clients.connect(channel);

  /** A request that is sent on, and forgotten. */
  private PendingReply forgotten() {
    return client.client().newReply(Command.GET, ReplyKind.VALUES, Suppression.NOTHING);
  }

  private void ask(String request) {
    SocketlessClients.arrives(channel, request);
    clients.runTasks(channel);
  }

  private String told() {
    return clients.told(channel);
  }

  private void look(int times) {
    for (int i = 0; i < times; i++) {
      clients.loop().tick();
      client.connection().sweep(-1);
    }
  }

  /** Looks for longer than a request may stand still. */
  private void lookOn() throws Exception {
    try (LogLines log = LogLines.of("sluice.gateway.client")) {
      ExpectedErrors.of(LOGGED).during(() -> look(20));
      assertThat(log.lines()).containsExactly(LOGGED);
    }
    assertThat(clients.metrics().requestsOverdue()).isEqualTo(1);
  }

  @AfterEach
  void close() {
    clients.close();
  }

  @Test
  void shouldFailItOnceAndAnswerWhatIsBehindIt() throws Exception {
    forgotten();
    ask("mn\r\n");
    assertThat(told()).isEmpty();
    lookOn();
    assertThat(told()).isEqualTo(FAILED + "MN\r\n");
    ask("mn\r\n");
    assertThat(told()).isEqualTo("MN\r\n");
  }

  @Test
  void shouldDropTheReplyThatComesLaterAllTheSame() throws Exception {
    PendingReply late = forgotten();
    ServerRequest sent = late.sends();
    sent.sentTo(new Somewhere(), 0);
    late.hold(Unpooled.copiedBuffer("VALUE k 0 1\r\n", US_ASCII));
    ask("mn\r\n");
    lookOn();
    assertThat(told()).isEqualTo(FAILED + "MN\r\n");
    assertThat(sent.reply()).isNull();
    assertThat(sent.isAwaited()).isFalse();
    ask("mn\r\n");
    assertThat(told()).isEqualTo("MN\r\n");
  }

  @Test
  void shouldCancelItsParts() throws Exception {
    Subrequests subrequests = new Subrequests();
    forgotten().splitInto(subrequests);
    ask("mn\r\n");
    lookOn();
    assertThat(subrequests.cancelled).isEqualTo(1);
    assertThat(told()).isEqualTo(FAILED + "MN\r\n");
  }

  @Test
  void shouldCloseTheConnectionInsideAReply() throws Exception {
    PendingReply begun = forgotten();
    begun.hold(Unpooled.copiedBuffer("VALUE k 0 100000\r\n", US_ASCII));
    begun.writeSlices();
    ask("mn\r\n");
    lookOn();
    assertThat(told()).isEqualTo("VALUE k 0 100000\r\n");
    assertThat(channel.isOpen()).isFalse();
  }

  /** What is left of them would be written for the client that gets the pooled reply next. */
  @Test
  void shouldCancelThePartsOfAReplyThatWasBegun() throws Exception {
    Subrequests subrequests = new Subrequests();
    PendingReply begun = forgotten();
    begun.splitInto(subrequests);
    begun.hold(Unpooled.copiedBuffer("VALUE k 0 1\r\n", US_ASCII));
    begun.writeSlices();
    lookOn();
    assertThat(channel.isOpen()).isFalse();
    assertThat(subrequests.cancelled).isEqualTo(1);
    assertThat(begun.subrequests()).isNull();
  }

  @Test
  void shouldSayNothingOfOneThatGoesOn() throws Exception {
    PendingReply slow = forgotten();
    for (int i = 0; i < 10; i++) {
      look(1);
      slow.hold(Unpooled.copiedBuffer("x", US_ASCII));
      slow.writeSlices();
    }
    assertThat(clients.metrics().requestsOverdue()).isZero();
    assertThat(told()).isEqualTo("x".repeat(10));
  }

  private static final class Somewhere implements RequestConnection {
    @Override
    public String serverName() {
      return "somewhere";
    }

    @Override
    public boolean isAnotherToSameServer(RequestConnection other) {
      return false;
    }
  }

  private static final class Subrequests implements Aggregator {
    private int cancelled;

    @Override
    public PendingReply whole() {
      return null;
    }

    @Override
    public void value(PendingReply subrequest, int key, int bytes) {}

    @Override
    public void errorLine(PendingReply subrequest, String line) {}

    @Override
    public void subrequestCompleted(PendingReply subrequest, String failure) {}

    @Override
    public boolean awaits(PendingReply subrequest) {
      return true;
    }

    @Override
    public void cancel() {
      cancelled++;
    }
  }
}
