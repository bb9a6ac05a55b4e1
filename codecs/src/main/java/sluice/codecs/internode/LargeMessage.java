package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.ByteQueue;
import sluice.codecs.compress.Lz4;

/**
 * How much is missing of the message that is cut over partial frames, where nobody looks at
 * messages otherwise: from the length in its header, which is in the first of them. Of a compressed
 * frame no more than that is decompressed, and no CRC32 is checked.
 *
 * <p>A message whose header cannot be read is not followed: then nothing is known until a
 * self-contained frame comes, which nodes send between messages only.
 */
final class LargeMessage {
  /** Bytes of a message in which its header ends, unless it names dozens of nodes. */
  private static final int HEADER = 1024;

  /** Bytes of a block that become so many, however little it shrinks. */
  private static final int BLOCK = HEADER + HEADER / 255 + 16;

  private final int version;
  private ByteBuf head; // null until there is a message in partial frames
  private long open;
  private boolean unknown;

  /** Messages of one version, 12 to 14. */
  LargeMessage(int version) {
    this.version = version;
  }

  /** Whether no message is known to be open. */
  boolean isBetween() {
    return open == 0 && !unknown;
  }

  /** Whether a message could not be followed, and no self-contained frame has come since. */
  boolean isUnknown() {
    return unknown;
  }

  /** A frame goes by that begins at an offset of the queue, and all of which is there. */
  void next(Frame frame, ByteQueue queue, int offset) {
    if (frame.isSelfContained()) {
      unknown = false;
    } else if (open > 0) {
      goOn(frame.plainLength());
    } else if (!unknown) {
      begin(frame, queue, offset + frame.framing().headerLength());
    }
  }

  private void goOn(int bytes) {
    open -= bytes;
    if (open < 0) {
      open = 0;
      unknown = true;
    }
  }

  private void begin(Frame frame, ByteQueue queue, int payload) {
    if (head == null) {
      head = Unpooled.buffer(HEADER + BLOCK, HEADER + BLOCK);
      head.writerIndex(HEADER + BLOCK);
    }
    int plain;
    if (frame.isCompressed()) {
      int block = Math.min(BLOCK, frame.payloadLength());
      queue.getBytes(payload, head, HEADER, block);
      plain = Lz4.decompressStart(head, HEADER, block, head, 0, HEADER);
    } else {
      plain = Math.min(HEADER, frame.payloadLength());
      queue.getBytes(payload, head, 0, plain);
    }
    open = lengthIn(plain) - frame.plainLength();
    if (open <= 0) {
      open = 0;
      unknown = true;
    }
  }

  /** The length of the message that begins with so many bytes of the head; -1 if it is not told. */
  private long lengthIn(int bytes) {
    try {
      return MessageHeader.messageLength(head, 0, bytes, version);
    } catch (ProtocolException e) {
      return -1;
    }
  }
}
