package sluice.gateway.internode;

import io.vertx.core.Future;
import io.vertx.core.net.NetSocket;
import sluice.codecs.compress.Workspace;
import sluice.gateway.loop.Loop;
import sluice.gateway.tls.Dialer;

/** State that the links of one event loop share. Belongs to that loop's thread. */
final class LinkLoop {
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
}
