package sluice.perf.simulation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import sluice.codecs.internode.ConnectionType;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Initiate;
import sluice.codecs.internode.MessageHeader;
import sluice.names.Verb;
import sluice.perf.simulation.system.SimulatedPeer;

/**
 * Cassandra node that connects to another one through a gateway, one connection after the other,
 * and sends messages or a stream.
 */
final class NodeInitiator {
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final int MOST_BYTES = 300_000;

  /** The simulation takes much longer where it encrypts. */
  private static final int MOST_ENCRYPTED_BYTES = 70_000;

  /** What a connection is for. */
  private enum Kind {
    SMALL,
    LARGE,
    STREAM
  }

  private static final List<Kind> KINDS = List.of(Kind.values());

  private final class Link extends SimulatedPeer {
    private final Kind kind = KINDS.get(random.nextInt(KINDS.size()));
    private final Framing framing = NodeFrames.anyFraming(random);
    private final NodeLinks.Sent sent = new NodeLinks.Sent();
    private final NodeLinks.Sent echo = new NodeLinks.Sent();
    private final ByteArrayOutputStream accept = new ByteArrayOutputStream();
    private final boolean excused = world.areLinksExcused(); // what happens now may show later
    private final int faults = world.linkFaults();
    private int batches = random.nextInt(1, 12);
    private boolean accepted;
    private boolean begun; // a message or bytes that must arrive were sent
    private boolean given; // it has closed the connection itself
    private boolean halfClosed;

    Link() {
      super(world.simulator(), to.tls() ? Certificates.client() : null);
      sent.whenLeft(this::mustEnd);
    }

    @Override
    protected void begins() {
      ByteBuf out = Unpooled.buffer();
      InetSocketAddress from = NodeFrames.address(host);
      int version = NodeFrames.VERSION;
      if (kind == Kind.STREAM) {
        Initiate.writeStreaming(out, version, version, version, from);
      } else {
        ConnectionType type = kind == Kind.LARGE ? ConnectionType.LARGE : ConnectionType.SMALL;
        Initiate.writeMessaging(out, type, framing, version, version, version, from);
      }
      send(ByteBufUtil.getBytes(out));
      if (random.nextInt(4) == 0) {
        sendBatch(); // nodes take what follows before they have answered
      }
    }

    private void mustBeAccepted() {
      if (accepted || isOver()) {
        return;
      }
      if (accept.size() == 0 && !world.mayLosePackets()) {
        simulator().finding(name() + ": neither accepted nor closed within 30 s");
      }
      wrong("no answer to its handshake within 30 s");
    }

    private void mustEnd() {
      simulator()
          .after(
              LIMIT_NANOS,
              () -> {
                if (!isOver() && !world.mayLosePackets()) {
                  simulator()
                      .finding(name() + ": not closed within 30 s after the end of either node");
                }
              });
    }

    @Override
    protected void receives(byte[] bytes) {
      byte[] rest = bytes;
      if (!accepted) {
        accept.writeBytes(bytes);
        if (accept.size() < NodeFrames.ACCEPT.length) {
          return;
        }
        byte[] all = accept.toByteArray();
        int end = NodeFrames.ACCEPT.length;
        if (!Arrays.equals(all, 0, end, NodeFrames.ACCEPT, 0, end)) {
          wrong("another answer to its handshake than the node gave");
          return;
        }
        accepted = true;
        rest = Arrays.copyOfRange(all, end, all.length);
        goOn();
      }
      if (rest.length > 0 && !echo.isNext(rest)) {
        wrong("bytes came back that its node did not send");
      }
    }

    private void wrong(String what) {
      if (!isExcused()) {
        simulator().finding(name() + ": " + what);
      }
      abort();
      connectLater();
    }

    private String name() {
      int number = socket() == null ? 0 : socket().number();
      return "node %s, connection %d to %s, %s, %s"
          .formatted(host, number, to.address(), kind, framing);
    }

    private boolean isExcused() {
      return excused || world.areLinksExcused() || faults != world.linkFaults();
    }

    // --- what it sends --------------------------------------------------------------------------

    private void goOn() {
      if (isOver() || given) {
        return;
      }
      if (batches-- <= 0 || world.isEnding()) {
        given = true;
        mustArrive();
        if (kind == Kind.STREAM) {
          simulator().after(LIMIT_NANOS, this::endStream); // the echo is on its way
        } else if (to.tls() && random.nextInt(3) == 0) {
          breakOff(rest(), random);
        } else if (random.nextInt(4) == 0) {
          halfClosed = true;
          halfClose();
          mustEnd();
        } else {
          if (random.nextInt(3) == 0) {
            sendPart();
          }
          finish();
        }
        connectLater();
        return;
      }
      sendBatch();
      simulator().after(pause(), this::goOn);
    }

