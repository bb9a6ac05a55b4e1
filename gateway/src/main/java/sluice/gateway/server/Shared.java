package sluice.gateway.server;

import sluice.gateway.server.shared.SharedServer;
import sluice.gateway.server.shared.Sharing;

/**
 * A server whose connections event loops share, for one of them.
 *
 * @param sharing access to the other loops
 * @param server state that all loops have in common
 */
record Shared(Sharing sharing, SharedServer server) {
  /** Index of this loop. */
  int loop() {
    return sharing.index();
  }
}
