package sluice.gateway.server;

import sluice.gateway.server.health.ServerStatus;

/**
 * What requests are told that come to a server although it is ejected: there is no other to go to.
 * The text is made anew only when the reason is another.
 */
final class Ejection {
  private final ServerStatus status;
  private String ejectedFor = "";
  private String reason = "";

  Ejection(ServerStatus status) {
    this.status = status;
  }

  /** Why requests fail at once. */
  String reason() {
    String why = status.health().ejectedFor();
    if (!why.equals(ejectedFor)) {
      ejectedFor = why;
      reason = "server " + status.name() + " is ejected: " + why;
    }
    return reason;
  }
}
