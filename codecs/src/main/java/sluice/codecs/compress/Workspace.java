package sluice.codecs.compress;

import io.netty.buffer.ByteBufAllocator;
import sluice.codecs.buffer.Slices;

/**
 * What the codecs of one event loop make buffers with. Owned by its thread.
 *
 * @param allocator of what leaves
 * @param scratch of what does not
 * @param slices of what was read
 */
public record Workspace(ByteBufAllocator allocator, Scratch scratch, Slices slices) {

  /** One of its own, with an empty scratch. */
  public static Workspace of(ByteBufAllocator allocator) {
    return new Workspace(allocator, new Scratch(allocator), new Slices());
  }
}
