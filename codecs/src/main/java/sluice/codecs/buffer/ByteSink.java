package sluice.codecs.buffer;

import io.netty.buffer.ByteBuf;

/** Receiver of bytes in the order in which they are to be sent. */
@FunctionalInterface
public interface ByteSink {
  /** Consumes the readable bytes of a buffer, which is never empty. */
  void accept(ByteBuf bytes);
}
