package sluice.gateway.cut;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;

/** A client of raw bytes that leaves nothing behind: its closing is a reset, without TIME_WAIT. */
final class RawClient implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofSeconds(20);

  /** What came, and whether the peer closed behind it. */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares them by equals
  record Heard(byte[] bytes, boolean closed) {}

  /** When enough was heard. */
  interface Enough {
    boolean isHeard(byte[] bytes);
  }

  private final Socket socket = new Socket();
  private final byte[] buffer = new byte[128 * 1024];

  RawClient(InetSocketAddress address) throws IOException {
    socket.setTcpNoDelay(true);
    socket.setSoLinger(true, 0);
    socket.connect(address, (int) PATIENCE.toMillis());
  }

  /** Sends the bytes [from, to); a peer that has closed is found when it is listened to. */
  void send(byte[] bytes, int from, int to) throws IOException {
    try {
      socket.getOutputStream().write(bytes, from, to - from);
    } catch (SocketException closed) {
      // what it said before is still there to be read
    }
  }

  void send(byte[] bytes) throws IOException {
    send(bytes, 0, bytes.length);
  }

  /** No more requests follow. */
  void shutdownOutput() throws IOException {
    try {
      socket.shutdownOutput();
    } catch (SocketException closed) {
      // then none can
    }
  }

  /** Everything until it is enough, the peer closes, or nothing comes for this long. */
  Heard hear(Enough enough, Duration silence) throws IOException {
    ByteArrayOutputStream heard = new ByteArrayOutputStream();
    InputStream in = socket.getInputStream();
    socket.setSoTimeout((int) silence.toMillis());
    try {
      while (!enough.isHeard(heard.toByteArray())) {
        int read = in.read(buffer);
        if (read < 0) {
          return new Heard(heard.toByteArray(), true);
        }
        heard.write(buffer, 0, read);
      }
    } catch (SocketTimeoutException e) {
      return new Heard(heard.toByteArray(), false);
    } catch (SocketException e) { // reset: closed with bytes of ours unread
      return new Heard(heard.toByteArray(), true);
    }
    return new Heard(heard.toByteArray(), false);
  }

  /** Sends the fence and returns when it is answered. */
  void fence(Fence fence) throws IOException {
    send(fence.request());
    Heard heard = hear(fence::ends, PATIENCE);
    if (!fence.ends(heard.bytes())) {
      throw new IOException("the fence was not answered: " + heard);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
