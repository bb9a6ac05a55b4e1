package sluice.gateway.session;

/** Client that has connected and not sent anything yet, as its event loop manages it. */
public interface SilentClient {
  /** Whether its listener is no longer configured. */
  boolean isRetired();

  /** Idle time after which it is closed, in ns; 0: never. */
  long idleNanos();
}
