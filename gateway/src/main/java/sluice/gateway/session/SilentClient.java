package sluice.gateway.session;

/** A client that has connected and has not said anything yet, as its event loop sees it. */
public interface SilentClient {
  /** Whether its listener is no longer configured. */
  boolean isRetired();

  /** After how long it is closed, in ns; 0: never. */
  long idleNanos();
}
