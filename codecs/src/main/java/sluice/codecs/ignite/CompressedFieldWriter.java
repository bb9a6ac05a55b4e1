package sluice.codecs.ignite;

import io.netty.buffer.ByteBuf;
import java.util.zip.Deflater;
import sluice.codecs.compress.Scratch;

/**
 * A compressed field of a message between nodes ({@code CompressedMessage}), as it is since
 * IGNITE-28836: other fields, deflated as one stream that is cut into chunks anywhere.
 *
 * <pre>
 *  +---------+----------+   +-----------+----------------+   +-----------+
 *  | type,16 | raw size |   | more: 00  | length | bytes |...| end: 01   |
 *  +---------+----------+   +-----------+----------------+   +-----------+
 *   little    as int32                   as int32  up to 10,240
 *   endian
 * </pre>
 *
 * Of no bytes there is neither a chunk nor the end; a field that is null is {@link
 * MessageFields#NULL_TYPE}.
 *
 * <p>One instance an event loop: what is to be compressed is written into the loop's scratch, by
 * one writer of fields, and deflated from there to where it goes.
 */
public final class CompressedFieldWriter implements AutoCloseable {
  /** Compressed bytes in a chunk at most. */
  public static final int MAX_CHUNK = 10 * 1024;

  /** In front of a chunk: whether there is one, and a length of at most two bytes. */
  private static final int CHUNK_HEAD = 3;

  private final int type;
  private final Scratch scratch;
  private final Deflater deflater;
  private final MessageFields outer = new MessageFields();
  private final MessageFields inner = new MessageFields();
  private ByteBuf raw;

  /**
   * Fields of nodes that agree on their type and level.
   *
   * @param type differs between versions of Ignite
   * @param level as {@link Deflater#setLevel}: nodes' own is {@link Deflater#BEST_SPEED}
   * @param scratch the event loop's, borrowed until {@link #close}
   */
  public CompressedFieldWriter(int type, int level, Scratch scratch) {
    this.type = type;
    this.scratch = scratch;
    deflater = new Deflater(level, true);
  }

  /**
   * Begins a field: what is written into the result, without calling {@code done}, is to be
   * compressed.
   *
   * @param room bytes that it needs at most, before they are compressed
   */
  public MessageFields begin(int room) {
    raw = scratch.buffer(room).clear();
    return inner.into(raw, room);
  }

  /** Ends the field that was begun and appends it, compressed. Borrows out. */
  public void end(ByteBuf out) {
    inner.done();
    write(raw, 0, raw.writerIndex(), out);
    raw = null;
  }

  /** Appends a range, compressed, of a buffer in one piece. Borrows both. */
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
    if (out.writerIndex() != start + CHUNK_HEAD) { // a short one's length is a byte shorter
      out.setBytes(out.writerIndex(), out, start + CHUNK_HEAD, length);
    }
    out.writerIndex(out.writerIndex() + length);
  }

  /** Gives the deflater's native memory back. */
  @Override
  public void close() {
    deflater.end();
  }
}
