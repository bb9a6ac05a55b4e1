package sluice.perf.torture;

import io.netty.buffer.ByteBuf;

/**
 * Looks at what passes in one direction of a server's connection, wherever it is cut: lines, or
 * headers of packets, are collected, bytes of values are only counted.
 */
abstract class Stream {
  private static final int LONGEST_HEAD = 64 * 1024;

  private byte[] head = new byte[512];
  private int length;
  private long skipped;

  /** Borrows in and looks at length bytes from offset on; moves no index. */
  final void look(ByteBuf in, int offset, int count) {
    int at = offset;
    int end = offset + count;
    while (at < end) {
      if (skipped > 0) {
        int passed = (int) Math.min(skipped, end - at);
        skipped -= passed;
        at += passed;
      } else {
        add(in.getByte(at++));
        if (isHead(head, length)) {
          int of = length;
          length = 0;
          skipped = take(head, of);
        }
      }
    }
  }

  private void add(byte b) {
    if (length == head.length) {
      if (length == LONGEST_HEAD) {
        throw new IllegalStateException("a line of more than " + LONGEST_HEAD + " bytes");
      }
      head = java.util.Arrays.copyOf(head, length * 2);
    }
    head[length++] = b;
  }

  /** Whether these bytes are a whole line, or all of a packet that is to be looked at. */
  abstract boolean isHead(byte[] bytes, int count);

  /** Takes a line or packet's head; returns how many bytes behind it are a value. */
  abstract long take(byte[] bytes, int count);
}
