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

  private final Loop loop;
  private final Dialer dialer;
  private final long leavingNanos;

  LinkLoop(Loop loop, Dialer dialer, long leavingNanos) {
    this.loop = loop;
    this.dialer = dialer;
    this.leavingNanos = leavingNanos;
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
}
