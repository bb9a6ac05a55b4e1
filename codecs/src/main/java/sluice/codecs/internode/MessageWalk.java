package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
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
  private final MessageFilter filter; // null: messages are only counted
  private final MessageMeter meter;
  private final Replacements replacements; // null: messages go on as they are
  private final MessageHeader header = new MessageHeader();
  private final ByteBuf joined = Unpooled.buffer(JOINED, Frame.MAX_PAYLOAD);

  // Of the self-contained frame that is walked through:
  private int left; // bytes
  private int range;
  private int at;
  private boolean decided; // about the message there
  private boolean passes;
  private boolean replaced;

  // Of the message that is cut over partial frames:
  private long open; // bytes that later partial frames still owe
  private long openLength;
  private boolean openPasses = true;
  private boolean held;

  /**
   * A walk over messages of one version, 12 to 14.
   *
   * @param maxMessageLength header and payload, in bytes: a longer message is an error
   */
  public MessageWalk(int version, long maxMessageLength, MessageFilter filter) {
    this(version, maxMessageLength, null, filter, null);
  }

  /**
   * A walk that only counts messages, for {@link Reframer#observing}: of most headers it reads no
   * more than the verb and the lengths.
   */
  public static MessageWalk counting(int version, long maxMessageLength, MessageMeter meter) {
    return new MessageWalk(version, maxMessageLength, null, null, meter);
  }

  /**
   * A walk that also replaces messages, for {@link Reframer#filtering} only. A message that lies in
   * several reads is copied together for the replacer; one that is cut over partial frames is held
   * until it is whole, up to the length that its header says.
   *
   * @param allocator of the buffers for that, and for new messages
   */
  public MessageWalk(
      int version,
      long maxMessageLength,
      MessageFilter filter,
      MessageReplacer replacer,
      ByteBufAllocator allocator) {
    this(version, maxMessageLength, new Replacements(replacer, allocator), filter, null);
  }

  private MessageWalk(
      int version,
      long maxMessageLength,
      Replacements replacements,
      MessageFilter filter,
      MessageMeter meter) {
    this.version = version;
    this.maxMessageLength = maxMessageLength;
    this.filter = filter;
    this.meter = meter;
    this.replacements = replacements;
  }

  /** What is replaced, or null. */
  Replacements replacements() {
    return replacements;
  }

  /** Whether the message that is cut over partial frames has begun and not ended. */
  boolean isOpen() {
    return open > 0;
  }

  /**
   * Walks through the payload of a self-contained frame: all of it, or as much as makes a frame
   * with the messages that were replaced. Then it {@link #hasMore}.
   *
   * @param passed the ranges of messages that pass, as they are to be, are added to it
   * @return whether all passed as they were
   * @throws ProtocolException if it is not whole messages, or one is too long
   */
  boolean selfContained(Ranges payload, Ranges passed) {
    left = payload.length();
    range = 0;
    at = left == 0 ? 0 : payload.start(0);
    decided = false;
    if (meter != null) {
      count(payload);
      return true;
    }
    return goOn(payload, passed);
  }

  private void count(Ranges payload) {
    while (left > 0) {
      ByteBuf buffer = payload.buffer(range);
      int end = payload.start(range) + payload.length(range);
      long brief = MessageHeader.verbAndLength(buffer, at, at + Math.min(left, end - at), version);
      if (brief == MessageHeader.UNUSUAL) {
        expectHeader(payload);
        long length = checkedLength();
        checkFits(length);
        meter.count(header.verb(), length);
        skip(payload, (int) length, null);
      } else {
        int length = MessageHeader.lengthIn(brief);
        checkLength(length);
        checkFits(length);
        meter.count(MessageHeader.verbIn(brief), length);
        skip(payload, length, null);
      }
    }
  }

  /** Whether {@link #goOn} is to be called, for another frame. */
  boolean hasMore() {
    return left > 0;
  }

  /** Goes on through a payload. As {@link #selfContained}. */
  boolean goOn(Ranges payload, Ranges passed) {
    boolean all = true;
    while (left > 0) {
      if (!decided) {
        decide(payload);
      }
      int length = (int) header.messageLength();
      int passing = replaced ? replacements.length() : passes ? length : 0;
      if (passed.length() + passing > Frame.MAX_PAYLOAD) {
        if (passing > Frame.MAX_PAYLOAD) {
          throw new ProtocolException(
              "message of %d bytes once it is rewritten, but a frame holds no more than %d"
                  .formatted(passing, Frame.MAX_PAYLOAD));
        }
        return false;
      }
      if (replaced) {
        replacements.addTo(passed);
      }
      decided = false;
      all &= passes && !replaced;
      skip(payload, length, passes && !replaced ? passed : null);
    }
    return all;
  }

  private void decide(Ranges payload) {
    expectHeader(payload);
    long length = checkedLength();
    checkFits(length);
    passes = filter.pass(header);
    replaced =
        passes
            && replacements != null
            && replacements.concerns(header)
            && replacements.rewrite(payload, range, at, (int) length);
    decided = true;
  }

  private void expectHeader(Ranges payload) {
    if (!parse(payload, range, at, left)) {
      throw new ProtocolException("self-contained frame ends inside a message's header");
    }
  }

  private void checkFits(long length) {
    if (length > left) {
      throw new ProtocolException(
          "message of %d bytes, but its self-contained frame has only %d more"
              .formatted(length, left));
    }
  }

  /** Goes behind a message, whose ranges are added to passed unless that is null. */
  private void skip(Ranges payload, int length, Ranges passed) {
    left -= length;
    for (int rest = length; rest > 0; ) {
      int end = payload.start(range) + payload.length(range);
      int here = Math.min(rest, end - at);
      if (passed != null) {
        passed.add(payload.buffer(range), at, here);
      }
      rest -= here;
      at += here;
      if (at == end && rest + left > 0) {
        at = payload.start(++range);
      }
    }
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
    openLength = length;
    openPasses = passes();
    held = openPasses && replacements != null && replacements.concerns(header);
    return openPasses;
  }

  private boolean passes() {
    if (meter != null) {
      meter.count(header.verb(), header.messageLength());
      return true;
    }
    return filter.pass(header);
  }

  /**
   * Whether the message that is, or last was, cut over partial frames is to be held until it is
   * whole: it may be replaced.
   */
  boolean isHeld() {
    return held;
  }

  /** Bytes of all of that message. */
  long openLength() {
    return openLength;
  }

  /** Bytes of the header that a message begins with. */
  int headerLength(Ranges message) {
    if (!parse(message, 0, message.start(0), message.length())) {
      throw new IllegalStateException("a message that ends inside its header");
    }
    return header.headerLength();
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
    checkLength(length);
    return length;
  }

  private void checkLength(long length) {
    if (length > maxMessageLength) {
      throw new ProtocolException(
          "message of %d bytes, over the limit of %d".formatted(length, maxMessageLength));
    }
  }
}
