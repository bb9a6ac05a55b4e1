package sluice.perf.simulation;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.system.SimulatedPeer;
import sluice.perf.simulation.system.SimulatedSocket;
import sluice.perf.simulation.system.TlsEnd;

/** Connection of a client that judges its replies, and that none may be missing. */
abstract class CheckedConnection extends SimulatedPeer {
  /** No timeouts of a gateway add up to that, so that nothing excuses it. */
  private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** A client that sends slowly pauses for up to that long. */
  private static final long MOST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The same inside a value that may be streamed: others may need its connection after 500 ms. */
  private static final long MOST_PAUSE_OF_LARGE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** Values from that size on may be streamed. */
  private static final int LARGE = 64 * 1024;

  private final World world;
  private final String name;
  private final InetSocketAddress gateway;
  private long heard; // when it last made progress
  private boolean begun;
  private boolean watched;
  private boolean gone; // its client has another one by now, or will have
  private boolean uploading; // it pauses, maybe inside a value

  /**
   * A connection that is not there yet.
   *
   * @param name of the client, for findings
   * @param tls protects it; null for none
   */
  CheckedConnection(World world, String name, InetSocketAddress gateway, @Nullable TlsEnd tls) {
    super(world.simulator(), tls);
    this.world = world;
    this.name = name;
    this.gateway = gateway;
  }

  /** Connects from that host. */
  final void connect(String host) {
    connects(world.network().connect(host, gateway, this));
    watch();
  }

  @Override
  protected final void begins() {
    begun = true;
    sendBatch();
  }

  abstract void sendBatch();

  /** What it waits for; null for nothing. */
  abstract @Nullable String waitsFor();

  /** Whether one of its requests may have a part of its reply. */
  abstract boolean isReading();

  /** Its connection is over, or ends now, and its replies will not come. */
  abstract void lost();

  /** Whether the gateway is to close it. */
  boolean mayBeClosed() {
    return false;
  }

  /** Whether the gateway may reset it: of what it has sent, something may be unread. */
  boolean mayBeReset() {
    return false;
  }

  @Override
  protected void peerEnds() {
    if (!gone && !mayBeClosed() && !mayEnd()) {
      finding("the gateway has closed it");
    }
    loses();
  }

  /** A gateway that has closed it resets it, too, if more is sent. */
  @Override
  protected void breaks(IOException why) {
    if (!gone && !mayBeReset() && !mayEnd()) {
      finding(String.valueOf(why.getMessage()));
    }
    loses();
  }

  /** Ends it of its own accord. Its client makes another one. */
  final void leaves() {
    gone = true;
    finish();
  }

  private void loses() {
    if (!gone) {
      gone = true;
      lost();
    }
  }

  /** It must make progress from now on. */
  final void watch() {
    hears();
    if (!watched) {
      watched = true;
      simulator().after(LIMIT_NANOS, this::look);
    }
  }

  /** It has made progress. */
  final void hears() {
    heard = simulator().now();
  }

  private void look() {
    watched = false;
    String missing = begun ? waitsFor() : "connection";
    if (isOver() || missing == null) {
      return;
    }
    long quiet = simulator().now() - heard;
    if (quiet < LIMIT_NANOS) {
      watched = true;
      simulator().after(LIMIT_NANOS - quiet, this::look);
      return;
    }
    finding("no " + missing + " within 30 s");
    abort();
    loses();
  }

  /** A reply is wrong. */
  final void fails(String what) {
    finding(what);
    abort();
    loses();
  }

  /** Judges packets that arrive. Returns whether all are right; if not, the connection is over. */
  final boolean passes(Packets packets, byte[] bytes, Packets.Judge judge) {
    hears();
    String wrong = packets.receive(bytes, judge);
    if (wrong != null) {
      fails(wrong);
    }
    return wrong == null;
  }

  final void finding(String what) {
    SimulatedSocket socket = socket();
    int number = socket == null ? 0 : socket.number();
    simulator().finding(name + ", connection " + number + ": " + what);
  }

  /** Whether a fault may be the cause of an error that the gateway reports. */
  final boolean isExcused(String error) {
    return world.excuses().allow(error, gateway.getHostString());
  }

  /**
   * Whether a fault may be why the gateway has closed it: one of the gateway, of the network, or of
   * a server, part of whose reply has been passed on. It may also have kept memory that others
   * need.
   */
  final boolean mayEnd() {
    SimulatedSocket socket = socket();
    String host = gateway.getHostString();
    return world.excuses().isOf(host)
        || (socket != null && socket.wasCut())
        || (uploading && world.excuses().isFlooded(host))
        || (world.isExcused() && isReading());
  }

  /** Sends bytes up to any one of them, and the others some time later. */
  final void sendSlowly(byte[] bytes, RandomGenerator random) {
    int cut = random.nextInt(bytes.length);
    long most = bytes.length < LARGE ? MOST_PAUSE_NANOS : MOST_PAUSE_OF_LARGE_NANOS;
    uploading = true;
    send(Arrays.copyOf(bytes, cut));
    simulator()
        .after(
            random.nextLong(most),
            () -> {
              uploading = false;
              send(Arrays.copyOfRange(bytes, cut, bytes.length));
              hears();
            });
  }
}
