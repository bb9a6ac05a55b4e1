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

  private static final long OLD_NANOS = TimeUnit.SECONDS.toNanos(Scenario.MOST_AGE_SECONDS * 4 / 5);

  /** Within that time, a gateway has what its client has sent, and it has the reply to that. */
  private static final long HANDLED_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Within that time, a gateway has the beginning of a request. */
  private static final long ARRIVED_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** A client that sends slowly pauses for up to that long. */
  private static final long MOST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The same inside a value that may be streamed: others may need its connection after 500 ms. */
  private static final long MOST_PAUSE_OF_LARGE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  /** Values from that size on may be streamed. */
  private static final int LARGE = 64 * 1024;

  private final World world;
  private final String name;
  private final InetSocketAddress gateway;
  private long began;
  private long sent; // when the client last sent something
  private long heard; // when it last made progress
  private boolean begun;
  private boolean watched;
  private boolean gone; // its client has another one by now, or will have
  private boolean uploading; // it pauses, maybe inside a value
  private boolean inside; // it pauses inside a request

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
    began = simulator().now();
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
    sent = simulator().now();
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

  /** Whether the gateway may close it for its age. */
  final boolean isOld() {
    return world.excuses().isAgeLimited(gateway) && simulator().now() - began > OLD_NANOS;
  }

  /** Whether it may have done so now: it waits for the end of a request, and answers it. */
  private boolean mayAgeOut() {
    long now = simulator().now();
    if (!isOld()) {
      return false;
    }
    return inside
        ? now - sent < ARRIVED_NANOS
        : waitsFor() == null
            || uploading
            || unsent() > 0
            || now - sent < HANDLED_NANOS
            || world.excuses().isFlooded(gateway.getHostString());
  }

  /**
   * Whether a fault may be why the gateway has closed it: one of the gateway, of the network, or of
   * a server, part of whose reply has been passed on. It may also have kept memory that others
   * need, or be old.
   */
  final boolean mayEnd() {
    SimulatedSocket socket = socket();
    String host = gateway.getHostString();
    return world.excuses().isOf(host)
        || mayAgeOut()
        || (socket != null && socket.wasCut())
        || (uploading && world.excuses().isFlooded(host))
        || (world.isExcused() && isReading());
  }

  /** Sends bytes up to any one of them, and the others some time later. */
  final void sendSlowly(byte[] bytes, RandomGenerator random) {
    sendSlowly(bytes, random, false);
  }

  /**
   * The same.
   *
   * @param isOne whether they are one request
   */
  final void sendSlowly(byte[] bytes, RandomGenerator random, boolean isOne) {
    int cut = random.nextInt(bytes.length);
    inside = isOne && cut > 0;
    long most = bytes.length < LARGE ? MOST_PAUSE_NANOS : MOST_PAUSE_OF_LARGE_NANOS;
    uploading = true;
    send(Arrays.copyOf(bytes, cut));
    simulator()
        .after(
            random.nextLong(most),
            () -> {
              uploading = false;
              inside = false;
              sent = simulator().now();
              send(Arrays.copyOfRange(bytes, cut, bytes.length));
              hears();
            });
  }
}
