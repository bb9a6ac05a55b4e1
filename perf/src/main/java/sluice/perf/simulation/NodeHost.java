package sluice.perf.simulation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import sluice.codecs.ProtocolException;
import sluice.codecs.internode.Initiate;
import sluice.codecs.internode.MessageHeader;
import sluice.names.Verb;
import sluice.perf.simulation.system.SimulatedNetwork;
import sluice.perf.simulation.system.SimulatedPeer;
import sluice.perf.simulation.system.SimulatedSocket;
import sluice.perf.simulation.system.TlsEnd;

/**
 * Cassandra node as others connect to it. It checks that the messages of each connection are those
 * that were sent, and echoes streams.
 */
final class NodeHost implements SimulatedNetwork.Listener {
  /** Gateways give up a connection after 2 s, or a handshake behind it after 5 s. */
  private static final long GIVEN_UP_NANOS = TimeUnit.SECONDS.toNanos(15);

  private static final String RESET = "Connection reset by peer";

  /** First byte of a TLS record with a handshake (RFC 8446, 5.1). */
  private static final byte TLS_HANDSHAKE = 22;

  private final class Incoming extends SimulatedPeer implements NodePayloads.Receiver {
    private final ByteBuf handshake = Unpooled.buffer();
    private final ByteBuf large = Unpooled.buffer(); // or the number of a stream
    private final MessageHeader header = new MessageHeader();
    private boolean begun; // it has its TLS, if there is any
    private boolean silent; // what it sends is lost
    private @Nullable NodePayloads frames; // null: before the handshake, or of a stream
    private NodeLinks.@Nullable Sent sent; // null: no message has arrived
    private boolean streams;
    private boolean ignored; // a hostile node may say anything
    private long left; // of a large message in several frames
    private long largeId;
    private long nextPause;

    Incoming() {
      super(world.simulator(), tls());
      pauseUntil(stalledUntil);
    }

    @Override
    protected void begins() {
      begun = true;
    }

    /** As {@link #misbehave}, inside the handshake of TLS. */
    @Override
    protected byte[] transmits(byte[] records) {
      boolean lies = records.length > 0 && !begun && isUnreliable() && random.nextInt(3) == 0;
      if (silent || !lies) {
        return silent ? new byte[0] : records;
      }
      world.simulator().trace("node misbehaves", number(), 1);
      ignored = true;
      if (random.nextInt(3) == 0) {
        NodeFrames.changeBit(records, random);
        return records;
      }
      silent = true;
      if (random.nextBoolean()) {
        simulator().after(random.nextLong(1_000_000), () -> breakOff(new byte[0], random));
      } else {
        mustBeClosed("a gateway waits for its TLS for more than 15 s");
      }
      return Arrays.copyOf(records, random.nextInt(records.length));
    }

    private void mustBeClosed(String otherwise) {
      simulator()
          .after(
              GIVEN_UP_NANOS,
              () -> {
                boolean mayNotKnow = stalledUntil > simulator().now() - GIVEN_UP_NANOS;
                if (!isOver() && !mayNotKnow && !world.mayLosePackets()) {
                  simulator().finding(host() + ": " + otherwise);
                }
              });
    }

    @Override
    protected void receives(byte[] bytes) {
      if (ignored) {
        return;
      }
      if (isUnreliable() && random.nextInt(sent == null ? 2 : 5) == 0) {
        misbehave();
        return;
      }
      try {
        if (streams) {
          stream(bytes);
        } else if (frames != null) {
          frames.read(bytes, this);
        } else {
          shakeHands(bytes);
        }
      } catch (ProtocolException e) {
        wrong(String.valueOf(e.getMessage()));
      }
      long now = world.simulator().now();
      if (sent != null && now > nextPause && random.nextInt(20) == 0) {
        nextPause = now + TimeUnit.SECONDS.toNanos(30);
        reading(false);
        simulator().after(random.nextLong(TimeUnit.SECONDS.toNanos(6)), () -> reading(true));
      }
    }

    private void wrong(String what) {
      world.simulator().finding(host() + ", connection " + number() + ": " + what);
      ignored = true;
      abort();
    }

    private int number() {
      SimulatedSocket socket = socket();
      return socket == null ? 0 : socket.number();
    }

    private void misbehave() {
      world.simulator().trace("node misbehaves", number(), 0);
      ignored = true;
      if (needsTls && random.nextInt(3) == 0) {
        breakOff(new byte[random.nextInt(200)], random);
        left();
        return;
      }
      switch (random.nextInt(5)) {
        case 0 -> {
          abort();
          left();
        }
        case 1 -> {
          finish();
          left();
        }
        case 2 -> {
          halfClose();
          left();
          mustBeClosed("a gateway has not closed what it has half-closed");
        }
        case 3 -> send(new byte[] {1, 2, 3}); // no answer to a handshake, and nothing after one
        default -> {} // says nothing more
      }
    }

    /** It has ended the connection: so must the gateway, on the other side. */
    private void left() {
      if (sent != null) {
        sent.left();
      }
    }

    private void shakeHands(byte[] bytes) {
      handshake.writeBytes(bytes);
      if (handshake.getByte(0) == TLS_HANDSHAKE) {
        ignored = true; // of a hostile node: the gateway passes TLS on as it is
        return;
      }
      int length = Initiate.length(handshake, 0, handshake.writerIndex());
      if (length == Initiate.INCOMPLETE || handshake.writerIndex() < length) {
        return;
      }
      Initiate initiate = new Initiate().wrap(handshake, 0);
      if (initiate.isLegacy()
          || initiate.from().getHostString().startsWith(HostileNode.NETWORK)
          || initiate.maxVersion() != NodeFrames.VERSION) {
        ignored = true;
        return;
      }
      streams = initiate.isStreaming();
      send(NodeFrames.ACCEPT);
      byte[] rest = ByteBufUtil.getBytes(handshake.skipBytes(length));
      if (!streams) {
        NodePayloads reader = new NodePayloads(initiate.framing());
        frames = reader;
        reader.read(rest, this);
      } else if (rest.length > 0) {
        stream(rest);
      }
    }

