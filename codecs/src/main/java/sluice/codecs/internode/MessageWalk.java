package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;
import sluice.codecs.ProtocolException;

/**
 * Finder of the messages in the payloads of one direction's frames, as {@code FrameDecoder} and
 * {@code AbstractMessageHandler} in a node. A self-contained frame holds whole messages. A message
 * that does not fit is cut over partial frames. The first of these must contain its header through
 * the payload's length, and must not contain the whole message.
 *
 * <p>It reads headers only, and copies only those that are spread over two reads. A {@link
 * Reframer} drives it. One instance serves one direction of one link.
 */
public final class MessageWalk {
  /** Walk for reframers that do not read messages; it is never used. */
  static final MessageWalk NONE = counting(12, Long.MAX_VALUE, (verb, length) -> {});

  /** Bytes of a header that are first copied together if it is spread over reads. */
  private static final int JOINED = 256;

  /** A larger copy of a header is left to the collector when its read has been processed. */
  private static final int MOST_KEPT = 4096;

  private final int version;
  private final long maxMessageLength;
  private final MessageFilter filter;
  private final @Nullable MessageMeter meter; // not null: messages are only counted
  private final Replacements replacements; // NONE: no message is replaced
  private MessageHeader header = new MessageHeader();
  private ByteBuf joined = Unpooled.buffer(JOINED, Frame.MAX_PAYLOAD);

  // State of the self-contained frame being walked through:
  private int left; // bytes
  private int range;
  private int at;
  private boolean decided; // whether the filter has decided on the current message
  private boolean passes;
  private boolean replaced;

  // State of the message that is cut over partial frames:
  private long open; // bytes that later partial frames must bring
  private long openLength;
  private boolean openPasses = true;
  private boolean held;

  /**
   * A walk over messages of one version, 12 to 14.
   *
   * @param maxMessageLength header and payload, in bytes: a longer message is an error
   */
  public MessageWalk(int version, long maxMessageLength, MessageFilter filter) {
    this(version, maxMessageLength, Replacements.NONE, filter, null);
  }

  /**
   * A walk that only counts messages, for {@link Reframer#observing}. For most headers it reads
   * only the verb and the lengths.
   */
  public static MessageWalk counting(int version, long maxMessageLength, MessageMeter meter) {
    return new MessageWalk(version, maxMessageLength, Replacements.NONE, header -> true, meter);
  }

  /**
   * A walk that also replaces messages, for {@link Reframer#filtering} only. A message spread over
   * several reads is copied together for the replacer. One that is cut over partial frames is held
   * until it is complete, up to the length that its header states.
   *
   * @param allocator of the buffers for held messages, and for new ones
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
      @Nullable MessageMeter meter) {
    this.version = version;
    this.maxMessageLength = maxMessageLength;
    this.filter = filter;
    this.meter = meter;
    this.replacements = replacements;
  }

  /** The messages being replaced, or null. */
  Replacements replacements() {
    return replacements;
  }

  /** Drops the memory that only a large header needed. Between two reads. */
  void clear() {
    if (joined.capacity() > MOST_KEPT) {
      joined = Unpooled.buffer(JOINED, Frame.MAX_PAYLOAD);
      header = new MessageHeader(); // the old one may refer to the copy
    }
  }

  /** Whether a message that is cut over partial frames has begun and not ended. */
  boolean isOpen() {
    return open > 0;
  }

  /**
   * Walks through the payload of a self-contained frame. If replaced messages make it longer than a
   * frame, it stops when one is full; then it {@link #hasMore}.
   *
   * @param passed receives the ranges of messages that pass, in their final form
   * @return whether all messages passed unchanged
   * @throws ProtocolException if the payload is not whole messages, or a message is too long
   */
  boolean selfContained(Ranges payload, Ranges passed) {
    left = payload.length();
    range = 0;
    at = left == 0 ? 0 : payload.start(0);
    decided = false;
    if (meter != null) {
      count(payload, meter);
      return true;
    }
    return goOn(payload, passed);
  }

  private void count(Ranges payload, MessageMeter meter) {
    while (left > 0) {
      ByteBuf buffer = payload.buffer(range);
      int end = payload.start(range) + payload.length(range);
      long brief = MessageLength.withVerb(buffer, at, at + Math.min(left, end - at), version);
      if (brief == MessageLength.UNUSUAL) {
        expectHeader(payload);
        long length = checkedLength();
        checkFits(length);
        meter.count(header.verb(), length);
        skip(payload, (int) length, null);
      } else {
        int length = MessageLength.lengthIn(brief);
        checkLength(length);
        checkFits(length);
        meter.count(MessageLength.verbIn(brief), length);
        skip(payload, length, null);
      }
    }
  }

  /** Whether {@link #goOn} must be called, for another frame. */
  boolean hasMore() {
    return left > 0;
  }

  /** Continues through a payload, like {@link #selfContained}. */
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
              "rewritten message of %d bytes, but a frame holds at most %d"
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

  /** Skips a message, and adds its ranges to passed unless that is null. */
  private void skip(Ranges payload, int length, @Nullable Ranges passed) {
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
   * @return whether the message passes; its later partial frames share this result
   * @throws ProtocolException if the header or the whole message ends outside the expected frame,
   *     or the message is too long
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
    held = openPasses && replacements.concerns(header);
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
   * Whether the current or last message that is cut over partial frames must be held until it is
   * complete, because it may be replaced.
   */
  boolean isHeld() {
    return held;
  }

  /** Length of that message in bytes. */
  long openLength() {
    return openLength;
  }

  /**
   * Length of the header that a rewritten message begins with, in bytes.
   *
   * @throws ProtocolException if no frame can hold it
   */
  int headerLength(Ranges message) {
    if (!parse(message, 0, message.start(0), message.length())) {
      throw new ProtocolException(
          "rewritten header of more than %d bytes, the most that a frame holds"
              .formatted(Frame.MAX_PAYLOAD));
    }
    return header.headerLength();
  }

  /** Parses the header at one place of a payload that has {@code left} bytes from there on. */
  private boolean parse(Ranges payload, int range, int at, int left) {
    int here = payload.start(range) + payload.length(range) - at;
    if (header.parse(payload.buffer(range), at, at + here, version)) {
      return true;
    }
    // The header may continue in the next read: only then is it copied, and only as far as needed.
    int most = Math.min(left, Frame.MAX_PAYLOAD); // a frame must hold all of it
    for (int size = JOINED; here < most; size *= 4) {
      here = Math.min(size, most);
      payload.copyTo(joined.clear(), range, at, here);
      if (header.parse(joined, 0, here, version)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Continues with a later partial frame, for which only the length matters.
   *
   * @return whether it passes
   * @throws ProtocolException if it is empty, or longer than the rest of the message
   */
  boolean laterPartial(int length) {
    if (length > open || length == 0) {
      throw new ProtocolException(
          "partial frame of %d bytes, but its message has only %d left".formatted(length, open));
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
