package sluice.gateway.internode;

import sluice.codecs.internode.Framing;
import sluice.gateway.server.health.ServerStatus;

/** The node behind a pool, as one event loop reaches it. */
public final class Upstream {
  private final ServerStatus status;
  private final Reach reach;
  private final int connectTimeoutMillis;
  private final Framing framing;
  private volatile int connections;

  /**
   * A node.
   *
   * @param framing of messages to it; null if they stay as their sender wrapped them
   */
  public Upstream(ServerStatus status, Reach reach, int connectTimeoutMillis, Framing framing) {
    this.status = status;
    this.reach = reach;
    this.connectTimeoutMillis = connectTimeoutMillis;
    this.framing = framing;
  }

  /** What is known of it beyond this event loop. */
  public ServerStatus status() {
    return status;
  }

  Reach reach() {
    return reach;
  }

  int connectTimeoutMillis() {
    return connectTimeoutMillis;
  }

  /** How messages to it are wrapped by an initiator that chose {@code chosen}. */
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