    // --- messages -----------------------------------------------------------------------------

    @Override
    public void contained(ByteBuf messages) {
      while (messages.isReadable() && !ignored) {
        if (!isWhole(messages) || header.messageLength() > messages.readableBytes()) {
          wrong("a self-contained frame that ends inside a message");
          return;
        }
        long id = header.id();
        boolean answer = header.verb() == Verb.FAILURE_RSP.id();
        if (answer && !world.links().isAnswered(id, host())) {
          wrong("an answer to what was not asked, or was answered: id " + id);
          return;
        }
        byte[] message = new byte[(int) header.messageLength()];
        messages.readBytes(message);
        if (!answer) {
          message(id, message);
        }
      }
    }

    @Override
    public void partial(ByteBuf part) {
      large.discardReadBytes().writeBytes(part);
      if (left == 0 && !ignored) {
        if (!isWhole(large)) {
          wrong("a large message whose header is not in its first frame");
          return;
        }
        left = header.messageLength();
        largeId = header.id();
      }
      if (large.readableBytes() > left) {
        wrong("a frame that goes on behind the end of message " + largeId);
        return;
      }
      left -= large.readableBytes();
      byte[] next = ByteBufUtil.getBytes(large);
      large.clear();
      message(largeId, next);
    }

    private boolean isWhole(ByteBuf in) {
      return header.parse(in, in.readerIndex(), in.writerIndex(), NodeFrames.VERSION);
    }

    /** All of a message, or a part. */
    private void message(long id, byte[] bytes) {
      if (sent == null) {
        sent = world.links().begun(id);
      }
      NodeLinks.Sent expected = sent;
      if (!ignored && (expected == null || !expected.isNext(bytes))) {
        wrong("a message that was not sent next: id " + id);
      }
    }

    // --- streams ------------------------------------------------------------------------------

    private void stream(byte[] bytes) {
      NodeLinks.Sent expected = sent;
      if (expected == null) { // it begins with a number of 8 bytes
        large.writeBytes(bytes);
        if (large.readableBytes() < Long.BYTES) {
          return;
        }
        expected = world.links().begun(large.getLong(0));
        sent = expected;
        bytes = ByteBufUtil.getBytes(large);
      }
      if (expected == null || !expected.isNext(bytes)) {
        wrong("bytes of a stream that were not sent next");
        return;
      }
      send(bytes);
    }

    @Override
    protected void peerEnds() {
      open.remove(this);
      NodePayloads reader = frames;
      if (!ignored && reader != null && !world.areLinksExcused()) {
        boolean cut = sent != null && sent.isCut(); // the rest of a large message did not come
        if (!reader.isBetweenFrames() || (left > 0 && !cut)) {
          wrong("a connection ended inside a message, without a fault");
        }
      }
      finish();
    }

    @Override
    protected void breaks(IOException why) {
      open.remove(this);
      boolean reset = RESET.equals(why.getMessage());
      boolean judged = frames != null || (streams && !reset); // the echo may come too late
      if (needsTls && judged && !ignored && !world.areLinksExcused()) {
        wrong("a connection with TLS was broken without a fault: " + why.getMessage());
      }
    }

    @Override
    protected long thinks() {
      return random.nextInt(5_000, 150_000);
    }
  }

  private final World world;
  private final boolean needsTls;
  private final boolean mutual;
  private final RandomGenerator random;
  private final InetSocketAddress address;
  private final Set<Incoming> open = new LinkedHashSet<>();
  private boolean up;
  private long stalledUntil;
  private long unreliableUntil;

  /** A node that does not run yet, 1 or 2. */
  NodeHost(World world, NodeTls tls, int number) {
    this.world = world;
    this.needsTls = tls.isOfNode(number);
    this.mutual = tls.isMutual();
    random = world.simulator().stream();
    address = new InetSocketAddress(NodeYaml.host(number), NodeFrames.PORT);
    if (needsTls) {
      world.network().encrypts(address);
    }
  }

  private @Nullable TlsEnd tls() {
    if (!needsTls) {
      return null;
    }
    return mutual ? Certificates.mutualServer() : Certificates.server();
  }

  String host() {
    return address.getHostString();
  }

  boolean isUp() {
    return up;
  }

  private boolean isUnreliable() {
    return world.simulator().now() < unreliableUntil;
  }

  /** Takes connections from now on. */
  void start() {
    world.simulator().trace("node starts", address.hashCode(), 0);
    up = world.network().listen(address, this);
  }

  /** Takes none from now on; those that are there are reset. */
  void crash() {
    world.simulator().trace("node crashes", address.hashCode(), 0);
    up = false;
    world.network().release(address);
    for (Incoming each : List.copyOf(open)) {
      each.abort();
      each.left();
    }
    open.clear();
  }

  /** Reads nothing for that long. */
  void stall(long nanos) {
    world.simulator().trace("node stalls", address.hashCode(), nanos);
    stalledUntil = world.simulator().now() + nanos;
    open.forEach(each -> each.pauseUntil(stalledUntil));
  }

  /** For that long, connections may end or say what they should not. */
  void misbehave(long nanos) {
    world.simulator().trace("node is unreliable", address.hashCode(), nanos);
    unreliableUntil = world.simulator().now() + nanos;
  }

  @Override
  public void accept(SimulatedSocket socket) {
    Incoming incoming = new Incoming();
    open.add(incoming);
    incoming.accepts(socket);
  }
}
