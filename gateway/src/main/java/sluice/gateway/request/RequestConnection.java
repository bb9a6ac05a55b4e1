package sluice.gateway.request;

/** Server connection, from the point of view of a request that was sent on it. */
public interface RequestConnection {
  /** The server's name in the configuration. */
  String serverName();

  /** Whether {@code other} is another connection to the same server. */
  boolean isAnotherToSameServer(RequestConnection other);
}
