package sluice.perf.simulation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import sluice.codecs.internode.ConnectionType;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Initiate;
import sluice.names.Verb;
import sluice.perf.simulation.system.SimulatedPeer;

/**
 * Node that connects to a gateway and sends bytes that are almost right: bits are changed, bytes
 * are missing, and it ends at any moment.
 */
final class HostileNode {
  /** What the addresses begin with that such nodes state. */
  static final String NETWORK = "10.1.4.";

  /** A gateway's limit for a handshake is 5 s. */
  private static final long GIVEN_UP_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final List<ConnectionType> TYPES = List.of(ConnectionType.values());

  private final class Link extends SimulatedPeer {
    private final Framing framing = NodeFrames.anyFraming(random);
    private boolean begun;
    private boolean silent; // what it sends is lost

    Link(boolean tls) {
      super(world.simulator(), tls ? Certificates.client() : null);
    }

    @Override
    protected void begins() {
      if (!silent) {
        begun = true;
        send(bent(initiate()));
        attack();
      }
    }

    void mustBeGivenUp() {
      if (!begun && !isOver() && !world.areLinksExcused()) {
        simulator().finding("a gateway waits for the TLS of a hostile node for more than 10 s");
      }
    }

    /** Sends other records, which must not depend on what is in them: that is random. */
    @Override
    protected byte[] transmits(byte[] records) {
      if (silent || records.length == 0 || random.nextInt(8) > 0) {
        return silent ? new byte[0] : records;
      }
      switch (random.nextInt(4)) {
        case 0 -> {
          silent = true;
          return Arrays.copyOf(records, random.nextInt(records.length));
        }
        case 1 -> {
          silent = true;
          simulator().after(random.nextLong(1_000_000), () -> breakOff(new byte[0], random));
          return Arrays.copyOf(records, random.nextInt(records.length));
        }
        case 2 -> {
          byte[] twice = Arrays.copyOf(records, 2 * records.length);
          System.arraycopy(records, 0, twice, records.length, records.length);
          return twice;
        }
        default -> {
          NodeFrames.changeBit(records, random);
          return records;
        }
      }
    }

    private void attack() {
      if (isOver()) {
        return;
      }
      if (world.isEnding() || random.nextInt(8) == 0) {
        abort();
        return;
      }
      switch (random.nextInt(12)) {
        case 0 -> finish();
        case 1 -> halfClose();
        case 2 -> reading(random.nextBoolean());
        default -> frames().forEach(frame -> send(bent(frame)));
      }
      simulator()
          .after(world.withRests(random.nextLong(TimeUnit.SECONDS.toNanos(2))), this::attack);
    }

    private byte[] initiate() {
      ByteBuf out = Unpooled.buffer();
      int max = random.nextInt(10) == 0 ? random.nextInt(256) : NodeFrames.VERSION;
      int requested = random.nextInt(20) == 0 ? random.nextInt(256) : NodeFrames.VERSION;
      if (random.nextInt(20) == 0) {
        Initiate.writeLegacy(out, requested, random.nextBoolean(), random.nextBoolean());
        return ByteBufUtil.getBytes(out);
      }
      ConnectionType type = TYPES.get(random.nextInt(TYPES.size()));
      int version = NodeFrames.VERSION;
      InetSocketAddress from = NodeFrames.address(host);
      if (random.nextInt(6) == 0) {
        Initiate.writeStreaming(out, version, requested, max, from);
      } else {
        Initiate.writeMessaging(out, type, framing, version, requested, max, from);
      }
      return ByteBufUtil.getBytes(out);
    }

    private List<byte[]> frames() {
      List<byte[]> messages = new ArrayList<>();
      for (int i = random.nextInt(1, 6); i > 0; i--) {
        int length = random.nextInt(10) == 0 ? random.nextInt(200_000) : random.nextInt(500);
        Verb verb = random.nextInt(4) == 0 ? Verb.TRUNCATE_REQ : Verb.MUTATION_REQ;
        // an id that no other message has, or its answer would be taken for another's
        messages.add(bent(NodeFrames.message(world.links().nextId(), verb, 0, length)));
      }
      return NodeFrames.frames(framing, messages, random);
    }

    /** The bytes, one time in eight with a change. */
    private byte[] bent(byte[] bytes) {
      if (random.nextInt(8) > 0 || bytes.length == 0) {
        return bytes;
      }
      byte[] other = bytes.clone();
      int at = random.nextInt(Math.min(other.length, random.nextBoolean() ? 24 : other.length));
      return switch (random.nextInt(4)) {
        case 0 -> Arrays.copyOf(other, at);
        case 1 -> {
          other[at] = (byte) random.nextInt(256);
          yield other;
        }
        case 2 -> Arrays.copyOfRange(other, at, other.length);
        default -> {
          other[at] ^= (byte) (1 << random.nextInt(8));
          yield other;
        }
      };
    }

    @Override
    protected void receives(byte[] bytes) {
      // it does not matter
    }

    @Override
    protected long thinks() {
      return 10_000;
    }
  }

  private final World world;
  private final String host;
  private final List<NodeListener> listeners;
  private final RandomGenerator random;

  /** A node that attacks these listeners. */
  HostileNode(World world, int number, List<NodeListener> listeners) {
    this.world = world;
    this.host = NETWORK + number;
    this.listeners = listeners;
    random = world.simulator().stream();
  }

  void start() {
    world
        .simulator()
        .after(world.withRests(random.nextLong(TimeUnit.SECONDS.toNanos(3))), this::connect);
  }

  private void connect() {
    if (world.isEnding()) {
      return;
    }
    NodeListener to = listeners.get(random.nextInt(listeners.size()));
    boolean tls = to.tls() && random.nextInt(4) > 0;
    Link link = new Link(tls);
    link.connects(world.network().connect(host, to.address(), link));
    if (tls) {
      world.simulator().after(GIVEN_UP_NANOS, link::mustBeGivenUp);
    }
    start();
  }
}
