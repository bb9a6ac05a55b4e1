package sluice.gateway.server;

import org.jspecify.annotations.Nullable;

/**
 * Removal of a server from its pool, as one event loop carries it out. The server stays in use
 * until its last request is answered, and a request that was routed earlier may need it even later.
 */
final class Retirement {
  private final @Nullable Shared shared; // null: connections are not shared
  private boolean begun;
  private @Nullable Runnable wantedAgain; // null until the loop has left the server

  Retirement(@Nullable Shared shared) {
    this.shared = shared;
  }

  /** Whether the server was removed. */
  boolean hasBegun() {
    return begun;
  }

  /** The server was removed from its pool. */
  void begin() {
    begun = true;
    if (shared != null) {
      shared.server().retire();
    }
  }

  /**
   * The loop has no connections to it any more.
   *
   * @param again called when a connection is needed after all
   */
  void left(Runnable again) {
    wantedAgain = again;
    if (shared != null) {
      shared.server().left(shared.loop());
    }
  }

  /** A connection is needed. */
  void interrupt() {
    if (wantedAgain != null) {
      Runnable told = wantedAgain;
      wantedAgain = null;
      if (shared != null) {
        shared.server().returned(shared.loop());
      }
      told.run();
    }
  }

  /** Whether no other loop needs connections of this one. */
  boolean isLeftToThisLoop() {
    return shared == null || shared.server().isLeftTo(shared.loop());
  }
}
