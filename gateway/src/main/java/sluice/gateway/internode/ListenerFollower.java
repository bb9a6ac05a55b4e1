package sluice.gateway.internode;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/** Configuration that one link follows: its listener's newest settings, and the chosen server. */
final class ListenerFollower {
  /** Effect of a newer configuration on a link. */
  enum Change {
    /** There is no newer configuration. */
    NONE,
    /** The link's server is the same: the link continues with the listener's newest settings. */
    FOLLOWED,
    /** The listener leads to another server now: the link must end. */
    MOVED
  }

  private LinkListenerView listenerView;
  private @Nullable Upstream upstream; // null: no server is chosen yet
  private boolean moved;

  /** A follower of a listener, from its given settings on. */
  ListenerFollower(LinkListenerView listenerView) {
    this.listenerView = listenerView;
  }

  /** The listener's settings in the newest configuration that was followed. */
  LinkListenerView listenerView() {
    return listenerView;
  }

  /** Chooses the server of the link for good. */
  Upstream choose() {
    Upstream chosen = listenerView.upstream();
    upstream = chosen;
    return chosen;
  }

  /** The chosen server; only after {@link #choose}. */
  @SuppressWarnings("NullAway") // choose has set it
  Upstream upstream() {
    return upstream;
  }

  /**
   * Follows the newest configuration.
   *
   * @param from the node that opened the link; null if it is not known
   */
  Change follow(@Nullable InetSocketAddress from) {
    LinkListenerView newest = listenerView.newest();
    if (newest == listenerView) {
      return Change.NONE;
    }
    // The node's address, as the server knows it, or the server's own may have changed.
    moved |= upstream != null && !listenerView.leadsAs(newest, from);
    listenerView = newest;
    return moved ? Change.MOVED : Change.FOLLOWED;
  }

  /** Whether the listener does not lead to the link's server any more. */
  boolean hasMoved() {
    return moved;
  }
}
