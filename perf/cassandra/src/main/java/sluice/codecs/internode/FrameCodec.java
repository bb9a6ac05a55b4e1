package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import sluice.codecs.buffer.ByteSink;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.compress.Workspace;

/** The two halves of a {@link Reframer}, one by one: what writes frames and what reads them. */
public final class FrameCodec implements AutoCloseable {
  private final Frame frame;
  private final Workspace workspace = Workspace.of(ByteBufAllocator.DEFAULT);
  private final FrameWriter writer;
  private final SliceList queue = new SliceList(workspace.slices());
  private final PlainPayload payload;
  private final Ranges plain = new Ranges();

  /** A codec of one framing, whose sink consumes the frames that are written. */
  public FrameCodec(Framing framing, ByteSink sink) {
    frame = new Frame(framing);
    writer = new FrameWriter(framing, workspace, sink);
    payload = new PlainPayload(frame, queue, workspace.scratch());
  }

  /** Writes a self-contained frame. Consumes its plain bytes. */
  public void encode(ByteBuf bytes) {
    plain.clear();
    plain.add(bytes, bytes.readerIndex(), bytes.readableBytes());
    writer.expect(bytes.readableBytes());
    writer.frame(plain, true, false, false, 0);
    writer.flush();
    plain.clear();
    bytes.release();
  }

  /** Reads a frame. Consumes it; its plain bytes are borrowed by {@link #copyTo} until the next. */
  public int decode(ByteBuf bytes) {
    queue.clear();
    queue.addRead(bytes);
    frame.wrap(queue, 0);
    payload.wrap(0);
    if (!payload.isIntact()) {
      throw new IllegalStateException("wrong CRC32");
    }
    payload.load(plain);
    return plain.length();
  }

  /** Appends the plain bytes of the frame that was read last. Borrows out. */
  public void copyTo(ByteBuf out) {
    plain.copyTo(out);
  }

  @Override
  public void close() {
    queue.clear();
    writer.release();
    workspace.scratch().release();
  }
}
