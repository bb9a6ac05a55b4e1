package sluice.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.charset.StandardCharsets;

/**
 * Connection of a memcached load: sends requests, and compares each reply with the expected one,
 * byte for byte. Everything runs on its event loop.
 */
final class Client extends ChannelInboundHandlerAdapter {
  /** Listener for replies. */
  interface Answers {
    void answered(Client client, long intendedNanos, boolean error);
  }

  private static final int SHOWN = 200;
  private static final int HEADER = 24;
  private static final int STATUS_AT = 6;
  private static final int BODY_LENGTH_AT = 8;
  private static final int CAS_AT = 16;
  private static final int LEAST_ERROR = 0x81; // statuses from here on are failures of the server
  private static final byte[] ERROR = "SERVER_ERROR ".getBytes(StandardCharsets.US_ASCII);

  private final Requests requests;
  private final Answers answers;
  private final java.util.function.Consumer<String> failed;

  @SuppressWarnings("NullAway.Init") // set by channelActive, which comes first
  private Channel channel;

  @SuppressWarnings("NullAway.Init") // as channel
  private ByteBuf read;

  // Ring of the requests in flight; its length is a power of two.
  private int[] items = new int[1024];
  private long[] intended = new long[1024];
  private long first;
  private long behindLast;

  Client(Requests requests, Answers answers, java.util.function.Consumer<String> failed) {
    this.requests = requests;
    this.answers = answers;
    this.failed = failed;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    channel = context.channel();
    read = channel.alloc().directBuffer();
  }

  int outstanding() {
    return (int) (behindLast - first);
  }

  // A failed write fires exceptionCaught, because of the void promise.
  @SuppressWarnings("FutureReturnValueIgnored")
  void send(int item, long intendedNanos) {
    if (behindLast - first == items.length) {
      grow();
    }
    int at = (int) behindLast & (items.length - 1);
    items[at] = item;
    intended[at] = intendedNanos;
    behindLast++;
    channel.write(requests.request(item), channel.voidPromise());
  }

  private void grow() {
    int[] moreItems = new int[2 * items.length];
    long[] moreIntended = new long[2 * items.length];
    for (long i = first; i < behindLast; i++) {
      moreItems[(int) i & (moreItems.length - 1)] = items[(int) i & (items.length - 1)];
      moreIntended[(int) i & (moreItems.length - 1)] = intended[(int) i & (items.length - 1)];
    }
    items = moreItems;
    intended = moreIntended;
  }

  void flush() {
    channel.flush();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf in = (ByteBuf) message;
    read.writeBytes(in);
    in.release();
    while (read.isReadable() && judge()) {
      // continue with the next reply
    }
    if (read.isReadable()) {
      read.discardSomeReadBytes();
    } else {
      read.clear();
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    channel.flush(); // requests that the replies made room for
  }

  /** Whether a whole reply had arrived. */
  private boolean judge() {
    if (first == behindLast) {
      fail("nothing");
      return false;
    }
    int at = (int) first & (items.length - 1);
    ByteBuf expected = requests.reply(items[at]);
    int length = Math.min(expected.readableBytes(), read.readableBytes());
    if (matches(expected, length)) {
      if (length < expected.readableBytes()) {
        return false;
      }
      take(length, at, false);
      return true;
    }
    int error = errorLength();
    if (error > 0) {
      take(error, at, true);
      return true;
    }
    if (error < 0) {
      fail(expected.toString(ISO_8859_1));
    }
    return false;
  }

  private boolean matches(ByteBuf expected, int length) {
    int from = read.readerIndex();
    if (!requests.isBinary()) {
      return ByteBufUtil.equals(expected, 0, read, from, length);
    }
    return ByteBufUtil.equals(expected, 0, read, from, Math.min(length, CAS_AT))
        && (length <= HEADER
            || ByteBufUtil.equals(expected, HEADER, read, from + HEADER, length - HEADER));
  }

  /**
   * Length of a reply that reports a server's failure; 0 if more bytes are needed, -1 if it is
   * none.
   */
  private int errorLength() {
    int from = read.readerIndex();
    int there = read.readableBytes();
    if (requests.isBinary()) {
      if (there < HEADER) {
        return 0;
      }
      int length = HEADER + read.getInt(from + BODY_LENGTH_AT);
      if (read.getUnsignedShort(from + STATUS_AT) < LEAST_ERROR) {
        return -1;
      }
      return there < length ? 0 : length;
    }
    for (int i = 0; i < Math.min(there, ERROR.length); i++) {
      if (read.getByte(from + i) != ERROR[i]) {
        return -1;
      }
    }
    int end = read.indexOf(from, from + there, (byte) '\n');
    return end < 0 ? 0 : end + 1 - from;
  }

  private void take(int length, int at, boolean error) {
    read.skipBytes(length);
    first++;
    answers.answered(this, intended[at], error);
  }

  private void fail(String expected) {
    failed.accept(
        "a client read '"
            + shown(read.toString(ISO_8859_1))
            + "', expected '"
            + shown(expected)
            + "'");
    read.skipBytes(read.readableBytes());
  }

  private static String shown(String bytes) {
    return bytes.length() <= SHOWN ? bytes : bytes.substring(0, SHOWN) + "...";
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    failed.accept("a client's connection was closed");
    read.release();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    failed.accept("a client: " + cause);
  }
}
