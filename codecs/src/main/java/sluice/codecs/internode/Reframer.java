package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.ByteSink;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.compress.Workspace;

/**
 * Converter of one direction of a link, after the handshake. Frames of one framing arrive as they
 * were read, cut anywhere, and are passed on in the same or another framing.
 *
 * <p>Same framing: frames pass bit for bit, adjacent ones as one slice of the read. Their CRC24s
 * are checked, their payloads are not read. With a filter that may refuse messages, CRC32s are
 * checked too, except where a node counts the same bytes whether the frame is corrupt or not. A
 * frame is rewritten only if a message was cut out of it.
 *
 * <p>Another framing: CRC32s are checked, and plain payloads are passed on as slices. On the way to
 * LZ4, adjacent self-contained frames of one read are joined, up to {@link Frame#MAX_PAYLOAD}, and
 * then compressed. A payload that does not shrink is sent plain, as {@code FrameEncoderLZ4} does.
 * Partial frames are not joined.
 *
 * <p>A corrupt payload never gets a new CRC32: it is passed on bit for bit, or not at all. If it
 * cannot be passed on unchanged, or messages are replaced, a self-contained frame is dropped and
 * counted, as a node would do. A partial frame then ends the link, unless it belongs to a message
 * that stays and a node would lose no more than that message. A corrupt header always ends the
 * link.
 *
 * <p>Frames are processed when they are complete. In steady state nothing is allocated on the heap.
 * After an exception, everything before the frame that caused it has been passed on; the only valid
 * call is then {@link #close}.
 *
 * <p>Longer than 400 lines because all ways of a frame share the queue: those of frames that stay,
 * that are rewritten, and that wait.
 */
public final class Reframer {
  /** Least length of a part: a message that came in smaller parts leaves in fewer frames. */
  private static final int LEAST_FRAGMENT = 16 * 1024;

  private final Frame frame;
  private final Framing from;
  private final Framing to;
  private final MessageWalk walk; // NONE: messages are not read
  // null: the borders of messages are not needed, or the walk knows them
  private final @Nullable LargeMessage large;
  private final Replacements replacements; // NONE: none is replaced
  private final ByteSink sink;
  private final FrameWriter writer;
  private final SliceList queue;
  private final PlainPayload payload;
  private final Ranges plain = new Ranges();
  private final FrameInspection inspection; // unused if messages are not read

  private int done; // processed bytes that are still at the queue's front
  private long droppedFrames;
  private long framesRead;
  private long framesPassed; // frames passed bit for bit
  private boolean partial; // whether the last frame was partial
  private long stopFrom = Long.MAX_VALUE; // number of the frame from which on reading may stop
  private BooleanSupplier turnIsOver = () -> false;
  private boolean hasMore; // whether the turn ended before the last bytes

  private Reframer(
      Framing from,
      Framing to,
      MessageWalk walk,
      @Nullable LargeMessage large,
      boolean changes,
      Workspace workspace,
      ByteSink sink) {
    this.from = from;
    this.to = to;
    this.walk = walk;
    this.large = large;
    this.sink = sink;
    replacements = walk.replacements();
    if (replacements != Replacements.NONE && !changes) {
      throw new IllegalArgumentException("messages are replaced only where they may change");
    }
    queue = new SliceList(workspace.slices());
    frame = new Frame(from);
    payload = new PlainPayload(frame, queue, workspace.scratch());
    inspection = new FrameInspection(frame, payload, plain, walk, changes);
    writer = new FrameWriter(to, workspace, sink);
  }

  /**
   * A reframer that does not read messages.
   *
   * @param sink consumes the outgoing buffers; each {@link #read} passes on everything that can
   *     leave before it returns
   */
  public static Reframer ofFrames(Framing from, Framing to, Workspace workspace, ByteSink sink) {
    return new Reframer(from, to, MessageWalk.NONE, null, false, workspace, sink);
  }

  /**
   * A reframer that only tracks where messages of a version end, otherwise as {@link
   * #ofFrames(Framing, Framing, Workspace, ByteSink)}.
   *
   * @param version 12 to 14
   */
  public static Reframer ofFrames(
      Framing from, Framing to, int version, Workspace workspace, ByteSink sink) {
    return new Reframer(
        from, to, MessageWalk.NONE, new LargeMessage(version), false, workspace, sink);
  }

  /**
   * A reframer that shows every message's header to the walk's filter, which must pass all. In the
   * same framing a corrupt payload passes too, so headers that were read from it may be wrong.
   */
  public static Reframer observing(
      Framing from, Framing to, MessageWalk walk, Workspace workspace, ByteSink sink) {
    return new Reframer(from, to, walk, null, false, workspace, sink);
  }

