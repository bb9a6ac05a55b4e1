package sluice.gateway.server.shared;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.SliceList;

/** Replies that came through a pipe and were not read yet. Belongs to the sharer's thread. */
final class IncomingReplies {
  private final SliceList slices = new SliceList();
  private int read; // bytes that were read and not reported to the owner

  /** Appends replies that arrived. */
  void add(SliceList arrived) {
    arrived.moveTo(slices);
  }

  boolean isEmpty() {
    return slices.isEmpty();
  }

  /** Removes the next slice, which counts as read. The caller owns the result. */
  ByteBuf read() {
    ByteBuf slice = slices.removeFirst();
    read += slice.readableBytes();
    return slice;
  }

  /** The number of bytes read since {@link #takeRead} was called. */
  int bytesRead() {
    return read;
  }

  /** Returns the number of bytes read since the last call. */
  int takeRead() {
    int bytes = read;
    read = 0;
    return bytes;
  }

  /** Releases the remaining replies; returns their length in bytes. */
  long release() {
    long released = slices.length();
    slices.clear();
    return released;
  }
}
