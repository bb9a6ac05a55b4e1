package sluice.embedded;

/**
 * Statistics on a process's clients for a store's {@code stats}, counted since the process started.
 *
 * @param most clients allowed at once
 * @param connected now
 * @param accepted so far
 * @param refused because there were too many
 * @param logins attempted so far
 * @param failedLogins of these
 * @param bytesRead from them
 * @param bytesWritten to them
 */
public record Clients(
    long most,
    long connected,
    long accepted,
    long refused,
    long logins,
    long failedLogins,
    long bytesRead,
    long bytesWritten) {
  /** Statistics of a store without clients. */
  static final Clients NONE = new Clients(0, 0, 0, 0, 0, 0, 0, 0);

  /** The statistics counted since another moment. */
  Clients since(Clients before) {
    return new Clients(
        most,
        connected,
        accepted - before.accepted,
        refused - before.refused,
        logins - before.logins,
        failedLogins - before.failedLogins,
        bytesRead - before.bytesRead,
        bytesWritten - before.bytesWritten);
  }
}
