package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static sluice.perf.simulation.system.SimulationRun.on;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import sluice.perf.simulation.system.SimulatedNetwork;
import sluice.perf.simulation.system.SimulatedPeer;
import sluice.perf.simulation.system.Simulator;
import sluice.perf.simulation.system.TlsEnd;

class BrokenOffTest {
  private static final InetSocketAddress SERVER = new InetSocketAddress("10.9.0.1", 7000);
  private static final byte[] FIRST = "all of this arrives".getBytes(US_ASCII);

  private static final class Peer extends SimulatedPeer {
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final boolean client;
    private @Nullable SplittableRandom random; // null: its records are sent as they are
    private @Nullable IOException broken;

    Peer(Simulator simulator, TlsEnd tls, boolean client) {
      super(simulator, tls);
      this.client = client;
    }

    @Override
    protected void begins() {
      if (client) {
        send(FIRST);
        breakOff(new byte[30_000], new SplittableRandom(1));
      }
    }

    @Override
    protected byte[] transmits(byte[] records) {
      if (random != null && records.length > 0) {
        NodeFrames.changeBit(records, random);
      }
      return records;
    }

    @Override
    protected void receives(byte[] bytes) {
      received.writeBytes(bytes);
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

  private static Peer run(@Nullable SplittableRandom changes) throws InterruptedException {
    Simulator simulator = new Simulator(1);
    Peer[] server = new Peer[1];
    on(
        simulator,
        () -> {
          SimulatedNetwork network = new SimulatedNetwork(simulator);
          server[0] = new Peer(simulator, Certificates.mutualServer(), false);
          network.listen(SERVER, server[0]::accepts);
          Peer client = new Peer(simulator, Certificates.client(), true);
          client.random = changes;
          client.connects(network.connect("10.9.1.1", SERVER, client));
          simulator.run(TimeUnit.SECONDS.toNanos(10));
        });
    return server[0];
  }

  @Test
  void shouldEndWithoutACloseNotifyBehindCompleteRecords() throws Exception {
    Peer server = run(null);
    assertThat(server.broken).hasMessageContaining("its end was cut");
    assertThat(server.received.size()).isBetween(FIRST.length, FIRST.length + 30_000);
    assertThat(server.received.toString(US_ASCII)).startsWith(new String(FIRST, US_ASCII));
  }

  @Test
  void shouldBreakAHandshakeInWhichABitIsChanged() throws Exception {
    Peer server = run(new SplittableRandom(3));
    assertThat(server.isOver()).isTrue();
    assertThat(server.received.size()).isZero();
  }
}
