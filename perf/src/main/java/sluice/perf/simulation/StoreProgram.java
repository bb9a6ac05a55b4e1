package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import sluice.embedded.EmbeddedSession;
import sluice.embedded.EmbeddedStore;
import sluice.gateway.time.Clocks;

/** The embedded store as a server, which takes binary requests besides those of text. */
final class StoreProgram implements Program {
  private static final long SIZE = 64 << 20;
  private static final int BINARY = 0x80;
  private static final int HEADER = 24;
  private static final int BODY = 8; // where a header has the length of what follows
  private static final int OPAQUE = 12;
  private static final int STAT = 0x10;
  private static final int MOST_LINE = 4096;

  /** A line that a data block follows, with its length. */
  private static final Pattern STORAGE =
      Pattern.compile(
          "(?:(?:set|add|replace|append|prepend|cas) +[^ ]+ +[^ ]+ +[^ ]+|ms +[^ ]+) +([0-9]{1,8})["
              + " \r"
              + "].*",
          Pattern.DOTALL);

  private final class StoreSession extends ClosableSession {
    private final EmbeddedSession session = new EmbeddedSession(store);
    private ByteBuf arrived = Unpooled.buffer(256);

    @Override
    public byte[] receive(byte[] bytes) {
      arrived.writeBytes(bytes);
      ByteBuf out = Unpooled.buffer(256);
      while (!closed) {
        int length = request();
        if (length < 0) {
          break;
        }
        int from = arrived.readerIndex();
        arrived.skipBytes(length);
        if (asksForStatistics(from, length)) {
          answerStatistics(from, out);
        } else {
          closed =
              arrived.getUnsignedByte(from) == BINARY
                  ? session.binary(arrived, from, from + length, out)
                  : session.text(arrived, from, from + length, out);
        }
      }
      arrived.discardReadBytes();
      byte[] replies = new byte[out.readableBytes()];
      out.readBytes(replies);
      return replies;
    }

    // The store's own tell what differs from run to run: the process's number, the memory it takes.
    private boolean asksForStatistics(int from, int length) {
      return arrived.getUnsignedByte(from) == BINARY
          ? arrived.getByte(from + 1) == STAT
          : length > 5 && arrived.toString(from, 5, ISO_8859_1).equals("stats");
    }

    private void answerStatistics(int from, ByteBuf out) {
      if (arrived.getUnsignedByte(from) != BINARY) {
        out.writeCharSequence("STAT pid 1\r\nEND\r\n", ISO_8859_1);
        return;
      }
      int start = out.writerIndex(); // no statistic, and the packet that ends them
      out.writeZero(HEADER);
      out.setByte(start, BINARY + 1).setByte(start + 1, STAT);
      out.setInt(start + OPAQUE, arrived.getInt(from + OPAQUE));
    }

    // The length of the next request; -1 until it is complete.
    private int request() {
      int count = arrived.readableBytes();
      int from = arrived.readerIndex();
      if (count > 0 && arrived.getUnsignedByte(from) == BINARY) {
        int length = count < HEADER ? HEADER : HEADER + arrived.getInt(from + BODY);
        return count < length ? -1 : length;
      }
      int end = arrived.indexOf(from, from + count, (byte) '\n');
      if (end < 0) {
        closed = count > MOST_LINE;
        return -1;
      }
      int length = end + 1 - from;
      Matcher storage = STORAGE.matcher(arrived.toString(from, length, ISO_8859_1));
      if (storage.matches()) {
        length += Integer.parseInt(storage.group(1)) + 2;
      }
      return count < length ? -1 : length;
    }
  }

  // An allocator of its own: at the end, the gateways' buffers are counted.
  private final EmbeddedStore store =
      new EmbeddedStore(
          SIZE,
          EmbeddedStore.DEFAULT_ITEM_SIZE_LIMIT,
          Clocks.utc(),
          new UnpooledByteBufAllocator(true));

  @Override
  public Session connect(int port) {
    return new StoreSession();
  }

  @Override
  public byte @Nullable [] value(String key) {
    byte[] found = new StoreSession().receive(("mg " + key + " v\r\n").getBytes(ISO_8859_1));
    String reply = new String(found, ISO_8859_1);
    int value = reply.indexOf("\r\n") + 2;
    return reply.startsWith("VA ")
        ? reply.substring(value, reply.length() - 2).getBytes(ISO_8859_1)
        : null;
  }

  @Override
  public void close() {
    store.close();
  }
}
