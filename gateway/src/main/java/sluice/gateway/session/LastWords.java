package sluice.gateway.session;

import sluice.gateway.loop.MemoryShare;

/**
 * Count of the bytes that clients of one event loop had sent before they closed and that are still
 * to be carried out. A small part of {@code process.memory} is there for them, so that clients that
 * send much and close at once cannot fill it, and keep those waiting that stay.
 */
public final class LastWords {
  private static final int PART_OF_MEMORY = 4;

  private final long most;
  private long bytes;

  LastWords(MemoryShare memory) {
    most = memory.evenShare() / PART_OF_MEMORY;
  }

  /** Whether so many bytes more may be kept. */
  public boolean hasRoomFor(long more) {
    return bytes + more <= most;
  }

  /** So many bytes more are to be carried out; negative: fewer. */
  public void add(long delta) {
    bytes += delta;
  }
}
