package sluice.testkit.model;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/** Connection to a {@link Model}. */
public final class ModelConnection {
  private static final int MAX_LINE = 2048;

  /** Bytes that have arrived. Reading more than these fails, and starts again later. */
  private static final class Arrived extends InputStream {
    private byte[] bytes = new byte[256];
    private int from;
    private int to;
    private int wanted; // position up to which a read failed

    void add(byte[] more) {
      if (to + more.length > bytes.length) {
        int left = to - from;
        byte[] larger = left + more.length > bytes.length ? grown(left + more.length) : bytes;
        System.arraycopy(bytes, from, larger, 0, left);
        wanted -= from;
        bytes = larger;
        from = 0;
        to = left;
      }
      System.arraycopy(more, 0, bytes, to, more.length);
      to += more.length;
    }

    private static byte[] grown(int least) {
      return new byte[Integer.highestOneBit(least) * 2];
    }

    /** Whether the bytes that the last failed read needed have arrived. */
    boolean hasWanted() {
      return to >= wanted;
    }

    @Override
    public int available() {
      return to - from;
    }

    @Override
    public int read() throws IOException {
      if (from == to) {
        wanted = to + 1;
        throw new NotYet();
      }
      return bytes[from++] & 0xff;
    }

    @Override
    public int read(byte[] into, int at, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      if (to - from < length) {
        wanted = from + length;
        throw new NotYet();
      }
      System.arraycopy(bytes, from, into, at, length);
      from += length;
      return length;
    }

    @Override
    public byte[] readNBytes(int length) throws IOException {
      byte[] read = new byte[length];
      int count = read(read, 0, length);
      return count == length ? read : Arrays.copyOf(read, count);
    }

    @Override
    public long skip(long count) {
      long skipped = Math.min(count, to - from);
      from += (int) skipped;
      return skipped;
    }
  }

  private static final class NotYet extends IOException {
    private static final long serialVersionUID = 1;

    NotYet() {
      super("not yet");
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }

  private final Items items;
  private final int number;
  private final Arrived in = new Arrived();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final Conversation conversation;
  private boolean closed;

  ModelConnection(Items items, int number, int port) {
    this.items = items;
    this.number = number;
    conversation =
        items.lines() == Lines.V1_6_45
            ? new NewLines(items, in, out)
            : new OldLines(items, in, out);
    items.connected(number, port);
  }

  /**
   * Carries out the requests that have arrived.
   *
   * @return the replies
   */
  public byte[] receive(byte[] bytes) {
    in.add(bytes);
    try {
      while (!closed && in.hasWanted()) {
        conversation.discard();
        int start = in.from;
        if (!next()) {
          in.from = start;
          break;
        }
      }
      conversation.flush();
    } catch (NotYet e) {
      flush();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    byte[] replies = out.toByteArray();
    out.reset();
    return replies;
  }

  private void flush() {
    try {
      conversation.flush();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  // Whether a whole request had arrived.
  private boolean next() throws IOException {
    int end = in.from;
    while (end < in.to && in.bytes[end] != '\n') {
      end++;
    }
    if (in.available() > 0 && (in.bytes[in.from] & 0xff) == 0x80) {
      close();
      return true;
    }
    if (end == in.to) {
      if (in.available() > MAX_LINE) {
        close();
        return true;
      }
      in.wanted = in.to + 1;
      return false;
    }
    byte[] line = Arrays.copyOfRange(in.bytes, in.from, end + 1);
    in.from = end + 1;
    try {
      if (!conversation.handle(line)) {
        close();
      }
      return true;
    } catch (NotYet e) {
      return false;
    }
  }

  /** Whether memcached has closed it. */
  public boolean isClosed() {
    return closed;
  }

  /** Closes it. */
  public void close() {
    closed = true;
    items.disconnected(number);
  }
}
