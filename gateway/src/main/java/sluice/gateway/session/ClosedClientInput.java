package sluice.gateway.session;

import sluice.gateway.loop.MemoryShare;

/**
 * Count of the bytes of closed clients of one event loop whose requests are still to be executed.
 * They may use a small part of {@code process.memory}. Otherwise clients that send much and close
 * at once could fill it, and make the connected clients wait.
 */
public final class ClosedClientInput {
  private static final int PART_OF_MEMORY = 4;

  private final long most;
  private long bytes;

  ClosedClientInput(MemoryShare memory) {
    most = memory.evenShare() / PART_OF_MEMORY;
  }

  /** Whether this many more bytes may be kept. */
  public boolean hasMemoryFor(long more) {
    return bytes + more <= most;
  }

  /** Adds bytes of requests that are to be executed; negative: fewer. */
  public void add(long delta) {
    bytes += delta;
  }
}
