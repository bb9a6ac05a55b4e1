package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;

/** Takes bytes in the order in which they are to leave. */
@FunctionalInterface
public interface ByteSink {
  /** Consumes the bytes between its indexes, of which there is at least one. */
  void accept(ByteBuf bytes);
}
