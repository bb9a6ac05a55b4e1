package sluice.gateway.server;

import sluice.gateway.server.health.ServerStatus;

/**
 * Error for requests that are sent to an ejected server because there is no other one. The text is
 * rebuilt only for a new reason.
 */
final class Ejection {
  private final ServerStatus status;
  private String ejectedFor = "";
  private String reason = "";

  Ejection(ServerStatus status) {
    this.status = status;
  }

  /** The reason for which requests fail at once. */
  String reason() {
    String why = status.health().ejectedFor();
    if (!why.equals(ejectedFor)) {
      ejectedFor = why;
      reason = "server " + status.name() + " is ejected: " + why;
    }
    return reason;
  }
}
