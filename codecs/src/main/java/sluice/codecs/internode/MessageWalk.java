package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.ProtocolException;

/**
 * Finds the messages in the payloads of one direction's frames ({@code FrameDecoder} and {@code
 * AbstractMessageHandler} do it in a node). A self-contained frame holds whole messages; a message
 * that does not fit is cut over partial frames, the first of which must hold its header through the
 * payload's length, and must not hold all of it.
 *
 * <p>It reads headers only, and copies only those that lie in two reads. A {@link Reframer} drives
 * it. It knows one direction of one link, and serves no other.
 */
public final class MessageWalk {
  /** Bytes of a header that are copied together at first if it is cut. */
  private static final int JOINED = 256;

  private final int version;
  private final long maxMessageLength;
  private final MessageFilter filter;
  private final MessageHeader header = new MessageHeader();
  private final ByteBuf joined = Unpooled.buffer(JOINED, Frame.MAX_PAYLOAD);

  private long open; // bytes that later partial frames still owe
  private boolean openPasses = true;

  /**
   * A walk over messages of one version, 12 to 14.
   *
   * @param maxMessageLength header and payload, in bytes: a longer message is an error
   */
  public MessageWalk(int version, long maxMessageLength, MessageFilter filter) {
    this.version = version;
    this.maxMessageLength = maxMessageLength;
    this.filter = filter;
  }

  /** Whether the message that is cut over partial frames has begun and not ended. */
  boolean isOpen() {
    return open > 0;
  }

  /**
   * Walks through the payload of a self-contained frame.
   *
   * @param passed the ranges of messages that pass are added to it
   * @return whether all passed
   * @throws ProtocolException if it is not whole messages, or one is too long
   */
  boolean selfContained(Ranges payload, Ranges passed) {
    boolean all = true;
    int left = payload.length();
    int range = 0;
    int at = left == 0 ? 0 : payload.start(0);
    while (left > 0) {
      if (!parse(payload, range, at, left)) {
        throw new ProtocolException("self-contained frame ends inside a message's header");
      }
      long length = checkedLength();
      if (length > left) {
        throw new ProtocolException(
            "message of %d bytes, but its self-contained frame has only %d more"
                .formatted(length, left));
      }
      boolean pass = filter.pass(header);
      all &= pass;
      left -= (int) length;
      for (int rest = (int) length; rest > 0; ) {
        int end = payload.start(range) + payload.length(range);
        int here = Math.min(rest, end - at);
        if (pass) {
          passed.add(payload.buffer(range), at, here);
        }
        rest -= here;
        at += here;
        if (at == end && rest + left > 0) {
          at = payload.start(++range);
        }
      }
    }
    return all;
  }

  /**
   * Begins a message with the payload of its first partial frame.
   *
   * @return whether it passes; so do, or do not, the partial frames up to its end
   * @throws ProtocolException if its header does not end in there, or the message does, or is too
   *     long
   */
  boolean firstPartial(Ranges payload) {
    int there = payload.length();
    if (there == 0 || !parse(payload, 0, payload.start(0), there)) {
      throw new ProtocolException(
          "first partial frame of %d bytes ends inside a message's header".formatted(there));
    }
    long length = checkedLength();
    if (length <= there) {
      throw new ProtocolException(
          "partial frame of %d bytes holds a whole message of %d".formatted(there, length));
    }
    open = length - there;
    openPasses = filter.pass(header);
    return openPasses;
  }

  /** Parses the header at one place of a payload, of which {@code left} bytes are there. */
  private boolean parse(Ranges payload, int range, int at, int left) {
    int here = payload.start(range) + payload.length(range) - at;
    if (header.parse(payload.buffer(range), at, at + here, version)) {
      return true;
    }
    // It may go on in the next read: only then is it copied, and only as much as it takes.
    for (int size = JOINED; here < left; size *= 4) {
      here = Math.min(size, left);
      payload.copyTo(joined.clear(), range, at, here);
      if (header.parse(joined, 0, here, version)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Goes on with a later partial frame of a message, of which only the length matters.
   *
   * @return whether it passes
   * @throws ProtocolException if it is longer than what is left of the message, or empty
   */
  boolean laterPartial(int length) {
    if (length > open || length == 0) {
      throw new ProtocolException(
          "partial frame of %d bytes, but %d are left of its message".formatted(length, open));
    }
    open -= length;
    return openPasses;
  }

  private long checkedLength() {
    long length = header.messageLength();
    if (length > maxMessageLength) {
      throw new ProtocolException(
          "message of %d bytes, over the limit of %d".formatted(length, maxMessageLength));
    }
    return length;
  }
}
