package sluice.gateway.listen;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.gateway.client.Connected;
import sluice.gateway.client.DialectReader;
import sluice.gateway.near.SingleFlight;
import sluice.gateway.request.PendingReply;
import sluice.testkit.ExpectedErrors;

/**
 * Clients whose requests cannot be read because there is no memory for them. Nobody would go on
 * with what they have sent: they are closed, and what happened to wake them goes on.
 */
class BrokenClientTest {
  private static final int MANY = 1 << 20;

  /** What a client's bytes wait for. */
  enum Wait {
    OUTPUT {
      @Override
      void begins(Connected client, SocketlessClients clients) {
        writable(client.channel(), false);
      }

      @Override
      void ends(Connected client, SocketlessClients clients) {
        writable(client.channel(), true);
      }
    },
    ANOTHER_READ {
      @Override
      void begins(Connected client, SocketlessClients clients) {
        client.client().awaits();
      }

      @Override
      void ends(Connected client, SocketlessClients clients) {
        client.client().flightEnded(SingleFlight.Result.MISSED);
      }
    },
    WINDOW {
      @Override
      void begins(Connected client, SocketlessClients clients) {
        client.client().owes(MANY);
      }

      @Override
      void ends(Connected client, SocketlessClients clients) {
        client.client().owes(-MANY);
      }
    },
    MEMORY {
      @Override
      void begins(Connected client, SocketlessClients clients) {
        clients.loop().buffered(SocketlessClients.MEMORY);
      }

      @Override
      void ends(Connected client, SocketlessClients clients) {
        clients.loop().buffered(-SocketlessClients.MEMORY);
        clients.sweep();
      }
    };

    abstract void begins(Connected client, SocketlessClients clients);

    abstract void ends(Connected client, SocketlessClients clients);

    private static void writable(EmbeddedChannel channel, boolean now) {
      channel.unsafe().outboundBuffer().setUserDefinedWritability(1, now);
      channel.runPendingTasks();
    }
  }

  private final SocketlessClients clients = new SocketlessClients();
  private final EmbeddedChannel channel = new EmbeddedChannel();

  @AfterEach
  void close() {
    clients.close();
  }

  @ParameterizedTest
  @EnumSource
  void shouldBeClosedWhenWhatTheyWaitedForHasCome(Wait wait) throws Exception {
    Connected client = clients.connect(channel, connected -> new Broken());
    wait.begins(client, clients);
    SocketlessClients.arrives(channel, "get k\r\n");
    clients.runTasks(channel);
    assertThat(channel.isOpen()).as("it waits").isTrue();
    ExpectedErrors.of("a connection is closed because of an error in this program")
        .during(
            () -> {
              wait.ends(client, clients);
              clients.runTasks(channel);
            });
    assertThat(channel.isOpen()).isFalse();
    assertThat(clients.isEmpty()).isTrue();
  }

  @Test
  void shouldBeClosedWhenAStepOfARequestFails() throws Exception {
    Connected client = clients.connect(channel, connected -> new Broken());
    ExpectedErrors.of("a connection is closed because of an error in this program")
        .during(
            () -> {
              client.client().later(BrokenClientTest::fail);
              clients.runTasks(channel);
            });
    assertThat(channel.isOpen()).isFalse();
    assertThat(clients.isEmpty()).isTrue();
  }

  private static void fail() {
    throw new InternalError("none for this test");
  }

  /** A reader for which there is no memory. */
  private static final class Broken implements DialectReader {
    @Override
    public void step(ByteBuf in) {
      fail();
    }

    @Override
    public boolean hasUnsent() {
      return false;
    }

    @Override
    public boolean isBetweenRequests() {
      return true;
    }

    @Override
    public void moved(ByteBuf moved, int by) {}

    @Override
    public void configured() {}

    @Override
    public ByteBuf failureReply(PendingReply pending, String reason) {
      throw new AssertionError(reason);
    }

    @Override
    public void release() {}
  }
}