  /**
   * A reframer that cuts out messages that the walk's filter refuses, and replaces those that its
   * {@link MessageReplacer} changes. A message in partial frames that may be replaced leaves once
   * it is complete, after messages that came in between, and is cut into new frames. No frame that
   * contains a part of it may be corrupt.
   */
  public static Reframer filtering(
      Framing from, Framing to, MessageWalk walk, Workspace workspace, ByteSink sink) {
    return new Reframer(from, to, walk, null, true, workspace, sink);
  }

  /**
   * Sets what is asked behind each frame that may have taken long, because it was decompressed or
   * searched for addresses. If the answer is true, the bytes behind it wait: {@link #hasMore}.
   */
  public void endTurnsWhen(BooleanSupplier isOver) {
    turnIsOver = isOver;
  }

  /** Whether the turn ended before the last bytes. The next {@link #read} goes on with them. */
  public boolean hasMore() {
    return hasMore;
  }

  /** Keeps bytes that were read after the end of the turn. Consumes bytes. */
  public void keep(ByteBuf bytes) {
    queue.addRead(bytes);
    queue.copyLastIfSmall();
  }

  /**
   * Processes the bytes that were read next. Consumes bytes, also when it throws.
   *
   * @throws ProtocolException if the link must be closed. A header is corrupt, a length is false or
   *     over the limit, a block is damaged, or a corrupt payload cannot be left out
   */
  public void read(ByteBuf bytes) {
    queue.addRead(bytes);
    readOn();
  }

  /**
   * Processes the bytes taken over from another reframer.
   *
   * @throws ProtocolException as {@link #read} does
   */
  public void readOn() {
    writer.expect(queue.length());
    hasMore = false;
    try {
      while (!hasMore && !isStopped() && isFrameWhole()) {
        framesRead++;
        partial = !frame.isSelfContained();
        payload.wrap(done);
        if (large != null) {
          large.next(frame, payload, queue, done);
        }
        if (from == to) {
          pass();
        } else {
          reframe();
        }
        hasMore = mayTakeLong() && queue.length() > done && turnIsOver.getAsBoolean();
      }
    } finally {
      plain.clear();
      if (walk != MessageWalk.NONE) {
        inspection.clear();
      }
      handOut();
    }
  }

  private boolean mayTakeLong() {
    return replacements != Replacements.NONE
        || (frame.isCompressed() && (from != to || walk != MessageWalk.NONE));
  }

  private boolean isFrameWhole() {
    int there = queue.length() - done;
    if (there < from.headerLength()) {
      return false;
    }
    frame.wrap(queue, done);
    if (frame.plainLength() == 0 && !frame.isSelfContained()) {
      throw new ProtocolException("empty partial frame");
    }
    return there >= frame.length();
  }

  /** Passes on everything processed. */
  private void handOut() {
    if (from == to) {
      queue.moveTo(sink, done);
    } else {
      writer.flush();
      queue.skip(done);
    }
    done = 0;
    queue.copyLastIfSmall();
    releaseReplacements();
  }

  /**
   * Releases the new messages, which have been written. Behind each compressed frame: each of them
   * takes more memory than its bytes, and a read may hold hundreds of thousands.
   */
  private void releaseReplacements() {
    if (replacements != Replacements.NONE) { // NONE is shared and keeps no counts
      replacements.release();
    }
  }

  // ---- the same framing

  private void pass() {
    if (walk == MessageWalk.NONE || inspection.isUnchanged()) {
      framesPassed++;
      done += frame.length();
      return;
    }
    queue.moveTo(sink, done);
    done = 0;
    if (inspection.isCorrupt()) {
      droppedFrames++;
    } else if (frame.isSelfContained()) {
      writePassed(frame.isCompressed());
    } else {
      writeLargeIfWhole();
    }
    writer.flush();
    queue.skip(frame.length());
    releaseReplacements();
  }

  // ---- another framing

  private void reframe() {
    boolean selfContained = frame.isSelfContained();
    boolean begun = !selfContained && walk != MessageWalk.NONE && walk.isOpen();
    if (begun && !inspection.laterPartial()) {
      done += frame.length();
      return;
    }
    if (!selfContained) {
      payload.requireIntact();
    } else if (!payload.isIntact()) {
      droppedFrames++;
      done += frame.length();
      return;
    }
    loadPlain();
    boolean all = begun || walk == MessageWalk.NONE || inspection.inspect();
    if (!selfContained && walk != MessageWalk.NONE && walk.isHeld()) {
      inspection.hold();
      writeLargeIfWhole();
    } else if (all) {
      write(plain, selfContained, from.trailerLength() > 0);
    } else if (selfContained) {
      convertPassed();
    }
    done += frame.length();
  }

