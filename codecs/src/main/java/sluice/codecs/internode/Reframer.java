package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.ByteQueue;
import sluice.codecs.buffer.ByteSink;
import sluice.codecs.compress.Workspace;

/**
 * One direction of a link, behind the handshake: frames of one framing come in as they were read,
 * cut anywhere, and leave in the same or another framing.
 *
 * <p>Same framing: frames are passed on bit for bit, neighbouring ones as one slice of what was
 * read; their CRC24s are checked, their payloads are not touched. With a filter that may refuse
 * messages, CRC32s are checked too, and a frame is written anew only if something was cut out of
 * it.
 *
 * <p>Another framing: CRC32s are checked, plain payloads leave as slices. On the way to LZ4,
 * neighbouring self-contained frames of one read are joined, up to {@link Frame#MAX_PAYLOAD}, and
 * then compressed; what does not shrink is sent plain, as {@code FrameEncoderLZ4} does. Partial
 * frames stay apart.
 *
 * <p>A payload that is corrupt never gets a new CRC32: it leaves bit for bit, or not at all. If it
 * cannot leave as it is, or messages are replaced, a self-contained frame is left out and counted,
 * as a node would drop it, and a partial one ends the link, unless it is the rest of a message that
 * stays. A corrupt header always does.
 *
 * <p>Frames are dealt with when they are whole. In steady state nothing is allocated on the heap.
 * After an exception everything before the frame that caused it has been handed out; the reframer
 * is then good for {@link #close} only.
 */
public final class Reframer {
  private final Frame frame;
  private final Framing from;
  private final Framing to;
  private final MessageWalk walk; // null: nobody looks at messages
  private final LargeMessage large; // null: nobody asks where messages end, or the walk knows
  private final boolean changes; // messages may be left out or replaced
  private final Replacements replacements; // null: none is replaced
  private final ByteSink sink;
  private final FrameWriter writer;
  private final ByteQueue queue;
  private final PlainPayload payload;
  private final Ranges plain = new Ranges();
  private final Ranges passed = new Ranges();

  private int done; // bytes at the queue's front that are dealt with, but still there
  private boolean corrupt; // a self-contained frame that was looked into
  private boolean lost; // a first partial frame was corrupt: partial frames cannot be followed
  private long droppedFrames;
  private long framesRead;
  private long framesPassed; // bit for bit
  private boolean partial; // the last frame
  private long stopFrom = Long.MAX_VALUE; // frames read

  private Reframer(
      Framing from,
      Framing to,
      MessageWalk walk,
      LargeMessage large,
      boolean changes,
      Workspace workspace,
      ByteSink sink) {
    this.from = from;
    this.to = to;
    this.walk = walk;
    this.large = large;
    this.changes = changes;
    this.sink = sink;
    replacements = walk == null ? null : walk.replacements();
    if (replacements != null && !changes) {
      throw new IllegalArgumentException("messages are replaced only where they may change");
    }
    queue = new ByteQueue(workspace.slices());
    frame = new Frame(from);
    payload = new PlainPayload(frame, queue, workspace.scratch());
    writer = new FrameWriter(to, workspace, sink);
  }

  /**
   * Frames only: nobody looks at messages.
   *
   * @param sink consumes what leaves; everything that a {@link #read} lets leave is handed to it
   *     before that returns
   */
  public static Reframer ofFrames(Framing from, Framing to, Workspace workspace, ByteSink sink) {
    return new Reframer(from, to, null, null, false, workspace, sink);
  }

  /**
   * Frames only, as {@link #ofFrames(Framing, Framing, Workspace, ByteSink)}, of messages of a
   * version: so that it is known where they end.
   *
   * @param version 12 to 14
   */
  public static Reframer ofFrames(
      Framing from, Framing to, int version, Workspace workspace, ByteSink sink) {
    return new Reframer(from, to, null, new LargeMessage(version), false, workspace, sink);
  }

  /**
   * Every message's header is shown to the walk's filter, which must pass all. In the same framing
   * a corrupt payload is passed on, so what is seen of its messages may be wrong.
   */
  public static Reframer observing(
      Framing from, Framing to, MessageWalk walk, Workspace workspace, ByteSink sink) {
    return new Reframer(from, to, walk, null, false, workspace, sink);
  }

  /**
   * Messages that the walk's filter refuses are cut out, and those that its {@link MessageReplacer}
   * says change are replaced. A message that is cut over partial frames and may be replaced leaves
   * when it is whole, behind messages that came in between, cut anew; no frame that holds a part of
   * it may be corrupt.
   */
  public static Reframer filtering(
      Framing from, Framing to, MessageWalk walk, Workspace workspace, ByteSink sink) {
    return new Reframer(from, to, walk, null, true, workspace, sink);
  }

