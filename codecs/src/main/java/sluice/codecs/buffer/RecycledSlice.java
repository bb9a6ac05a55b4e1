package sluice.codecs.buffer;

import io.netty.buffer.AbstractReferenceCountedByteBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ByteProcessor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;

/**
 * Retained slice of another buffer, equivalent to {@link ByteBuf#retainedSlice}, whose object
 * returns to its event loop's pool when it is released there. With Netty's default allocator each
 * request would leave such an object to the garbage collector.
 */
final class RecycledSlice extends AbstractReferenceCountedByteBuf {
  private final Slices home;
  private ByteBuf source;
  private int offset;
  private int length;

  @SuppressWarnings("NullAway.Init") // the pool gives no slice away before it is one of a source
  RecycledSlice(Slices home) {
    super(0);
    this.home = home;
  }

  /** Becomes the bytes [from, from + length) of source. Retains source. */
  RecycledSlice of(ByteBuf source, int from, int length) {
    this.source = source.retain();
    this.offset = from;
    this.length = length;
    resetRefCnt();
    maxCapacity(length);
    setIndex(0, length);
    return this;
  }

  /** Where the slice begins in its source. */
  int offset() {
    return offset;
  }

  @Override
  @SuppressWarnings("NullAway") // its owner has released it, and may not use it any more
  protected void deallocate() {
    ByteBuf released = source;
    source = null;
    home.give(this);
    released.release();
  }

  @Override
  public int capacity() {
    return length;
  }

  @Override
  public ByteBuf capacity(int newCapacity) {
    throw new UnsupportedOperationException("a slice keeps its capacity");
  }

  @Override
  public ByteBufAllocator alloc() {
    return source.alloc();
  }

  @Override
  @SuppressWarnings({"deprecation", "InlineMeSuggester"})
  public ByteOrder order() {
    return ByteOrder.BIG_ENDIAN;
  }

  @Override
  public ByteBuf unwrap() {
    return source;
  }

  @Override
  public boolean isDirect() {
    return source.isDirect();
  }

  @Override
  public boolean hasArray() {
    return false; // buffers that sockets are read into have none
  }

  @Override
  public byte[] array() {
    throw new UnsupportedOperationException("direct memory has no array");
  }

  @Override
  public int arrayOffset() {
    throw new UnsupportedOperationException("direct memory has no array");
  }

  @Override
  public boolean hasMemoryAddress() {
    return source.hasMemoryAddress();
  }

  @Override
  public long memoryAddress() {
    return source.memoryAddress() + offset;
  }

  @Override
  protected byte _getByte(int index) {
    return source.getByte(offset + index);
  }

  @Override
  protected short _getShort(int index) {
    return source.getShort(offset + index);
  }

  @Override
  protected short _getShortLE(int index) {
    return source.getShortLE(offset + index);
  }

  @Override
  protected int _getUnsignedMedium(int index) {
    return source.getUnsignedMedium(offset + index);
  }

  @Override
  protected int _getUnsignedMediumLE(int index) {
    return source.getUnsignedMediumLE(offset + index);
  }

  @Override
  protected int _getInt(int index) {
    return source.getInt(offset + index);
  }

  @Override
  protected int _getIntLE(int index) {
    return source.getIntLE(offset + index);
  }

  @Override
  protected long _getLong(int index) {
    return source.getLong(offset + index);
  }

  @Override
  protected long _getLongLE(int index) {
    return source.getLongLE(offset + index);
  }

  @Override
  protected void _setByte(int index, int value) {
    source.setByte(offset + index, value);
  }

  @Override
  protected void _setShort(int index, int value) {
    source.setShort(offset + index, value);
  }

  @Override
  protected void _setShortLE(int index, int value) {
    source.setShortLE(offset + index, value);
  }

  @Override
  protected void _setMedium(int index, int value) {
    source.setMedium(offset + index, value);
  }

  @Override
  protected void _setMediumLE(int index, int value) {
    source.setMediumLE(offset + index, value);
  }

  @Override
  protected void _setInt(int index, int value) {
    source.setInt(offset + index, value);
  }

  @Override
  protected void _setIntLE(int index, int value) {
    source.setIntLE(offset + index, value);
  }

  @Override
  protected void _setLong(int index, long value) {
    source.setLong(offset + index, value);
  }

  @Override
  protected void _setLongLE(int index, long value) {
    source.setLongLE(offset + index, value);
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuf to, int toIndex, int count) {
    checkIndex(index, count);
    source.getBytes(offset + index, to, toIndex, count);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, byte[] to, int toIndex, int count) {
    checkIndex(index, count);
    source.getBytes(offset + index, to, toIndex, count);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuffer to) {
    checkIndex(index, to.remaining());
    source.getBytes(offset + index, to);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, OutputStream to, int count) throws IOException {
    checkIndex(index, count);
    source.getBytes(offset + index, to, count);
    return this;
  }

  @Override
  public int getBytes(int index, GatheringByteChannel to, int count) throws IOException {
    checkIndex(index, count);
    return source.getBytes(offset + index, to, count);
  }

  @Override
  public int getBytes(int index, FileChannel to, long position, int count) throws IOException {
    checkIndex(index, count);
    return source.getBytes(offset + index, to, position, count);
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuf from, int fromIndex, int count) {
    checkIndex(index, count);
    source.setBytes(offset + index, from, fromIndex, count);
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, byte[] from, int fromIndex, int count) {
    checkIndex(index, count);
    source.setBytes(offset + index, from, fromIndex, count);
    return this;
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuffer from) {
    checkIndex(index, from.remaining());
    source.setBytes(offset + index, from);
    return this;
  }

  @Override
  public int setBytes(int index, InputStream from, int count) throws IOException {
    checkIndex(index, count);
    return source.setBytes(offset + index, from, count);
  }

  @Override
  public int setBytes(int index, ScatteringByteChannel from, int count) throws IOException {
    checkIndex(index, count);
    return source.setBytes(offset + index, from, count);
  }

  @Override
  public int setBytes(int index, FileChannel from, long position, int count) throws IOException {
    checkIndex(index, count);
    return source.setBytes(offset + index, from, position, count);
  }

  @Override
  public int indexOf(int from, int to, byte value) {
    checkIndex(from, to - from);
    int found = source.indexOf(offset + from, offset + to, value);
    return found < 0 ? found : found - offset;
  }

  @Override
  public int forEachByte(int index, int count, ByteProcessor processor) {
    checkIndex(index, count);
    int stopped = source.forEachByte(offset + index, count, processor);
    return stopped < 0 ? stopped : stopped - offset;
  }

  @Override
  public ByteBuf copy(int index, int count) {
    checkIndex(index, count);
    return source.copy(offset + index, count);
  }

  @Override
  public int nioBufferCount() {
    return source.nioBufferCount();
  }

  @Override
  public ByteBuffer nioBuffer(int index, int count) {
    checkIndex(index, count);
    return source.nioBuffer(offset + index, count);
  }

  /**
   * A view of its own. Netty's NIO transport keeps what this returns until the bytes have been
   * sent, and slices of one source must not share it: each would move the bounds of the others.
   */
  @Override
  public ByteBuffer internalNioBuffer(int index, int count) {
    return nioBuffer(index, count);
  }

  @Override
  public ByteBuffer[] nioBuffers(int index, int count) {
    checkIndex(index, count);
    return source.nioBuffers(offset + index, count);
  }
}
