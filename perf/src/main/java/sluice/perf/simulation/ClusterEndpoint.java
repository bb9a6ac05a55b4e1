package sluice.perf.simulation;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.random.RandomGenerator;
import sluice.perf.simulation.system.SimulatedNetwork;
import sluice.perf.simulation.system.SimulatedPeer;
import sluice.perf.simulation.system.SimulatedSocket;

/**
 * Configuration endpoint of an ElastiCache cluster, which names the servers of the first pool. Its
 * cluster grows and shrinks, and its nodes get other addresses. Each answer has another order.
 */
final class ClusterEndpoint implements SimulatedNetwork.Listener {
  private static final String REQUEST = "config get cluster\r\n";

  /** Answers that a gateway must not follow. */
  private static final List<String> UNUSABLE =
      List.of(
          "CONFIG cluster 0 4\r\n13\n\n\r\nEND\r\n", // a cluster without nodes
          "CONFIG cluster 0 2\r\n13\r\nEND\r\n",
          "CONFIG cluster 0 99999999\r\n",
          "CONFIG cluster 0 23\r\n13\nnode-1|10.2.0.1|0\n\r\nEND\r\n",
          "SERVER_ERROR busy\r\n",
          "END\r\n",
          "ERROR\r\n");

  private final class Conversation extends SimulatedPeer {
    private final StringBuilder received = new StringBuilder();

    Conversation() {
      super(world.simulator());
      pauseUntil(stalledUntil);
    }

    @Override
    protected void receives(byte[] bytes) {
      received.append(new String(bytes, StandardCharsets.ISO_8859_1));
      if (received.toString().equals(REQUEST)) {
        answer();
      } else if (!REQUEST.startsWith(received.toString())) {
        world.simulator().finding("a configuration endpoint was asked: " + received);
      }
    }

    private void answer() {
      byte[] right = bytes(answerNow());
      if (world.simulator().now() >= unreliableUntil) {
        send(right);
        return;
      }
      switch (random.nextInt(4)) {
        case 0 -> send(bytes(UNUSABLE.get(random.nextInt(UNUSABLE.size()))));
        case 1 -> {
          send(Arrays.copyOf(right, random.nextInt(right.length)));
          finish();
        }
        case 2 -> abort();
        default -> send(Arrays.copyOf(right, random.nextInt(right.length))); // and nothing more
      }
    }

    @Override
    protected void peerEnds() {
      open.remove(this);
      finish();
    }

    @Override
    protected void breaks(IOException why) {
      open.remove(this);
    }

    @Override
    protected long thinks() {
      return random.nextInt(5_000, 150_000);
    }
  }

  private final World world;
  private final Scenario scenario;
  private final RandomGenerator random;
  private final InetSocketAddress address;
  private final Set<Conversation> open = new LinkedHashSet<>();
  private List<Integer> nodes = new ArrayList<>(); // the host's number of each node
  private long stalledUntil;
  private long unreliableUntil;

  ClusterEndpoint(World world, Scenario scenario) {
    this.world = world;
    this.scenario = scenario;
    random = world.simulator().stream();
    address = Scenario.ENDPOINT;
    for (int i = 0; i < scenario.servers(); i++) {
      nodes.add(i);
    }
  }

  void start() {
    world.network().listen(address, this);
  }

  /** Resets its connections, and refuses others for that many nanoseconds. */
  void crash(long nanos) {
    world.simulator().trace("endpoint crashes", nodes.size(), nanos);
    world.network().release(address);
    List.copyOf(open).forEach(SimulatedPeer::abort);
    open.clear();
    world.simulator().after(nanos, this::start);
  }

  /** Handles nothing for that many nanoseconds. */
  void stall(long nanos) {
    world.simulator().trace("endpoint stalls", nodes.size(), nanos);
    stalledUntil = world.simulator().now() + nanos;
    open.forEach(conversation -> conversation.pauseUntil(stalledUntil));
  }

  /** Gives no usable answer for that many nanoseconds. */
  void misbehave(long nanos) {
    world.simulator().trace("endpoint is unreliable", nodes.size(), nanos);
    unreliableUntil = world.simulator().now() + nanos;
  }

  /** Changes the number of nodes, and where they run. */
  void change() {
    List<Integer> hosts = new ArrayList<>();
    for (int i = 0; i < scenario.servers(); i++) {
      hosts.add(i);
    }
    Collections.shuffle(hosts, new Random(random.nextLong()));
    nodes = new ArrayList<>(hosts.subList(0, random.nextInt(1, hosts.size() + 1)));
    world.simulator().trace("the cluster changes", nodes.hashCode(), 0);
  }

  /** Whether a server is a node of the cluster. */
  boolean has(String host) {
    return nodes.stream().anyMatch(node -> scenario.serverHost(false, node).equals(host));
  }

  private String answerNow() {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < nodes.size(); i++) {
      lines.add("node-" + i + "|" + scenario.serverHost(false, nodes.get(i)) + "|11211");
    }
    Collections.shuffle(lines, new Random(random.nextLong()));
    String body = "12\n" + String.join(" ", lines) + "\n";
    return "CONFIG cluster 0 " + body.length() + "\r\n" + body + "\r\nEND\r\n";
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  @Override
  public void accept(SimulatedSocket socket) {
    Conversation conversation = new Conversation();
    open.add(conversation);
    conversation.accepts(socket);
  }
}
