package sluice.perf.simulation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.ProtocolException;
import sluice.codecs.compress.Lz4;
import sluice.codecs.internode.Frame;
import sluice.codecs.internode.FrameCrc32;
import sluice.codecs.internode.Framing;

/** Reader of frames, which checks every checksum and decompresses the payloads. */
final class NodePayloads {
  /** Receiver of the payloads. */
  interface Receiver {
    /** A payload of whole messages. */
    void contained(ByteBuf messages);

    /** A payload that is a part of one message. */
    void partial(ByteBuf part);
  }

  private final Framing framing;
  private final Frame frame;
  private final ByteBuf in = Unpooled.buffer();

  NodePayloads(Framing framing) {
    this.framing = framing;
    this.frame = new Frame(framing);
  }

  /**
   * Reads the frames that are complete with these bytes. The receiver borrows their payloads.
   *
   * @throws ProtocolException if a checksum or a length is wrong
   */
  void read(byte[] bytes, Receiver receiver) {
    in.discardReadBytes().writeBytes(bytes);
    while (in.readableBytes() >= framing.headerLength()) {
      frame.wrap(in, in.readerIndex());
      if (in.readableBytes() < frame.length()) {
        return;
      }
      ByteBuf payload = payload(in.readerIndex() + framing.headerLength());
      boolean contained = frame.isSelfContained();
      in.skipBytes(frame.length());
      if (contained) {
        receiver.contained(payload);
      } else {
        receiver.partial(payload);
      }
    }
  }

  private ByteBuf payload(int at) {
    int length = frame.payloadLength();
    if (framing.trailerLength() > 0
        && new FrameCrc32().of(in, at, length) != in.getIntLE(at + length)) {
      throw new ProtocolException("a payload with a wrong CRC32");
    }
    if (!frame.isCompressed()) {
      return in.copy(at, length);
    }
    ByteBuf plain = Unpooled.buffer(frame.plainLength());
    Lz4.decompress(in, at, length, plain, 0, frame.plainLength());
    return plain.writerIndex(frame.plainLength());
  }

  /** Whether the bytes so far end with a frame. */
  boolean isBetweenFrames() {
    return !in.isReadable();
  }
}
