package sluice.perf.simulation.system;

import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * Network that connections go through: with delays, segments cut anywhere, limited windows, resets
 * and hosts that vanish. The order within a connection is kept; connections overtake each other.
 */
public final class SimulatedNetwork {
  /** Program that listens at an address. */
  public interface Listener {
    /** A client has connected. The result receives what happens to the connection. */
    void accept(SimulatedSocket socket);
  }

  /** Program that answers queries by UDP. */
  public interface Responder {
    /** A query has arrived. The reply may be given later, several times, or not at all. */
    void receive(byte[] query, Consumer<byte[]> reply);
  }

  /** How a connection behaves. */
  record Manner(int window, long delay, long jitter, boolean choppy) {}

  static final long GIVE_UP_NANOS = TimeUnit.SECONDS.toNanos(120);

  /** With a smaller window, a handshake may take longer than gateways wait for it. */
  private static final int LEAST_ENCRYPTED_WINDOW = 64 << 10;

  private static final int[] WINDOWS = {2_000, 8 << 10, 64 << 10, 1 << 20};

  private final Simulator simulator;
  private final RandomGenerator random;
  private final Map<InetSocketAddress, Listener> listeners = new LinkedHashMap<>();
  private final Map<InetSocketAddress, Responder> responders = new LinkedHashMap<>();
  private final Set<String> vanished = new LinkedHashSet<>();
  private final Set<SimulatedSocket> open = new LinkedHashSet<>();
  private final Set<InetSocketAddress> encrypted = new HashSet<>();
  private int connections;
  private int ports = 20_000;

  /** A network without hosts. */
  public SimulatedNetwork(Simulator simulator) {
    this.simulator = simulator;
    this.random = simulator.stream();
  }

  Simulator simulator() {
    return simulator;
  }

  RandomGenerator random() {
    return random;
  }

  /** Binds an address; false if it is in use. */
  public boolean listen(InetSocketAddress address, Listener listener) {
    return listeners.putIfAbsent(address, listener) == null;
  }

  /** Releases an address. */
  public void release(InetSocketAddress address) {
    listeners.remove(address);
  }

  /** Answers the queries to an address. */
  public void respond(InetSocketAddress address, Responder responder) {
    responders.put(address, responder);
  }

  /** Sends a query by UDP. Of its bytes, the trace has the length: identifiers are random. */
  void query(
      InetSocketAddress from, InetSocketAddress to, byte[] query, Consumer<byte[]> receiver) {
    simulator.trace("query", from.getPort(), query.length);
    simulator.after(
        random.nextLong(10_000, 700_000),
        () -> {
          Responder responder = responders.get(to);
          if (responder != null) {
            responder.receive(
                query,
                reply -> {
                  simulator.trace("answer", from.getPort(), reply.length);
                  simulator.after(random.nextLong(10_000, 700_000), () -> receiver.accept(reply));
                });
          }
        });
  }

  /**
   * What passes through connections to this address is encrypted, and so different each time. Its
   * lengths are not.
   */
  public void encrypts(InetSocketAddress address) {
    encrypted.add(address);
  }

  boolean isEncrypted(SimulatedSocket socket) {
    return encrypted.contains(socket.local()) || encrypted.contains(socket.remote());
  }

  int freePort() {
    return ports++;
  }

  /** From now on, packets from and to a host are lost. */
  public void vanish(String host) {
    simulator.trace("vanish", host.hashCode(), 0);
    vanished.add(host);
    sockets(socket -> socket.isOf(host)).forEach(SimulatedSocket::lose);
  }

  /** A host is there again; its connections are not. */
  public void comeBack(String host) {
    vanished.remove(host);
  }

  private boolean isLost(InetSocketAddress address) {
    return vanished.contains(address.getHostString());
  }

  /** Both ends of all open connections that a test selects. */
  public List<SimulatedSocket> sockets(Predicate<SimulatedSocket> selected) {
    List<SimulatedSocket> found = new ArrayList<>();
    for (SimulatedSocket socket : open) {
      if (selected.test(socket)) {
        found.add(socket);
      }
    }
    return found;
  }

  void opened(SimulatedSocket socket) {
    open.add(socket);
  }

  void closed(SimulatedSocket socket) {
    open.remove(socket);
  }

  /**
   * Connects.
   *
   * @param from the host of the client
   * @param endpoint receives what happens to the connection
   * @return the client's end, which is not connected yet
   */
  public SimulatedSocket connect(
      String from, InetSocketAddress to, SimulatedSocket.Endpoint endpoint) {
    int number = ++connections;
    int window = WINDOWS[random.nextInt(WINDOWS.length)];
    if (encrypted.contains(to)) {
      window = Math.max(window, LEAST_ENCRYPTED_WINDOW);
    }
    Manner manner =
        new Manner(
            window,
            random.nextLong(10_000, 400_000),
            random.nextLong(1, 300_000),
            random.nextInt(3) == 0 && window > WINDOWS[0]); // else a large value takes seconds
    InetSocketAddress local = new InetSocketAddress(from, 30_000 + number % 30_000);
    SimulatedSocket client = new SimulatedSocket(this, number, local, to, manner, endpoint);
    opened(client);
    simulator.after(
        manner.delay() + random.nextLong(manner.jitter()), () -> arrive(client, number, manner));
    return client;
  }

  private void arrive(SimulatedSocket client, int number, Manner manner) {
    InetSocketAddress to = client.remote();
    if (isLost(to) || isLost(client.local())) {
      simulator.trace("lost connect", number, 0);
      client.lose();
      return;
    }
    Listener listener = listeners.get(to);
    if (client.isClosed()) {
      return;
    }
    if (listener == null) {
      simulator.trace("refused", number, 0);
      simulator.after(manner.delay(), () -> client.refused(new ConnectException("refused")));
      return;
    }
    simulator.trace("accepted", number, 0);
    SimulatedSocket server = new SimulatedSocket(this, number, to, client.local(), manner, null);
    opened(server);
    client.join(server);
    server.join(client);
    listener.accept(server);
    simulator.after(manner.delay(), client::connected);
  }
}
