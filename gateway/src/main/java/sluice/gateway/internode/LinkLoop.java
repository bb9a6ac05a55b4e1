package sluice.gateway.internode;

import io.vertx.core.Future;
import io.vertx.core.net.NetSocket;
import java.util.concurrent.TimeUnit;
import sluice.codecs.compress.Workspace;
import sluice.gateway.loop.Loop;
import sluice.gateway.tls.Dialer;

/** State that the links of one event loop share. Belongs to that loop's thread. */
final class LinkLoop {
  /**
   * Time that a message has at least before the rules of a new configuration apply: large messages
   * on slow networks take so long.
   */
  private static final long LEAST_FOLLOWING_NANOS = TimeUnit.SECONDS.toNanos(30);

  /**
   * Time that the rests of links that have closed may take together, in each {@link #ENDS_NANOS}.
   * No other socket has its turn between them, and a peer may close hundreds of links at once.
   */
  private static final long MOST_AT_ENDS_NANOS = TimeUnit.MILLISECONDS.toNanos(320);

  private static final long ENDS_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * Time that the frames of all links may take together, in each {@link #FRAMES_NANOS}, before
   * other sockets come first. Hundreds of links may be ready to read in one loop iteration, and
   * each of them may take a turn.
   */
  private static final long MOST_ON_FRAMES_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private static final long FRAMES_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Loop loop;
  private final Dialer dialer;
  private final long leavingNanos;
  private long endsSince; // since when that time is counted
  private long spentAtEnds;
  private long framesSince; // the same for the time of frames
  private long spentOnFrames;

  LinkLoop(Loop loop, Dialer dialer, long leavingNanos) {
    this.loop = loop;
    this.dialer = dialer;
    this.leavingNanos = leavingNanos;
    endsSince = loop.now();
    framesSince = loop.now();
  }

  Loop loop() {
    return loop;
  }

  /** Buffers and memory for the loop's codecs. */
  Workspace workspace() {
    return loop.workspace();
  }

  /** Opens a socket to a node, on this loop. */
  Future<NetSocket> connect(Reach node, int timeoutMillis) {
    return dialer.connect(node.address(), timeoutMillis, node.tls());
  }

  /** How long an ending link may take for its current message. */
  long leavingNanos() {
    return leavingNanos;
  }

  /**
   * How long a link may continue with former rules to the end of its current message. A process
   * that may stop at once does not have to close links at each change of rules.
   */
  long followingNanos() {
    return Math.max(leavingNanos, LEAST_FOLLOWING_NANOS);
  }

  /**
   * Whether other sockets come before a link whose frames may take long: not unless links have
   * taken much of the time.
   */
  boolean areOthersDue() {
    return spentOnFrames >= MOST_ON_FRAMES_NANOS && loop.nanos() - framesSince < FRAMES_NANOS;
  }

  /** Frames that may take long took from one time until another, in nanoseconds. */
  void spentOnFrames(long from, long until) {
    if (from - framesSince >= FRAMES_NANOS) {
      framesSince = from;
      spentOnFrames = 0;
    }
    spentOnFrames += until - from;
  }

  /** Whether the rest of a link that has closed may take time: not after others took much. */
  boolean hasTimeAtEnd() {
    long now = loop.nanos();
    if (now - endsSince > ENDS_NANOS) {
      endsSince = now;
      spentAtEnds = 0;
    }
    return spentAtEnds < MOST_AT_ENDS_NANOS;
  }

  /** The rest of a link that has closed has taken so long, in nanoseconds. */
  void spentAtEnd(long nanos) {
    spentAtEnds += nanos;
  }
}
