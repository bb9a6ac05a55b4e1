package sluice.perf;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import sluice.load.traffic.RequestFormat;

/** The bytes that something must be answered with, but for words that only the server knows. */
final class Reply implements AutoCloseable {
  private final ByteBuf bytes = Unpooled.directBuffer();
  private int[] unknown = new int[4]; // where words begin, ascending
  private int unknowns;

  /** To append to: what is behind it. Borrowed. */
  ByteBuf bytes() {
    return bytes;
  }

  /** Appends a reply of format, which it is to write. */
  void add(RequestFormat format, Runnable reply) {
    int start = bytes.writerIndex();
    reply.run();
    if (format.unknown() >= 0) {
      if (unknowns == unknown.length) {
        unknown = Arrays.copyOf(unknown, 2 * unknowns);
      }
      unknown[unknowns++] = start + format.unknown();
    }
  }

  int length() {
    return bytes.readableBytes();
  }

  /** Whether in, all of it, is what comes behind the first {@code compared} bytes. */
  boolean matches(ByteBuf in, int compared) {
    int end = compared + in.readableBytes();
    if (end > length()) {
      return false;
    }
    int from = compared;
    int next = firstBehind(compared);
    while (from < end) {
      int word = next < unknowns ? unknown[next++] : Integer.MAX_VALUE;
      int to = Math.min(end, word);
      if (to > from
          && !ByteBufUtil.equals(bytes, from, in, in.readerIndex() + from - compared, to - from)) {
        return false;
      }
      from = word == Integer.MAX_VALUE ? end : Math.max(from, word + Long.BYTES);
    }
    return true;
  }

  /** Index of the first word that does not end before index. */
  private int firstBehind(int index) {
    int found = Arrays.binarySearch(unknown, 0, unknowns, index - Long.BYTES + 1);
    return found >= 0 ? found : -found - 1;
  }

  @Override
  public void close() {
    bytes.release();
  }
}
