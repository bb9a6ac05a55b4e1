package sluice.perf.simulation;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import sluice.perf.simulation.system.SimulatedNetwork;
import sluice.perf.simulation.system.SimulatedPeer;
import sluice.perf.simulation.system.SimulatedSocket;

/** Configuration endpoint of an ElastiCache cluster. */
final class ClusterEndpoint extends ServerSource implements SimulatedNetwork.Listener {
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
      pauseUntil(stalledUntil());
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
      if (!isUnreliable()) {
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

  private final Set<Conversation> open = new LinkedHashSet<>();

  ClusterEndpoint(World world, Scenario scenario) {
    super(world, scenario);
  }

  @Override
  void start() {
    world.network().listen(Scenario.ENDPOINT, this);
  }

  @Override
  void crash(long nanos) {
    world.simulator().trace("endpoint crashes", count(), nanos);
    world.network().release(Scenario.ENDPOINT);
    List.copyOf(open).forEach(SimulatedPeer::abort);
    open.clear();
    world.simulator().after(nanos, this::start);
  }

  @Override
  void stall(long nanos) {
    super.stall(nanos);
    open.forEach(conversation -> conversation.pauseUntil(stalledUntil()));
  }

  private String answerNow() {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < count(); i++) {
      lines.add("node-" + i + "|" + host(i) + "|11211");
    }
    shuffle(lines);
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
