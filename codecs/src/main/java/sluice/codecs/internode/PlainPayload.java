package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.ProtocolException;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.compress.Lz4;
import sluice.codecs.compress.Scratch;

/**
 * Payload of one frame in a queue: verifies it and provides its plain bytes. One instance, used
 * again and again; it owns nothing.
 */
final class PlainPayload {
  private final Framing framing;
  private final Frame frame;
  private final SliceList queue;
  private final Scratch scratch;
  private final FrameCrc32 crc = new FrameCrc32();
  private int start; // of the frame, from the queue's front
  private int crc32;

  PlainPayload(Frame frame, SliceList queue, Scratch scratch) {
    this.framing = frame.framing();
    this.frame = frame;
    this.queue = queue;
    this.scratch = scratch;
  }

  /** Wraps the payload of the frame at an offset of the queue, which must be complete. */
  void wrap(int offset) {
    start = offset;
  }

  /** Whether its CRC32 is right; also true if the framing has none. */
  boolean isIntact() {
    if (framing.trailerLength() == 0) {
      return true;
    }
    int offset = start + framing.headerLength();
    int end = offset + frame.payloadLength();
    crc.reset();
    while (offset < end) {
      int here = Math.min(end - offset, queue.contiguous(offset));
      crc.update(queue.sliceAt(offset), queue.index(offset), here);
      offset += here;
    }
    crc32 = crc.value();
    return crc32 == queue.getIntLE(end);
  }

  /** Throws if a partial frame's CRC32 is wrong, because its message could not be left out. */
  void requireIntact() {
    if (!isIntact()) {
      throw new ProtocolException("partial frame with a wrong CRC32");
    }
  }

  /** The sum that {@link #isIntact} last computed. */
  int crc32() {
    return crc32;
  }

  /** Provides the plain bytes: where they were read to or, if compressed, in the scratch. */
  void load(Ranges plain) {
    plain.clear();
    int length = frame.plainLength();
    if (frame.isCompressed()) {
      ByteBuf room = scratch.buffer(length + frame.payloadLength());
      decompress(room, 0, room);
      plain.add(room, 0, length);
      return;
    }
    int offset = start + framing.headerLength();
    while (length > 0) {
      int here = Math.min(length, queue.contiguous(offset));
      plain.add(queue.sliceAt(offset), queue.index(offset), here);
      offset += here;
      length -= here;
    }
  }

  /** Decompresses to an index of a buffer, which must have the capacity. */
  void decompress(ByteBuf out, int index) {
    decompress(out, index, null);
  }

  /**
   * Decompresses the block.
   *
   * @param room the scratch if the plain bytes go there: a block spread over several buffers is
   *     joined after them; null if they go elsewhere
   */
  private void decompress(ByteBuf out, int index, @Nullable ByteBuf room) {
    int offset = start + framing.headerLength();
    int blockLength = frame.payloadLength();
    ByteBuf block = queue.sliceAt(offset);
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
              ? "payload of %d bytes is not an LZ4 block of %d"
                  .formatted(blockLength, frame.plainLength())
              : "LZ4 block of %d bytes, but the frame says %d"
                  .formatted(length, frame.plainLength()));
    }
  }
}
