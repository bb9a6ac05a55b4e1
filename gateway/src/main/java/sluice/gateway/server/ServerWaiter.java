package sluice.gateway.server;

/** A request that cannot be sent yet, and is told when it may try again. */
public interface ServerWaiter {
  /** A connection became usable or writable, or cannot be made: try again. */
  void serverChanged();

  /** The request has waited for longer than {@code queueTimeout}. */
  void serverTooLate(String reason);

  /** When it began to wait, in {@link System#nanoTime}'s nanoseconds. */
  long waitingSince();
}
