package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.buffer.ByteSink;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.compress.Lz4;
import sluice.codecs.compress.Workspace;

/**
 * Writer of the frames of one framing, as {@code FrameEncoderCrc}, {@code FrameEncoderLZ4} and
 * {@code FrameEncoderUnprotected} produce them. Headers, checksums, compressed payloads and small
 * payloads share the writer's own buffers. Larger payloads leave in between, as slices of the
 * buffers that they were read into.
 */
final class FrameWriter {
  private static final int MIN_CAPACITY = 256;
  private static final int MAX_CAPACITY = 16 * 1024;

  private static final ByteBuf NONE = Unpooled.EMPTY_BUFFER;

  private final Framing framing;
  private final Workspace workspace;
  private final ByteSink sink;
  private final FrameCrc32 crc = new FrameCrc32();
  private final Ranges group = new Ranges(); // self-contained payloads that wait to be joined
  private boolean groupCrcKnown;
  private int groupCrc32;
  private ByteBuf out = NONE;
  private int expected = MIN_CAPACITY;
  private long frames;

  FrameWriter(Framing framing, Workspace workspace, ByteSink sink) {
    this.framing = framing;
    this.workspace = workspace;
    this.sink = sink;
  }

  /** Gives a hint of how many bytes follow until the next {@link #flush}. */
  void expect(int bytes) {
    expected = Math.max(MIN_CAPACITY, Math.min(bytes, MAX_CAPACITY));
  }

  /**
   * Writes one frame. Borrows the ranges; keeps slices of their buffers unless {@code inScratch}.
   *
   * @param inScratch whether the buffers are the scratch, and so must not leave as slices
   * @param crc32 of the plain bytes
   * @param crcKnown whether crc32 was verified; if not, it is computed
   */
  void frame(Ranges plain, boolean selfContained, boolean inScratch, boolean crcKnown, int crc32) {
    writeGroup();
    write(plain, selfContained, inScratch, crcKnown, crc32);
  }

  /**
   * Writes a self-contained frame joined with its neighbours, as far as they fit into one frame.
   * Borrows the ranges until {@link #flush}, as {@link #frame} does.
   */
  void join(Ranges plain, boolean crcKnown, int crc32) {
    if (group.length() + plain.length() > Frame.MAX_PAYLOAD) {
      writeGroup();
    }
    groupCrcKnown = crcKnown && group.length() == 0;
    groupCrc32 = crc32;
    group.addAll(plain);
  }

  private void writeGroup() {
    if (group.length() > 0) {
      write(group, true, false, groupCrcKnown, groupCrc32);
      group.clear();
    }
  }

  private void write(
      Ranges plain, boolean selfContained, boolean inScratch, boolean crcKnown, int crc32) {
    int length = plain.length();
    if (framing == Framing.LZ4
        && length >= Lz4.MIN_COMPRESSIBLE
        && compressed(plain, selfContained, inScratch)) {
      return;
    }
    int sum = crcKnown || framing.trailerLength() == 0 ? crc32 : crcOf(plain);
    boolean copied = inScratch || SliceList.isCopied(length);
    room(framing.headerLength() + (copied ? length + framing.trailerLength() : 0));
    header(length, 0, selfContained);
    if (copied) {
      plain.copyTo(out);
    } else {
      sliceOut();
      for (int i = 0; i < plain.count(); i++) {
        sink.accept(workspace.slices().take(plain.buffer(i), plain.start(i), plain.length(i)));
      }
    }
    trailer(sum);
  }

  private int crcOf(Ranges plain) {
    crc.reset();
    for (int i = 0; i < plain.count(); i++) {
      crc.update(plain.buffer(i), plain.start(i), plain.length(i));
    }
    return crc.value();
  }

