package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.compress.Lz4;

/**
 * Tracker of the bytes that are still missing of a message cut over partial frames, on links whose
 * messages are not read. It takes the length from the message's header, which is in the first of
 * these frames. In a compressed frame, only the header is decompressed. A CRC32 is checked only if
 * a node would count other bytes when it is wrong.
 *
 * <p>If a message's header cannot be read, the state is unknown until the next self-contained
 * frame, which nodes send only between messages.
 */
final class LargeMessage {
  /** The most bytes of a header, unless it names dozens of nodes. */
  private static final int HEADER = 1024;

  /** The most compressed bytes that are needed for that header, even if it does not compress. */
  private static final int BLOCK = HEADER + HEADER / 255 + 16;

  private final int version;
  private ByteBuf head = Unpooled.EMPTY_BUFFER; // empty until a message in partial frames begins
  private long open;
  private boolean unknown;

  /** Messages of one version, 12 to 14. */
  LargeMessage(int version) {
    this.version = version;
  }

  /** Whether no message is open, as far as is known. */
  boolean isBetween() {
    return open == 0 && !unknown;
  }

  /** Whether a message could not be followed, and no self-contained frame has come since. */
  boolean isUnknown() {
    return unknown;
  }

  /** Takes account of the frame at an offset of the queue, which must be complete. */
  void next(Frame frame, PlainPayload payload, SliceList queue, int offset) {
    if (frame.isSelfContained()) {
      unknown = false;
    } else if (open > 0) {
      goOn(frame.isEmptyIfCorrupt() && !payload.isIntact() ? 0 : frame.plainLength());
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

  private void begin(Frame frame, SliceList queue, int payload) {
    if (head.capacity() == 0) {
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

  /** The message's length, read from the first bytes of the head; -1 if they do not contain it. */
  private long lengthIn(int bytes) {
    try {
      return MessageLength.of(head, 0, bytes, version);
    } catch (ProtocolException e) {
      return -1;
    }
  }
}
