package sluice.gateway.server.shared;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.SliceList;

/** Replies that have come through a pipe and wait to be read. Belongs to the guest's thread. */
final class IncomingReplies {
  private final SliceList slices = new SliceList();
  private int read; // bytes of which the host has not been told

  /** Moves what arrived behind what waits already. */
  void add(SliceList arrived) {
    arrived.moveTo(slices);
  }

  boolean isEmpty() {
    return slices.isEmpty();
  }

  /** The next slice, which counts as read. The caller owns the result. */
  ByteBuf read() {
    ByteBuf slice = slices.removeFirst();
    read += slice.readableBytes();
    return slice;
  }

  /** Bytes that were read since {@link #takeRead} was called. */
  int bytesRead() {
    return read;
  }

  /** Bytes that were read since this was called. */
  int takeRead() {
    int bytes = read;
    read = 0;
    return bytes;
  }

  /** Releases what waits; says how many bytes that was. */
  long release() {
    long released = slices.length();
    slices.clear();
    return released;
  }
}
