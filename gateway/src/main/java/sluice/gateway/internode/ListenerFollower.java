package sluice.gateway.internode;

import java.net.InetSocketAddress;

/** The configuration that one link follows: its listener's newest, and the server it chose. */
final class ListenerFollower {
  /** What a newer configuration means for a link. */
  enum Change {
    /** There is none. */
    NONE,
    /** The link leads where it led: it goes on by what the listener says now. */
    FOLLOWED,
    /** The listener does not lead any more where the link leads: the link is to end. */
    MOVED
  }

  private LinkListening listening;
  private Upstream upstream; // null: none is chosen yet
  private boolean moved;

  /** Follows a listener from what it says now. */
  ListenerFollower(LinkListening listening) {
    this.listening = listening;
  }

  /** The listener, as the newest configuration that was followed has it. */
  LinkListening listening() {
    return listening;
  }

  /** The server that the link leads to from now on, which stays. */
  Upstream choose() {
    upstream = listening.upstream();
    return upstream;
  }

  /** The server that was chosen; null if none was yet. */
  Upstream upstream() {
    return upstream;
  }

  /**
   * Goes over to the newest configuration.
   *
   * @param from the node that opened the link; null if it did not say
   */
  Change follow(InetSocketAddress from) {
    LinkListening newest = listening.newest();
    if (newest == listening) {
      return Change.NONE;
    }
    // What the server was told of the node, or where it is, may be no longer true.
    moved |= upstream != null && !listening.leadsAs(newest, from);
    listening = newest;
    return moved ? Change.MOVED : Change.FOLLOWED;
  }

  /** Whether the listener has ceased to lead where the link leads. */
  boolean hasMoved() {
    return moved;
  }
}
