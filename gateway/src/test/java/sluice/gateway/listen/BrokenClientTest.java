package sluice.gateway.listen;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.codecs.buffer.SliceList;
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
      Runnable begins(Connected client, SocketlessClients clients) {
        writable(client.channel(), false);
        return () -> writable(client.channel(), true);
      }
    },
    ANOTHER_READ {
      @Override
      Runnable begins(Connected client, SocketlessClients clients) {
        Unshared cache = new Unshared();
        SingleFlight.Key key = new SingleFlight.Key(Unpooled.EMPTY_BUFFER, 0, 0, 0);
        SingleFlight read = new SingleFlight(cache, cache, key, 0, 0, false, null);
        client.client().awaits(read, Long.MAX_VALUE);
        return read::notSent;
      }
    },
    WINDOW {
      @Override
      Runnable begins(Connected client, SocketlessClients clients) {
        client.client().owes(MANY);
        return () -> client.client().owes(-MANY);
      }
    },
    MEMORY {
      @Override
      Runnable begins(Connected client, SocketlessClients clients) {
        clients.loop().buffered(SocketlessClients.MEMORY);
        return () -> {
          clients.loop().buffered(-SocketlessClients.MEMORY);
          clients.sweep();
        };
      }
    };

    /** The wait begins; returns what ends it. */
    abstract Runnable begins(Connected client, SocketlessClients clients);

    private static void writable(EmbeddedChannel channel, boolean now) {
      channel.unsafe().outboundBuffer().setUserDefinedWritability(1, now);
      channel.runPendingTasks();
    }
  }

  /** A cache that keeps nothing, for one thread. */
  private static final class Unshared implements SingleFlight.Keeper, SingleFlight.LockedPart {
    @Override
    public int largest() {
      return 0;
    }

    @Override
    public SingleFlight.LockedPart lock(int hash) {
      return this;
    }

    @Override
    public void unlock() {}

    @Override
    public long generation(int hash) {
      return 0;
    }

    @Override
    public void add(SingleFlight singleFlight) {}

    @Override
    public void remove(SingleFlight singleFlight) {}

    @Override
    public int put(SingleFlight singleFlight, int flags, long cas, SliceList value) {
      return -1;
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
    Runnable end = wait.begins(client, clients);
    SocketlessClients.arrives(channel, "get k\r\n");
    clients.runTasks(channel);
    assertThat(channel.isOpen()).as("it waits").isTrue();
    ExpectedErrors.of("a connection is closed because of an internal error")
        .during(
            () -> {
              end.run();
              clients.runTasks(channel);
            });
    assertThat(channel.isOpen()).isFalse();
    assertThat(clients.isEmpty()).isTrue();
  }

  @Test
  void shouldBeClosedWhenAStepOfARequestFails() throws Exception {
    Connected client = clients.connect(channel, connected -> new Broken());
    ExpectedErrors.of("a connection is closed because of an internal error")
        .during(
            () -> {
              client.client().later(BrokenClientTest::fail);
              clients.runTasks(channel);
            });
    assertThat(channel.isOpen()).isFalse();
    assertThat(clients.isEmpty()).isTrue();
  }

  /** TLS delivers the other records of a read even after the channel was closed. */
  @Test
  void shouldNotBeReadBehindTheError() throws Exception {
    Broken reader = new Broken();
    clients.connect(channel, connected -> reader);
    ExpectedErrors.of("a connection is closed because of an internal error")
        .during(
            () -> {
              channel.writeInbound(request(), request());
              clients.runTasks(channel);
            });
    assertThat(reader.steps).isOne();
    assertThat(channel.isOpen()).isFalse();
    assertThat(clients.isEmpty()).isTrue();
  }

  /** Nothing goes on with what it has sent, so nothing waits for that. */
  @Test
  void shouldBeForgottenIfTheErrorComesOnceItHasClosed() throws Exception {
    clients.connect(channel, connected -> new Broken());
    clients.loop().buffered(SocketlessClients.MEMORY);
    channel.pipeline().fireChannelRead(request());
    clients.runTasks(channel);
    ExpectedErrors.of("a connection is closed because of an internal error")
        .during(
            () -> {
              channel.close();
              clients.runTasks(channel);
            });
    clients.loop().buffered(-SocketlessClients.MEMORY);
    assertThat(clients.isEmpty()).as("its request was begun").isFalse();
    clients.sweep();
    assertThat(clients.isEmpty()).isTrue();
  }

  private static ByteBuf request() {
    return Unpooled.copiedBuffer("get k\r\n", US_ASCII);
  }

  private static void fail() {
    throw new InternalError("none for this test");
  }

  /** A reader for which there is no memory. */
  private static final class Broken implements DialectReader {
    private int steps;

    @Override
    public void step(ByteBuf in) {
      steps++;
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
