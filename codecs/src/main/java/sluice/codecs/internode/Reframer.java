package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.ByteQueue;
import sluice.codecs.buffer.ByteSink;
import sluice.codecs.compress.Lz4;
import sluice.codecs.compress.Scratch;

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
 * cannot leave as it is, a self-contained frame is left out and counted, as a node would drop it,
 * and a partial one ends the link. A corrupt header always does.
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
  private final boolean refuses;
  private final Scratch scratch;
  private final ByteSink sink;
  private final FrameWriter writer;
  private final ByteQueue queue = new ByteQueue();
  private final FrameCrc32 crc = new FrameCrc32();
  private final Ranges plain = new Ranges();
  private final Ranges passed = new Ranges();
  private final Ranges group = new Ranges(); // self-contained payloads that wait to be joined

  private int done; // bytes at the queue's front that are dealt with, but still there
  private boolean groupCrcKnown;
  private int groupCrc32;
  private int crc32; // of the payload that was checked last
  private boolean lost; // a first partial frame was corrupt: partial frames cannot be followed
  private long droppedFrames;

  private Reframer(
      Framing from,
      Framing to,
      MessageWalk walk,
      boolean refuses,
      ByteBufAllocator allocator,
      Scratch scratch,
      ByteSink sink) {
    this.from = from;
    this.to = to;
    this.walk = walk;
    this.refuses = refuses;
    this.scratch = scratch;
    this.sink = sink;
    frame = new Frame(from);
    writer = new FrameWriter(to, allocator, scratch, sink);
  }

  /**
   * Frames only: nobody looks at messages.
   *
   * @param sink consumes what leaves; everything that a {@link #read} lets leave is handed to it
   *     before that returns
   */
  public static Reframer ofFrames(
      Framing from, Framing to, ByteBufAllocator allocator, Scratch scratch, ByteSink sink) {
    return new Reframer(from, to, null, false, allocator, scratch, sink);
  }

  /**
   * Every message's header is shown to the walk's filter, which must pass all. In the same framing
   * a corrupt payload is passed on, so what is seen of its messages may be wrong.
   */
  public static Reframer observing(
      Framing from,
      Framing to,
      MessageWalk walk,
      ByteBufAllocator allocator,
      Scratch scratch,
      ByteSink sink) {
    return new Reframer(from, to, walk, false, allocator, scratch, sink);
  }

  /** Messages that the walk's filter refuses are cut out. */
  public static Reframer filtering(
      Framing from,
      Framing to,
      MessageWalk walk,
      ByteBufAllocator allocator,
      Scratch scratch,
      ByteSink sink) {
    return new Reframer(from, to, walk, true, allocator, scratch, sink);
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
    writer.expect(queue.length());
    try {
      while (isFrameWhole()) {
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
      writeGroup();
      queue.skip(done);
    }
    done = 0;
    writer.flush();
  }

  // ---- the same framing

  private void pass() {
    if (walk == null) {
      done += frame.length();
    } else if (!refuses) {
      observe();
      done += frame.length();
    } else if (frame.isSelfContained() ? isFilteredWhole() : isPartialPassed()) {
      done += frame.length();
    } else {
      queue.moveTo(sink, done);
      done = 0;
      if (frame.isSelfContained() && passed.length() > 0) {
        writer.frame(passed, true, frame.isCompressed(), false, 0);
        writer.flush();
      }
      queue.skip(frame.length());
    }
  }

  /**
   * Shows the frame's messages to the filter. A corrupt payload is no error: its reader will see.
   */
  private void observe() {
    if (!frame.isSelfContained() && walk.isOpen()) {
      walk.laterPartial(frame.plainLength());
    } else if (frame.isSelfContained() || !lost) {
      try {
        loadPlain();
        inspect();
      } catch (ProtocolException e) {
        if (isIntact()) {
          throw e;
        }
        lost |= !frame.isSelfContained();
      }
    }
  }

  /** Whether nothing is cut out of a self-contained frame; if something is, the rest is passed. */
  private boolean isFilteredWhole() {
    if (!isIntact()) {
      return true; // whoever reads it drops it
    }
    loadPlain();
    return inspect();
  }

  /** Whether the message passes that a partial frame is of: its first frame decides. */
  private boolean isPartialPassed() {
    if (walk.isOpen()) {
      return walk.laterPartial(frame.plainLength());
    }
    requireIntact();
    loadPlain();
    return inspect();
  }

  // ---- another framing

  private void reframe() {
    boolean selfContained = frame.isSelfContained();
    int length = frame.plainLength();
    boolean begun = !selfContained && walk != null && walk.isOpen();
    if (begun && !walk.laterPartial(length) && refuses) {
      done += frame.length();
      return;
    }
    if (!selfContained) {
      requireIntact();
    } else if (!isIntact()) {
      droppedFrames++;
      done += frame.length();
      return;
    }
    if (frame.isCompressed()) {
      plain.clear();
      int index = writer.begin(length);
      decompress(writer.buffer(), index, null);
      plain.add(writer.buffer(), index, length);
    } else {
      loadPlain();
    }
    boolean all = begun || walk == null || inspect() || !refuses;
    if (all || selfContained) {
      write(all ? plain : passed, selfContained, all && from.trailerLength() > 0);
    }
    done += frame.length();
  }

  private void write(Ranges ranges, boolean selfContained, boolean crcKnown) {
    if (ranges.length() == 0) {
      return; // an empty frame means nothing
    }
    if (frame.isCompressed()) {
      writer.end(joinInPlace(ranges), selfContained);
    } else if (to == Framing.LZ4 && selfContained) {
      if (group.length() + ranges.length() > Frame.MAX_PAYLOAD) {
        writeGroup();
      }
      groupCrcKnown = crcKnown && group.length() == 0;
      groupCrc32 = crc32;
      group.addAll(ranges);
    } else {
      writeGroup();
      writer.frame(ranges, selfContained, false, crcKnown, crc32);
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

  private void writeGroup() {
    if (group.length() > 0) {
      writer.frame(group, true, false, groupCrcKnown, groupCrc32);
      group.clear();
    }
  }

  // ---- payloads

  /** Walks through the plain bytes; whether all of them pass. */
  private boolean inspect() {
    if (!frame.isSelfContained()) {
      return walk.firstPartial(plain);
    }
    passed.clear();
    return walk.selfContained(plain, passed);
  }

  private boolean isIntact() {
    if (from.trailerLength() == 0) {
      return true;
    }
    int offset = done + from.headerLength();
    int end = offset + frame.payloadLength();
    crc.reset();
    while (offset < end) {
      int here = Math.min(end - offset, queue.contiguous(offset));
      crc.update(queue.piece(offset), queue.index(offset), here);
      offset += here;
    }
    crc32 = crc.value();
    return crc32 == queue.getIntLE(end);
  }

  private void requireIntact() {
    if (!isIntact()) {
      throw new ProtocolException("partial frame with a wrong CRC32");
    }
  }

  /** Finds the plain bytes: where they were read to or, decompressed, in the scratch. */
  private void loadPlain() {
    plain.clear();
    int length = frame.plainLength();
    if (frame.isCompressed()) {
      ByteBuf room = scratch.buffer(length + frame.payloadLength());
      decompress(room, 0, room);
      plain.add(room, 0, length);
      return;
    }
    int offset = done + from.headerLength();
    while (length > 0) {
      int here = Math.min(length, queue.contiguous(offset));
      plain.add(queue.piece(offset), queue.index(offset), here);
      offset += here;
      length -= here;
    }
  }

  /**
   * Decompresses the frame's payload.
   *
   * @param room the scratch if the plain bytes go there: a block in several pieces is joined behind
   *     them; null if they go elsewhere
   */
  private void decompress(ByteBuf out, int index, ByteBuf room) {
    int offset = done + from.headerLength();
    int blockLength = frame.payloadLength();
    ByteBuf block = queue.piece(offset);
    int blockIndex = queue.index(offset);
    if (queue.contiguous(offset) < blockLength || block.nioBufferCount() != 1) {
      block = room == null ? scratch.buffer(blockLength) : room;
      blockIndex = room == null ? 0 : frame.plainLength();
      queue.getBytes(offset, block, blockIndex, blockLength);
    }
    int length = Lz4.decompress(block, blockIndex, blockLength, out, index, frame.plainLength());
    if (length != frame.plainLength()) {
      throw new ProtocolException(
          length < 0
              ? "payload of %d bytes is no LZ4 block of %d"
                  .formatted(blockLength, frame.plainLength())
              : "LZ4 block of %d bytes, but the frame says %d"
                  .formatted(length, frame.plainLength()));
    }
  }

  /** Self-contained frames that were corrupt and could not leave as they were. */
  public long droppedFrames() {
    return droppedFrames;
  }

  /** Bytes of frames that are not whole yet. */
  public int heldBytes() {
    return queue.length();
  }

  /** Releases what has not left. Nothing may be read any more. */
  public void close() {
    queue.clear();
    writer.release();
  }
}
