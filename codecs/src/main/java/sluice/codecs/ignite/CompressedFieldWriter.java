package sluice.codecs.ignite;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.zip.Deflater;
import sluice.codecs.compress.Scratch;

/**
 * Writer of compressed fields in messages between nodes ({@code CompressedMessage}), in the form
 * since IGNITE-28836. The content is other fields, deflated as one stream that is cut into chunks
 * at arbitrary places.
 *
 * <pre>
 *  +---------+----------+   +-----------+----------------+   +-----------+
 *  | type,16 | raw size |   | more: 00  | length | bytes |...| end: 01   |
 *  +---------+----------+   +-----------+----------------+   +-----------+
 *   little    as int32                   as int32  up to 10,240
 *   endian
 * </pre>
 *
 * An empty field has neither chunks nor the end; a null field is {@link MessageFields#NULL_TYPE}.
 *
 * <p>One instance for each event loop. The content is first written into the loop's scratch, then
 * deflated from there into the output.
 */
public final class CompressedFieldWriter implements AutoCloseable {
  /** The most compressed bytes in a chunk. */
  public static final int MAX_CHUNK = 10 * 1024;

  /** Bytes in front of a chunk: the marker that one follows, and a length of at most two bytes. */
  private static final int CHUNK_HEAD = 3;

  private final int type;
  private final Scratch scratch;
  private final Deflater deflater;
  private final MessageFields outer = new MessageFields();
  private final MessageFields inner = new MessageFields();
  private ByteBuf raw = Unpooled.EMPTY_BUFFER;

  /**
   * A writer for nodes that agree on the field's type and the level.
   *
   * @param type the field's type, which differs between versions of Ignite
   * @param level as {@link Deflater#setLevel}; nodes themselves use {@link Deflater#BEST_SPEED}
   * @param scratch the event loop's, borrowed until {@link #close}
   */
  public CompressedFieldWriter(int type, int level, Scratch scratch) {
    this.type = type;
    this.scratch = scratch;
    deflater = new Deflater(level, true);
  }

  /**
   * Begins a field. The caller writes its content into the result, without calling {@code done}.
   *
   * @param room the most bytes of the content before compression
   */
  public MessageFields begin(int room) {
    raw = scratch.buffer(room).clear();
    return inner.into(raw, room);
  }

  /** Ends the current field and appends it, compressed. Borrows out. */
  public void end(ByteBuf out) {
    inner.done();
    write(raw, 0, raw.writerIndex(), out);
    raw = Unpooled.EMPTY_BUFFER;
  }

  /** Appends a range of a contiguous buffer, compressed. Borrows both buffers. */
  public void write(ByteBuf from, int index, int length, ByteBuf out) {
    outer.into(out, Short.BYTES + MessageFields.MAX_INT_LENGTH).type(type).int32(length).done();
    if (length == 0) {
      return;
    }
    deflater.reset();
    deflater.setInput(from.internalNioBuffer(index, length));
    deflater.finish();
    while (!deflater.finished()) {
      writeChunk(out);
    }
    out.writeByte(1);
  }

  private void writeChunk(ByteBuf out) {
    out.ensureWritable(CHUNK_HEAD + MAX_CHUNK);
    int start = out.writerIndex();
    int length = deflater.deflate(out.internalNioBuffer(start + CHUNK_HEAD, MAX_CHUNK));
    if (length == 0) {
      return;
    }
    outer.into(out, CHUNK_HEAD).bool(false).int32(length).done();
    // the length of a short chunk takes one byte less
    if (out.writerIndex() != start + CHUNK_HEAD) {
      out.setBytes(out.writerIndex(), out, start + CHUNK_HEAD, length);
    }
    out.writerIndex(out.writerIndex() + length);
  }

  /** Releases the deflater's native memory. */
  @Override
  public void close() {
    deflater.end();
  }
}