  /**
   * Provides the plain bytes: where they were read to or, if compressed, in the outgoing buffer.
   */
  private void loadPlain() {
    if (frame.isCompressed()) {
      plain.clear();
      int index = writer.begin(frame.plainLength());
      payload.decompress(writer.buffer(), index);
      plain.add(writer.buffer(), index, frame.plainLength());
    } else {
      payload.load(plain);
    }
  }

  /** Writes the messages of a self-contained frame that pass, in the other framing. */
  private void convertPassed() {
    if (frame.isCompressed() && replacements != Replacements.NONE) {
      replacements.own(writer.detach()); // there is no space for new messages in between
      writePassed(false);
      releaseReplacements();
      return;
    }
    do {
      write(inspection.passed(), true, false);
    } while (inspection.goOn());
  }

  private void write(Ranges ranges, boolean selfContained, boolean crcKnown) {
    if (ranges.length() == 0) {
      return; // an empty frame has no meaning
    }
    if (frame.isCompressed()) {
      ranges.join(plain.start(0));
      writer.end(ranges.length(), selfContained);
    } else if (to == Framing.LZ4 && selfContained) {
      writer.join(ranges, crcKnown, payload.crc32());
    } else {
      writer.frame(ranges, selfContained, false, crcKnown, payload.crc32());
    }
  }

  // ---- what is left of a frame

  /** Writes the messages of a self-contained frame that pass, in separate frames. */
  private void writePassed(boolean inScratch) {
    Ranges passed = inspection.passed();
    do {
      if (passed.length() > 0) {
        writer.frame(passed, true, inScratch, false, 0);
      }
    } while (inspection.goOn());
  }

  /** Writes the held message if this was its last frame. */
  private void writeLargeIfWhole() {
    if (walk.isOpen() || !walk.isHeld()) {
      return;
    }
    Ranges message = replacements.end();
    int length = message.length();
    int fragment = Math.max(replacements.largestFragment(), LEAST_FRAGMENT);
    fragment = Math.max(fragment, walk.headerLength(message));
    if (fragment > Frame.MAX_PAYLOAD) {
      throw new ProtocolException(
          "rewritten header of %d bytes, but a frame holds at most %d"
              .formatted(fragment, Frame.MAX_PAYLOAD));
    }
    Ranges part = inspection.passed();
    for (int at = 0; at < length; at += fragment) {
      part.clear();
      part.addNext(message, Math.min(fragment, length - at));
      writer.frame(part, length <= fragment, false, false, 0);
    }
  }

  // ---- between messages

  /**
   * Stops reading where no message is open: at once, or as soon as one has ended. Bytes after that
   * point stay in the queue, for {@link #moveTo}.
   *
   * @param afterFrame whether to wait for the end of a frame that has arrived in part
   */
  public void stopBetweenMessages(boolean afterFrame) {
    if (stopFrom == Long.MAX_VALUE) {
      stopFrom = framesRead + (afterFrame && queue.length() > 0 ? 1 : 0);
    }
  }

  /** Whether it has stopped: no more bytes leave. */
  public boolean isStopped() {
    return framesRead >= stopFrom && isBetweenMessages();
  }

  private boolean isBetweenMessages() {
    if (large != null) {
      return large.isBetween();
    }
    return (walk == MessageWalk.NONE || inspection.isLost()) ? !partial : !walk.isOpen();
  }

  /** Whether it does not know where messages end, as long as partial frames come. */
  public boolean isUnsure() {
    return large == null ? (walk == MessageWalk.NONE || inspection.isLost()) : large.isUnknown();
  }

  /**
   * Moves the bytes that have not left to the reframer that replaces this one. Afterwards, only
   * {@link #close} may be called.
   */
  public void moveTo(Reframer next) {
    queue.moveTo(next.queue, queue.length());
  }

  /**
   * Number of corrupt self-contained frames that were dropped because they could not leave
   * unchanged.
   */
  public long droppedFrames() {
    return droppedFrames;
  }

  /** Number of whole frames that came in. */
  public long framesRead() {
    return framesRead;
  }

  /** Number of frames that left, unchanged or rewritten. */
  public long framesWritten() {
    return framesPassed + writer.frames();
  }

  /**
   * Bytes that wait for more input: of an incomplete frame, and of a message in partial frames that
   * may be replaced. Only further reads reduce them.
   */
  public int heldBytes() {
    return queue.length() + replacements.heldBytes();
  }

  /**
   * Number of what {@link #heldBytes} belong to. It is another one as soon as that frame or message
   * is complete.
   */
  public long heldUnit() {
    return replacements.isHolding() ? -1 - replacements.ended() : framesRead;
  }

  /** Releases everything that has not left. Nothing may be read afterwards. */
  public void close() {
    queue.clear();
    writer.release();
    replacements.close();
  }
}
