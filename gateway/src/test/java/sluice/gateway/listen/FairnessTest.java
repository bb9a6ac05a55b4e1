package sluice.gateway.listen;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.gateway.client.Connected;
import sluice.gateway.metrics.DropReason;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.Suppression;
import sluice.names.Command;

/** A client that sends more at once than the event loop can do in a moment, beside another. */
class FairnessTest {
  private static final int MANY = 10_000;

  /** Bytes of others with which memory is short, and not used up. */
  private static final long SHORT = SocketlessClients.MEMORY * 15L / 16;

  private static final String ASKED = "mn\r\n";
  private static final String ANSWER = "MN\r\n";

  private final SocketlessClients clients = new SocketlessClients();
  private final EmbeddedChannel greedy = new EmbeddedChannel();
  private final EmbeddedChannel modest = new EmbeddedChannel();

  @AfterEach
  void close() {
    clients.close();
  }

  @Test
  void shouldAnswerTheOthersBeforeTheRestOfManyRequests() {
    Connected flood = clients.connect(greedy);
    Connected other = clients.connect(modest);
    SocketlessClients.arrives(greedy, ASKED.repeat(MANY));
    assertThat(flood.connection().bytesWritten())
        .isPositive()
        .isLessThan(MANY * ANSWER.length() / 10);
    SocketlessClients.arrives(modest, ASKED);
    assertThat(other.connection().bytesWritten()).isEqualTo(ANSWER.length());
    assertThat(clients.told(modest)).isEqualTo(ANSWER);
    assertThat(clients.told(greedy)).isEqualTo(ANSWER.repeat(MANY));
  }

  @Test
  void shouldAnswerTheOthersBeforeTheRestOfManyKeys() {
    String line = "get" + " k".repeat(2_000) + "\r\n";
    String refusal = "SERVER_ERROR no rule of route cache matches this request\r\n";
    Connected flood = clients.connect(greedy);
    clients.connect(modest);
    SocketlessClients.arrives(greedy, line.repeat(100));
    assertThat(flood.connection().bytesWritten()).isPositive().isLessThan(10L * refusal.length());
    SocketlessClients.arrives(modest, ASKED);
    assertThat(clients.told(modest)).isEqualTo(ANSWER);
    assertThat(clients.told(greedy)).isEqualTo(refusal.repeat(100));
  }

  @Test
  void shouldReadAClientThatHoldsLittleWhileOthersUseUpTheMemory() {
    clients.connect(modest);
    clients.loop().memory().add(SHORT);
    for (int i = 0; i < 3; i++) {
      SocketlessClients.arrives(modest, ASKED);
      assertThat(clients.told(modest)).isEqualTo(ANSWER);
      assertThat(modest.config().isAutoRead()).isTrue();
    }
    clients.loop().memory().add(-SHORT);
  }

  @Test
  void shouldLetEverybodyWaitOnceAllMemoryIsUsed() {
    clients.connect(modest);
    clients.loop().memory().add(SocketlessClients.MEMORY);
    SocketlessClients.arrives(modest, ASKED);
    assertThat(clients.told(modest)).isEmpty();
    assertThat(modest.config().isAutoRead()).isFalse();
    clients.loop().memory().add(-SocketlessClients.MEMORY);
    clients.sweep();
    assertThat(clients.told(modest)).isEqualTo(ANSWER);
    assertThat(modest.config().isAutoRead()).isTrue();
  }

  @Test
  void shouldNotReadAClientThatHoldsMuchWhileMemoryIsShort() {
    Connected much = clients.connect(greedy);
    much.client().newReply(Command.GET, ReplyKind.VALUES, Suppression.NOTHING); // is not answered
    clients.loop().memory().add(SHORT);
    String held = ASKED.repeat(5_000);
    SocketlessClients.arrives(greedy, held);
    assertThat(clients.told(greedy)).isEmpty();
    assertThat(greedy.config().isAutoRead()).isFalse();
    clients.loop().memory().add(-SHORT);
  }

  @Test
  void shouldKeepOnlySoMuchOfWhatClientsSaidBeforeTheyLeft() {
    EmbeddedChannel third = new EmbeddedChannel();
    String most = ASKED.repeat(SocketlessClients.MEMORY / 4 / ASKED.length());
    clients.connect(greedy);
    clients.connect(third);
    clients.connect(modest);
    SocketlessClients.arrives(greedy, most);
    SocketlessClients.arrives(third, most.substring(most.length() / 2));
    SocketlessClients.arrives(modest, ASKED.repeat(MANY / 10));
    greedy.close();
    assertThat(dropped()).isZero();
    third.close();
    assertThat(dropped()).isEqualTo(1);
    modest.close(); // little is always kept
    assertThat(dropped()).isEqualTo(1);
    clients.runTasks(greedy);
    clients.runTasks(modest);
    assertThat(clients.isEmpty()).isTrue();
    assertThat(dropped()).isEqualTo(1);
  }

  private long dropped() {
    return clients.metrics().requestsDropped(DropReason.MEMORY);
  }

  @Test
  void shouldReadNoMoreOfAClientUntilItsTurnComesAgain() {
    clients.connect(greedy);
    SocketlessClients.arrives(greedy, ASKED.repeat(MANY));
    assertThat(greedy.config().isAutoRead()).isFalse();
    assertThat(clients.told(greedy)).isEqualTo(ANSWER.repeat(MANY));
    assertThat(greedy.config().isAutoRead()).isTrue();
  }

  @Test
  void shouldEndTheRestOfAClientThatIsGone() {
    clients.connect(greedy);
    SocketlessClients.arrives(greedy, ASKED.repeat(MANY));
    greedy.close();
    clients.runTasks(greedy);
    assertThat(clients.isEmpty()).isTrue();
  }
}
