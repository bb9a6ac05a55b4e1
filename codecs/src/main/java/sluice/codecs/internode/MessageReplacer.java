package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import sluice.codecs.buffer.ByteSink;

/**
 * Replacement of some messages of one direction, in order. {@link #concerns} is called for each
 * message that the {@link MessageFilter} lets pass. If it returns true, {@link #rewrite} is called
 * once the message is complete. If that returns true, {@link #write} follows at once.
 */
public interface MessageReplacer {
  /**
   * Whether a message may have to change; any other need not be complete to pass. The payload may
   * be missing. Borrows the header, which is valid until the call returns. The replacer must not
   * change the header's buffer.
   */
  boolean concerns(MessageHeader header);

  /**
   * Reads a complete message. Borrows the buffer until this method returns false, or else until
   * {@link #write} returns. It must not be changed, because other holders may share its bytes.
   *
   * @param index of the message's first byte
   * @param length of header and payload, in bytes
   * @return whether another message replaces it; if not, it passes unchanged
   */
  boolean rewrite(ByteBuf message, int index, int length);

  /** Length of the new message in bytes, header and payload. */
  int length();

  /**
   * Passes on the new message, which has the same version.
   *
   * @param sink consumes {@link #length} bytes, in one or more buffers; some may be slices of the
   *     old message, which retain its buffer
   */
  void write(ByteBufAllocator allocator, ByteSink sink);
}