    private void endStream() {
      if (!isOver() && echo.received() < echo.sent()) {
        wrong("%d of %d bytes came back".formatted(echo.received(), echo.sent()));
      } else if (to.tls() && random.nextInt(3) == 0) {
        breakOff(streamed(), random);
      } else {
        finish();
      }
    }

    private void sendBatch() {
      if (kind == Kind.STREAM) {
        sendStream();
      } else {
        sendMessages();
      }
      mustArrive();
    }

    private void mustArrive() {
      long soFar = sent.sent();
      simulator()
          .after(
              LIMIT_NANOS,
              () -> {
                if (sent.received() < soFar && (given || !isOver())) {
                  wrong("%d of %d bytes arrived within 30 s".formatted(sent.received(), soFar));
                }
              });
    }

    private void sendStream() {
      send(streamed());
      world.countRequests(1);
    }

    private byte[] streamed() {
      byte[] bytes = new byte[random.nextInt(8, 60_000)];
      random.nextBytes(bytes);
      if (!begun) {
        begun = true;
        long id = world.links().nextId();
        ByteBuffer.wrap(bytes).putLong(id);
        world.links().begins(id, sent);
      }
      sent.add(bytes);
      echo.add(bytes);
      return bytes;
    }

    private void sendMessages() {
      frames().forEach(this::send);
    }

    private List<byte[]> frames() {
      int count = random.nextInt(3) == 0 ? random.nextInt(1, 20) : 1;
      List<byte[]> messages = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        messages.add(message(kind == Kind.LARGE && i < 2));
      }
      world.countRequests(count);
      return NodeFrames.frames(framing, messages, random);
    }

    /** Sends messages and ends inside a frame, as a node that dies. */
    private void sendPart() {
      sent.cut();
      List<byte[]> frames = frames();
      int last = random.nextInt(frames.size());
      frames.subList(0, last).forEach(this::send);
      byte[] frame = frames.get(last);
      send(Arrays.copyOf(frame, random.nextInt(frame.length)));
    }

    /** Messages that need not arrive, because it ends while it sends them. */
    private byte[] rest() {
      sent.cut();
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      frames().forEach(all::writeBytes);
      return all.toByteArray();
    }

    private byte[] message(boolean large) {
      long id = world.links().nextId();
      boolean rejected = random.nextInt(8) == 0;
      Verb verb = rejected ? Verb.TRUNCATE_REQ : Verb.MUTATION_REQ;
      int flags = random.nextBoolean() ? MessageHeader.CALL_BACK_ON_FAILURE : 0;
      int length =
          large
              ? random.nextInt(20_000, mostBytes)
              : random.nextInt(random.nextInt(4) > 0 ? 300 : 9_000);
      byte[] message = NodeFrames.message(id, verb, flags, length);
      if (rejected && scenario.rejectsMessages()) {
        if (flags != 0) {
          world.links().asksForAnswer(id, host);
        }
        return message;
      }
      if (!begun) {
        begun = true;
        world.links().begins(id, sent);
      }
      sent.add(message);
      return message;
    }

    // --- how it ends ----------------------------------------------------------------------------

    @Override
    protected void peerEnds() {
      if (given) {
        finish(); // it has half-closed
      } else {
        wrong("the gateway has closed it");
      }
    }

    @Override
    protected void breaks(IOException why) {
      String reason = String.valueOf(why.getMessage());
      // The gateway closes at once: a socket that takes bytes slowly may cut its close_notify.
      if (!halfClosed || !reason.equals(INSIDE_RECORD)) {
        wrong(reason);
      }
    }

    @Override
    protected long thinks() {
      return random.nextInt(5_000, 60_000);
    }
  }

  private final World world;
  private final Scenario scenario;
  private final String host;
  private final NodeListener to;
  private final RandomGenerator random;
  private final int mostBytes; // of a large message
  private final long pauseNanos;
  private boolean planned;

  /**
   * A node that is not connected.
   *
   * @param to the gateway's listener that leads to the other node
   */
  NodeInitiator(World world, Scenario scenario, String host, NodeListener to) {
    this.world = world;
    this.scenario = scenario;
    this.host = host;
    this.to = to;
    random = world.simulator().stream();
    mostBytes = scenario.nodeTls().isAny() ? MOST_ENCRYPTED_BYTES : MOST_BYTES;
    pauseNanos = random.nextLong(100_000_000, 6_000_000_000L);
  }

  void start() {
    connectLater();
  }

  private long pause() {
    return world.withRests(
        random.nextInt(4) > 0 ? random.nextLong(pauseNanos) : random.nextLong(200_000));
  }

  private void connectLater() {
    if (!planned) {
      planned = true;
      world.simulator().after(random.nextLong(TimeUnit.SECONDS.toNanos(1)), this::connect);
    }
  }

  private void connect() {
    planned = false;
    if (world.isEnding()) {
      return;
    }
    Link link = new Link();
    world.simulator().after(LIMIT_NANOS, link::mustBeAccepted);
    link.connects(world.network().connect(host, to.address(), link));
  }
}
