package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import sluice.codecs.buffer.ByteSink;

/**
 * Puts other messages in the place of some of one direction's, in order. For each that the {@link
 * MessageFilter} lets pass, {@link #concerns} is asked; if it says so, {@link #rewrite} is called
 * when all of the message is there; and if that says so, {@link #write}, at once.
 */
public interface MessageReplacer {
  /**
   * Whether a message may have to change: others need not be whole to go on. Of its payload nothing
   * need be there. Borrows the header, which is good until the call returns, and must not change
   * its buffer.
   */
  boolean concerns(MessageHeader header);

  /**
   * Looks at a whole message. Borrows the buffer, until after {@link #write} if that is called, and
   * must not change it: others may hold the same bytes.
   *
   * @param index of the message's first byte
   * @param length of header and payload, in bytes
   * @return whether another message takes its place; if not, it goes on as it is
   */
  boolean rewrite(ByteBuf message, int index, int length);

  /** Bytes of the new message, header and payload. */
  int length();

  /**
   * Hands out the new message, of the same version.
   *
   * @param sink consumes {@link #length} bytes, in one or more pieces; slices of the old message
   *     may be among them, and must hold on to its buffer
   */
  void write(ByteBufAllocator allocator, ByteSink sink);
}
