package sluice.perf.simulation.system;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static sluice.perf.simulation.system.SimulationRun.on;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SimulatedNetworkTest {
  private static final InetSocketAddress SERVER = new InetSocketAddress("10.9.0.1", 11211);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private static final class Peer extends SimulatedPeer {
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final boolean echoes;
    private @Nullable IOException broken;
    private boolean ended;

    Peer(Simulator simulator, boolean echoes) {
      super(simulator);
      this.echoes = echoes;
    }

    @Override
    protected void receives(byte[] bytes) {
      received.writeBytes(bytes);
      if (echoes) {
        send(bytes);
      }
    }

    @Override
    protected void peerEnds() {
      ended = true;
      finish();
    }

    @Override
    protected void breaks(IOException why) {
      broken = why;
    }

    @Override
    protected long thinks() {
      return 10_000;
    }
  }

  @Test
  void shouldDeliverEveryByteInOrderWhateverTheSeed() throws Exception {
    for (int seed = 1; seed <= 60; seed++) {
      Simulator simulator = new Simulator(seed);
      on(simulator, () -> echo(simulator));
    }
  }

  private static void echo(Simulator simulator) {
    SimulatedNetwork network = new SimulatedNetwork(simulator);
    network.listen(SERVER, socket -> new Peer(simulator, true).accepts(socket));
    Peer client = new Peer(simulator, false);
    client.connects(network.connect("10.9.1.1", SERVER, client));
    StringBuilder sent = new StringBuilder();
    for (int i = 0; i < 3_000; i++) {
      sent.append(i).append(' ');
    }
    client.send(sent.toString().getBytes(US_ASCII));
    client.halfClose();
    simulator.run(60 * SECOND);
    assertThat(client.received.toString(US_ASCII)).isEqualTo(sent.toString());
    assertThat(client.ended).isTrue();
    assertThat(network.sockets(socket -> true)).isEmpty();
  }

  @Test
  void shouldResetAPeerThatClosesWithUnreadBytes() throws Exception {
    Simulator simulator = new Simulator(3);
    on(
        simulator,
        () -> {
          SimulatedNetwork network = new SimulatedNetwork(simulator);
          Peer server = new Peer(simulator, false);
          server.reading(false);
          network.listen(SERVER, server::accepts);
          Peer client = new Peer(simulator, false);
          client.connects(network.connect("10.9.1.1", SERVER, client));
          client.send(new byte[100]);
          simulator.run(SECOND);
          server.finish();
          simulator.run(SECOND);
          assertThat(client.broken).hasMessageContaining("reset");
        });
  }

  @Test
  void shouldLoseConnectionsOfAHostThatVanishes() throws Exception {
    Simulator simulator = new Simulator(4);
    on(
        simulator,
        () -> {
          SimulatedNetwork network = new SimulatedNetwork(simulator);
          network.listen(SERVER, socket -> new Peer(simulator, true).accepts(socket));
          Peer client = new Peer(simulator, false);
          client.connects(network.connect("10.9.1.1", SERVER, client));
          simulator.run(SECOND);
          network.vanish("10.9.0.1");
          client.send(new byte[100]);
          simulator.run(100 * SECOND);
          assertThat(client.received.size()).isZero();
          assertThat(client.broken).isNull();
          simulator.run(30 * SECOND);
          assertThat(client.broken).hasMessageContaining("timed out");
        });
  }

  @Test
  void shouldRefuseAConnectionToAFreeAddress() throws Exception {
    Simulator simulator = new Simulator(5);
    on(
        simulator,
        () -> {
          Peer client = new Peer(simulator, false);
          client.connects(new SimulatedNetwork(simulator).connect("10.9.1.1", SERVER, client));
          simulator.run(SECOND);
          assertThat(client.broken).hasMessageContaining("refused");
        });
  }
}
