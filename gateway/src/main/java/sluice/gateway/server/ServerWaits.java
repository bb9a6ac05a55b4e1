package sluice.gateway.server;

import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Waits of one request for servers. A server wakes the requests that wait for it whenever something
 * has changed, even if that does not help them; each then continues to wait. So the limit of a wait
 * counts from the first time that the request waited for the server.
 */
public final class ServerWaits {
  private @Nullable Map<Server, Long> begun; // null until the first wait
  private long since;

  /** The request waits for server, perhaps again; now is in {@link System#nanoTime}'s. */
  public void begin(Server server, long now) {
    begun = begun == null ? new IdentityHashMap<>(2) : begun;
    Long first = begun.putIfAbsent(server, now);
    since = first == null ? now : first;
  }

  /** Whether the request has waited for a server. */
  public boolean haveBegun() {
    return begun != null && !begun.isEmpty();
  }

  /** Start of the current wait, as for {@link ServerWaiter#waitingSince}. */
  public long since() {
    return since;
  }

  /**
   * The request was sent on, waits for something else first, or another one follows: its next wait
   * is a new one.
   */
  public void clear() {
    if (begun != null) {
      begun.clear();
    }
  }
}
