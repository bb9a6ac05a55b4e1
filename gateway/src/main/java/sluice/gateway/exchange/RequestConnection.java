package sluice.gateway.exchange;

/** A connection to a server, as those see it whose requests are sent on it. */
public interface RequestConnection {
  /** The server's name in the configuration. */
  String serverName();

  /** Whether {@code other} is another connection to the same server. */
  boolean isAnotherToSameServer(RequestConnection other);
}
