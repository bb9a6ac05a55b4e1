package sluice.codecs.memcached.bridge;

/**
 * Reason, as the client gets it, why a request is refused or cannot be answered.
 *
 * @param status {@link Status#CLIENT_ERROR} or {@link Status#SERVER_ERROR}
 * @param line as text clients get it, without line end
 */
public record Failure(Status status, String line) {
  /** A failure that the client caused. */
  public static Failure ofClient(String text) {
    return new Failure(Status.CLIENT_ERROR, "CLIENT_ERROR " + text);
  }

  /** A failure that the client did not cause. */
  public static Failure ofServer(String text) {
    return new Failure(Status.SERVER_ERROR, "SERVER_ERROR " + text);
  }
}
