package sluice.gateway.internode;

import org.jspecify.annotations.Nullable;
import sluice.codecs.internode.Framing;
import sluice.gateway.server.health.ServerStatus;

/** Node behind a pool, on one event loop. */
public final class Upstream {
  private final ServerStatus status;
  private final Reach reach;
  private final int connectTimeoutMillis;
  private final @Nullable Framing framing;
  private volatile int connections;

  /**
   * A node.
   *
   * @param framing of messages to it; null to keep their sender's framing
   */
  public Upstream(
      ServerStatus status, Reach reach, int connectTimeoutMillis, @Nullable Framing framing) {
    this.status = status;
    this.reach = reach;
    this.connectTimeoutMillis = connectTimeoutMillis;
    this.framing = framing;
  }

  /** State of the node across event loops. */
  public ServerStatus status() {
    return status;
  }

  Reach reach() {
    return reach;
  }

  int connectTimeoutMillis() {
    return connectTimeoutMillis;
  }

  /** The framing of messages to it from an initiator that chose {@code chosen}. */
  Framing framing(Framing chosen) {
    return framing == null ? chosen : framing;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // written by its own loop only
  void opened() {
    connections++;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // written by its own loop only
  void closed() {
    connections--;
  }

  /** Open connections of this event loop; from any thread. */
  public int connections() {
    return connections;
  }
}