  /**
   * Takes what was read next. Consumes bytes, also when it throws.
   *
   * @throws ProtocolException if the link must be closed: a header is corrupt, a length is a lie or
   *     over the limit, a block does not decompress to what it says, or a corrupt payload cannot be
   *     left out
   */
  public void read(ByteBuf bytes) {
    queue.add(bytes);
    readOn();
  }

  /**
   * Goes on with what was taken over from another reframer.
   *
   * @throws ProtocolException as {@link #read} does
   */
  public void readOn() {
    writer.expect(queue.length());
    try {
      while (!isStopped() && isFrameWhole()) {
        framesRead++;
        partial = !frame.isSelfContained();
        if (large != null) {
          large.next(frame, queue, done);
        }
        payload.wrap(done);
        if (from == to) {
          pass();
        } else {
          reframe();
        }
      }
    } finally {
      plain.clear();
      passed.clear();
      handOut();
    }
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

  /** Hands out all that was dealt with. */
  private void handOut() {
    if (from == to) {
      queue.moveTo(sink, done);
    } else {
      writer.flush();
      queue.skip(done);
    }
    done = 0;
    if (replacements != null) {
      replacements.release();
    }
  }

  // ---- the same framing

  private void pass() {
    corrupt = false;
    if (isPassed()) {
      framesPassed++;
      done += frame.length();
      return;
    }
    queue.moveTo(sink, done);
    done = 0;
    if (corrupt) {
      droppedFrames++;
    } else if (frame.isSelfContained()) {
      do {
        if (passed.length() > 0) {
          writer.frame(passed, true, frame.isCompressed(), false, 0);
        }
      } while (goOn());
    } else {
      writeLargeIfWhole();
    }
    writer.flush();
    queue.skip(frame.length());
  }

  /** Whether all of a frame goes on as it is; if not, what does has been found. */
  private boolean isPassed() {
    if (walk == null) {
      return true;
    }
    if (!changes) {
      observe();
      return true;
    }
    return frame.isSelfContained() ? isFilteredWhole() : isPartialPassed();
  }

  /**
   * Shows the frame's messages to the filter. A corrupt payload is no error: its reader will see.
   */
  private void observe() {
    if (!frame.isSelfContained() && walk.isOpen()) {
      walk.laterPartial(frame.plainLength());
    } else if (frame.isSelfContained() || !lost) {
      try {
        payload.load(plain);
        inspect();
      } catch (ProtocolException e) {
        if (payload.isIntact()) {
          throw e;
        }
        lost |= !frame.isSelfContained();
      }
    }
  }

  /** Whether a self-contained frame stays as it is. */
  private boolean isFilteredWhole() {
    corrupt = !payload.isIntact();
    if (corrupt) {
      return replacements == null; // nothing of it could be replaced; else its reader drops it
    }
    payload.load(plain);
    return inspect();
  }

  /** Whether a partial frame stays as it is: its message's first frame decides. */
  private boolean isPartialPassed() {
    if (walk.isOpen()) {
      boolean passes = walk.laterPartial(frame.plainLength());
      if (!walk.isHeld()) {
        return passes;
      }
      requireIntact();
      payload.load(plain);
    } else {
      requireIntact();
      payload.load(plain);
      boolean passes = inspect();
      if (!walk.isHeld()) {
        return passes;
      }
    }
    replacements.hold(plain, walk.openLength());
    return false;
  }

  // ---- another framing

  private void reframe() {
    boolean selfContained = frame.isSelfContained();
    boolean begun = !selfContained && walk != null && walk.isOpen();
    if (begun && !walk.laterPartial(frame.plainLength()) && changes) {
      done += frame.length();
      return;
    }
    if (!selfContained) {
      requireIntact();
    } else if (!payload.isIntact()) {
      droppedFrames++;
      done += frame.length();
      return;
    }
    loadPlain();
    boolean all = begun || walk == null || inspect() || !changes;
    if (!selfContained && walk != null && walk.isHeld()) {
      replacements.hold(plain, walk.openLength());
      writeLargeIfWhole();
    } else if (all) {
      write(plain, selfContained, from.trailerLength() > 0);
    } else if (selfContained) {
      writePassed();
    }
    done += frame.length();
  }

  /** Finds the plain bytes: where they were read to or, decompressed, where they leave from. */
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

  private void writePassed() {
    if (frame.isCompressed() && replacements != null) {
      replacements.own(writer.detach()); // new messages have no room in between
      do {
        if (passed.length() > 0) {
          writer.frame(passed, true, false, false, 0);
        }
      } while (goOn());
      return;
    }
    do {
      write(passed, true, false);
    } while (goOn());
  }

  private void write(Ranges ranges, boolean selfContained, boolean crcKnown) {
    if (ranges.length() == 0) {
      return; // an empty frame means nothing
    }
    if (frame.isCompressed()) {
      writer.end(joinInPlace(ranges), selfContained);
    } else if (to == Framing.LZ4 && selfContained) {
      writer.join(ranges, crcKnown, payload.crc32());
    } else {
      writer.frame(ranges, selfContained, false, crcKnown, payload.crc32());
    }
  }

  /** Writes the message that was held, if this was its last frame. */
  private void writeLargeIfWhole() {
    if (walk.isOpen() || !walk.isHeld()) {
      return;
    }
    Ranges message = replacements.end();
    int length = message.length();
    int piece = Math.max(replacements.largestPiece(), walk.headerLength(message));
    if (piece > Frame.MAX_PAYLOAD) {
      throw new ProtocolException(
          "header of %d bytes once it is rewritten, but a frame holds no more than %d"
              .formatted(piece, Frame.MAX_PAYLOAD));
    }
    for (int at = 0; at < length; at += piece) {
      passed.clear();
      passed.addPart(message, at, Math.min(piece, length - at));
      writer.frame(passed, length <= piece, false, false, 0);
    }
  }

  /** Moves what passes together, where it was decompressed to. */
  private int joinInPlace(Ranges ranges) {
    int end = plain.start(0);
    for (int i = 0; i < ranges.count(); i++) {
      if (ranges.start(i) != end) {
        ByteBuf buffer = ranges.buffer(i);
        buffer.setBytes(end, buffer, ranges.start(i), ranges.length(i));
      }
      end += ranges.length(i);
    }
    return ranges.length();
  }

  // ---- payloads

  /** Walks through the plain bytes; whether all of them pass as they are. */
  private boolean inspect() {
    if (!frame.isSelfContained()) {
      return walk.firstPartial(plain);
    }
    passed.clear();
    return walk.selfContained(plain, passed);
  }

  /** Finds what passes of the rest, which did not go into one frame; whether there is a rest. */
  private boolean goOn() {
    if (!walk.hasMore()) {
      return false;
    }
    passed.clear();
    walk.goOn(plain, passed);
    return true;
  }

  private void requireIntact() {
    if (!payload.isIntact()) {
      throw new ProtocolException("partial frame with a wrong CRC32");
    }
  }

  // ---- between messages

  /**
   * Stops reading where no message is open, at once or as soon as one has ended. What was read
   * behind it stays where it is, for {@link #moveTo}.
   *
   * @param afterFrame whether a frame that has come in part is waited for
   */
  public void stopBetweenMessages(boolean afterFrame) {
    if (stopFrom == Long.MAX_VALUE) {
      stopFrom = framesRead + (afterFrame && queue.length() > 0 ? 1 : 0);
    }
  }

  /** Whether it has stopped: nothing leaves any more. */
  public boolean isStopped() {
    return framesRead >= stopFrom && isBetweenMessages();
  }

  private boolean isBetweenMessages() {
    if (large != null) {
      return large.isBetween();
    }
    return (walk == null || lost) ? !partial : !walk.isOpen();
  }

  /** Whether it cannot tell where messages end, as long as partial frames come. */
  public boolean isUnsure() {
    return large == null ? (walk == null || lost) : large.isUnknown();
  }

  /**
   * Hands over what has not left to a reframer that follows. It is then good for {@link #close}.
   */
  public void moveTo(Reframer next) {
    queue.moveTo(next.queue, queue.length());
  }

  /** Self-contained frames that were corrupt and could not leave as they were. */
  public long droppedFrames() {
    return droppedFrames;
  }

  /** Whole frames that came in. */
  public long framesRead() {
    return framesRead;
  }

  /** Frames that left, as they were or written anew. */
  public long framesWritten() {
    return framesPassed + writer.frames();
  }

  /**
   * Bytes that came in and wait for others: of a frame that is not whole, and of a message in
   * partial frames that may be replaced. Only reading on makes them fewer.
   */
  public int heldBytes() {
    return queue.length() + (replacements == null ? 0 : replacements.heldBytes());
  }

  /** Releases what has not left. Nothing may be read any more. */
  public void close() {
    queue.clear();
    writer.release();
    if (replacements != null) {
      replacements.close();
    }
  }
}