  /** Writes the frame compressed if that makes it shorter; returns whether it did. */
  private boolean compressed(Ranges plain, boolean selfContained, boolean inScratch) {
    int length = plain.length();
    int room = Lz4.maxCompressedLength(length);
    ByteBuf from = plain.buffer(0);
    int index = plain.start(0);
    ByteBuf block;
    int blockIndex;
    if (inScratch) {
      // The scratch is already in use: the block goes directly into the outgoing buffer.
      room(framing.headerLength() + length + room + framing.trailerLength());
      block = out;
      blockIndex = out.writerIndex() + framing.headerLength();
      if (plain.count() > 1) {
        index = blockIndex + room;
        gather(plain, out, index);
        from = out;
      }
    } else if (plain.count() > 1 || from.nioBufferCount() != 1) {
      block = workspace.scratch().buffer(room + length);
      blockIndex = 0;
      index = room;
      gather(plain, block, index);
      from = block;
    } else {
      block = workspace.scratch().buffer(room);
      blockIndex = 0;
    }
    int blockLength = Lz4.compress(from, index, length, block, blockIndex);
    if (blockLength >= length) {
      return false;
    }
    if (block != out) {
      room(framing.headerLength() + blockLength + framing.trailerLength());
      Bytes.set(block, blockIndex, blockLength, out, out.writerIndex() + framing.headerLength());
    }
    header(blockLength, length, selfContained);
    int sum = crc.of(out, out.writerIndex(), blockLength);
    out.writerIndex(out.writerIndex() + blockLength);
    trailer(sum);
    return true;
  }

  private static void gather(Ranges plain, ByteBuf to, int index) {
    for (int i = 0; i < plain.count(); i++) {
      Bytes.set(plain.buffer(i), plain.start(i), plain.length(i), to, index);
      index += plain.length(i);
    }
  }

  /**
   * Reserves space for a frame whose plain bytes the caller puts into {@link #buffer} at the index
   * returned. Nothing else may be written before {@link #end}.
   */
  int begin(int length) {
    room(framing.headerLength() + length + framing.trailerLength());
    return out.writerIndex() + framing.headerLength();
  }

  ByteBuf buffer() {
    return out;
  }

  /**
   * Writes header and trailer around the plain bytes that the caller added since {@link #begin}.
   */
  void end(int length, boolean selfContained) {
    header(length, 0, selfContained);
    int sum = framing.trailerLength() == 0 ? 0 : crc.of(out, out.writerIndex(), length);
    out.writerIndex(out.writerIndex() + length);
    trailer(sum);
  }

  /**
   * Gives up the buffer that has held the plain bytes since {@link #begin}, so that slices of it
   * may leave. Frames written earlier are passed on. The caller owns the result.
   */
  ByteBuf detach() {
    ByteBuf plain = out.retain();
    handOut();
    return plain;
  }

  /** Number of frames written. */
  long frames() {
    return frames;
  }

  private void header(int payloadLength, int plainLength, boolean selfContained) {
    frames++;
    int index = out.writerIndex();
    Frame.setHeader(out, index, framing, payloadLength, plainLength, selfContained);
    out.writerIndex(index + framing.headerLength());
  }

  private void trailer(int sum) {
    if (framing.trailerLength() > 0) {
      room(framing.trailerLength());
      out.writeIntLE(sum);
    }
  }

  private void room(int bytes) {
    if (out.writableBytes() < bytes) {
      handOut();
      int capacity = Math.max(bytes, expected);
      out = workspace.allocator().directBuffer(capacity, capacity);
    }
  }

  /** Passes on the written frames; the rest of the buffer remains for the next ones. */
  private void sliceOut() {
    sink.accept(workspace.slices().takeNext(out, out.readableBytes()));
  }

  /** Writes the payloads that wait to be joined, and passes on everything written. */
  void flush() {
    writeGroup();
    handOut();
  }

  private void handOut() {
    if (out != NONE) {
      ByteBuf last = out;
      out = NONE;
      if (last.isReadable()) {
        sink.accept(last);
      } else {
        last.release();
      }
    }
  }

  /** Drops everything that was not passed on. */
  void release() {
    group.clear();
    if (out != NONE) {
      out.release();
      out = NONE;
    }
  }
}
