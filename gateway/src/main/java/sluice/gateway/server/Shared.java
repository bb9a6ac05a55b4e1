package sluice.gateway.server;

import sluice.gateway.server.shared.LoopMailboxes;
import sluice.gateway.server.shared.SharedServer;

/**
 * A server whose connections event loops share, for one of them.
 *
 * @param mailboxes access to the other loops
 * @param server state that all loops have in common
 */
record Shared(LoopMailboxes mailboxes, SharedServer server) {
  /** Index of this loop. */
  int loop() {
    return mailboxes.index();
  }
}
