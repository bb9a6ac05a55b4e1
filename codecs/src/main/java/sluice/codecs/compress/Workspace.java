package sluice.codecs.compress;

import io.netty.buffer.ByteBufAllocator;
import sluice.codecs.buffer.Slices;

/**
 * Sources of buffers for the codecs of one event loop. Owned by its thread.
 *
 * @param allocator of buffers that leave the event loop
 * @param scratch memory that does not leave it
 * @param slices of bytes that were read
 */
public record Workspace(ByteBufAllocator allocator, Scratch scratch, Slices slices) {

  /** A workspace with an empty scratch of its own. */
  public static Workspace of(ByteBufAllocator allocator) {
    return new Workspace(allocator, new Scratch(allocator), new Slices());
  }
}
