package sluice.gateway.route.hash;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** A memcached server that has every key; each value is the two digits the server was given. */
final class FakeServer implements AutoCloseable {
  private static final byte[] REPLY_START = "VALUE ".getBytes(StandardCharsets.US_ASCII);

  private final ServerSocketChannel listener;
  private final byte[] replyEnd;

  FakeServer(int number, SocketAddress bind) throws IOException {
    listener =
        bind instanceof UnixDomainSocketAddress
            ? ServerSocketChannel.open(StandardProtocolFamily.UNIX)
            : ServerSocketChannel.open();
    replyEnd = " 0 2\r\n%02d\r\nEND\r\n".formatted(number).getBytes(StandardCharsets.US_ASCII);
    listener.bind(bind);
    start("accept " + bind, this::accept);
  }

  /** Length of the reply to a get of a key of that length. */
  static int replyLength(int keyLength) {
    return REPLY_START.length + keyLength + " 0 2\r\n00\r\nEND\r\n".length();
  }

  /** The server's number in the reply at offset 0. */
  static int number(byte[] reply) {
    int at = reply.length - "00\r\nEND\r\n".length();
    return (reply[at] - '0') * 10 + reply[at + 1] - '0';
  }

  SocketAddress address() throws IOException {
    return listener.getLocalAddress();
  }

  private void accept() throws IOException {
    while (true) {
      SocketChannel connection = listener.accept();
      start("connection of " + address(), () -> serve(connection));
    }
  }

  private void serve(SocketChannel connection) throws IOException {
    try (connection) {
      ByteBuffer in = ByteBuffer.allocate(1 << 16);
      ByteBuffer out = ByteBuffer.allocate(1 << 18);
      while (connection.read(in) >= 0) {
        in.flip();
        int start = 0;
        for (int i = 0; i < in.limit(); i++) {
          if (in.get(i) == '\n') {
            reply(in, start, i, out);
            start = i + 1;
          }
        }
        in.position(start);
        in.compact();
        out.flip();
        while (out.hasRemaining()) {
          connection.write(out);
        }
        out.clear();
      }
    }
  }

  /** Answers the line "get key\r" in [start, end). */
  private void reply(ByteBuffer in, int start, int end, ByteBuffer out) {
    int from = start + "get ".length();
    out.put(REPLY_START).put(out.position(), in, from, end - 1 - from);
    out.position(out.position() + end - 1 - from).put(replyEnd);
  }

  private interface Task {
    void run() throws IOException;
  }

  private static void start(String name, Task task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (IOException e) {
                // closed, or the peer is gone: what is missing then, the test misses too
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
