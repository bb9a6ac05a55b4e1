package sluice.gateway.internode;

import io.vertx.core.Future;
import io.vertx.core.net.NetSocket;
import sluice.codecs.compress.Workspace;
import sluice.gateway.loop.Loop;
import sluice.gateway.tls.Dialer;

/** What the links of one event loop share. Belongs to that loop's thread. */
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

  /** What the loop's codecs make buffers with. */
  Workspace workspace() {
    return loop.workspace();
  }

  /** A new socket to a node, on this loop. */
  Future<NetSocket> connect(Reach node, int timeoutMillis) {
    return dialer.connect(node.address(), timeoutMillis, node.tls());
  }

  /** How long a link that is to end may take over the message under way. */
  long leavingNanos() {
    return leavingNanos;
  }
}
