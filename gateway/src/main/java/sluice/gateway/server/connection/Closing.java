package sluice.gateway.server.connection;

/** The reason for which one connection is closed: the first that there was. */
final class Closing {
  private String reason; // as clients are told; null until it is to be closed
  private String detail; // as people are told
  private boolean forClient;

  /** It is closed for a reason that everybody is told. */
  void begin(String why) {
    begin(why, why);
  }

  /**
   * It is closed for a reason.
   *
   * @param toPeople what people are told, who may know more than clients
   */
  void begin(String why, String toPeople) {
    if (reason == null) {
      reason = why;
      detail = toPeople;
    }
  }

  /** It is closed for a reason that is a client's: the server is as healthy as before. */
  void beginForClient(String why) {
    begin(why);
    forClient = true;
  }

  boolean hasBegun() {
    return reason != null;
  }

  boolean isFor(String why) {
    return why.equals(reason);
  }

  String reason() {
    return reason;
  }

  String detail() {
    return detail;
  }

  boolean isForClient() {
    return forClient;
  }
}
