package sluice.gateway.server;

/** Request that waits for a server, and is notified when it may try again. */
public interface ServerWaiter {
  /** A connection became usable or writable, or cannot be made: try again. */
  void serverChanged();

  /** The request has waited for longer than {@code queueTimeout}. */
  void serverTooLate(String reason);

  /** Start of the wait, in {@link System#nanoTime}'s nanoseconds. */
  long waitingSince();
}
