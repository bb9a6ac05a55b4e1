package sluice.embedded;

/**
 * What a store's {@code stats} tells of the clients in front of it: those of the whole process,
 * since the process started.
 *
 * @param most how many may be connected at once
 * @param connected now
 * @param accepted so far
 * @param refused because there were too many
 * @param logins tried so far
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
  /** Of a store that nobody is in front of. */
  static final Clients NONE = new Clients(0, 0, 0, 0, 0, 0, 0, 0);

  /** The same, counted since another moment. */
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
