package sluice.perf.simulation;

import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import sluice.gateway.time.Clocks;
import sluice.perf.simulation.system.SimulatedNetwork;
import sluice.perf.simulation.system.SimulatedPeer;
import sluice.perf.simulation.system.SimulatedSocket;
import sluice.perf.simulation.system.Simulator;
import sluice.testkit.model.Lines;
import sluice.testkit.model.Model;
import sluice.testkit.model.ModelConnection;

/** Host with a model of memcached, which can crash, stall and come back as another version. */
final class MemcachedHost implements SimulatedNetwork.Listener {
  private static final int MOST_UNSENT = 64 * 1024;

  private final class Conversation extends SimulatedPeer {
    private final ModelConnection connection;

    Conversation(ModelConnection connection) {
      super(MemcachedHost.this.simulator);
      this.connection = connection;
      pauseUntil(stalledUntil);
    }

    @Override
    protected void receives(byte[] bytes) {
      send(connection.receive(bytes));
      if (connection.isClosed()) {
        open.remove(this);
        finish();
      } else if (unsent() > MOST_UNSENT) {
        reading(false);
        simulator().after(1_000_000, this::readAgain);
      }
    }

    private void readAgain() {
      if (unsent() > MOST_UNSENT) {
        simulator().after(1_000_000, this::readAgain);
      } else {
        reading(true);
      }
    }

    @Override
    protected void peerEnds() {
      open.remove(this);
      connection.close();
      finish();
    }

    @Override
    protected void breaks(java.io.IOException why) {
      open.remove(this);
      connection.close();
    }

    @Override
    protected long thinks() {
      return random.nextInt(5_000, 150_000);
    }
  }

  private final Simulator simulator;
  private final SimulatedNetwork network;
  private final RandomGenerator random;
  private final InetSocketAddress address;
  private final Set<Conversation> open = new LinkedHashSet<>();
  private Model model = new Model(Lines.V1_6_45, Clocks.utc());
  private long stalledUntil;
  private boolean up;

  MemcachedHost(Simulator simulator, SimulatedNetwork network, String host) {
    this.simulator = simulator;
    this.network = network;
    this.random = simulator.stream();
    address = new InetSocketAddress(host, 11211);
  }

  String host() {
    return address.getHostString();
  }

  /** Starts without items. */
  void start() {
    Lines lines = random.nextBoolean() ? Lines.V1_6_18 : Lines.V1_6_45;
    simulator.trace("server starts", address.hashCode(), lines.version().hashCode());
    model = new Model(lines, Clocks.utc());
    up = true;
    network.listen(address, this);
  }

  /** Ends at once; all connections are reset, and all items are gone. */
  void crash() {
    simulator.trace("server crashes", address.hashCode(), 0);
    up = false;
    network.release(address);
    List.copyOf(open).forEach(SimulatedPeer::abort);
    open.clear();
  }

  boolean isUp() {
    return up;
  }

  /** Handles nothing for that many nanoseconds. */
  void stall(long nanos) {
    simulator.trace("server stalls", address.hashCode(), nanos);
    stalledUntil = simulator.now() + nanos;
    open.forEach(conversation -> conversation.pauseUntil(stalledUntil));
  }

  /** The number of connections that a host has to it. */
  long connectionsOf(String client) {
    return open.stream()
        .map(SimulatedPeer::socket)
        .filter(socket -> socket != null && socket.remote().getHostString().equals(client))
        .count();
  }

  /** The value of a key; null for none. */
  byte @Nullable [] value(String key) {
    return up ? model.value(key) : null;
  }

  @Override
  public void accept(SimulatedSocket socket) {
    Conversation conversation = new Conversation(model.connect(socket.remote().getPort()));
    open.add(conversation);
    conversation.accepts(socket);
  }
}
