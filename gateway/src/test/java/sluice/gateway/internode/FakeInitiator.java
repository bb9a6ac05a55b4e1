package sluice.gateway.internode;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;

/** A node that opens a link, byte by byte as a test wants it. */
final class FakeInitiator implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 20_000;

  private final Socket socket;

  FakeInitiator(InetSocketAddress address) throws IOException {
    this(address, new Socket());
  }

  /** One that connects a socket of the test's own. */
  FakeInitiator(InetSocketAddress address, Socket socket) throws IOException {
    this.socket = socket;
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.connect(address, PATIENCE_MILLIS);
  }

  FakeInitiator send(byte[] bytes) throws IOException {
    return send(bytes, 0, bytes.length);
  }

  FakeInitiator send(byte[] bytes, int from, int to) throws IOException {
    socket.getOutputStream().write(bytes, from, to - from);
    return this;
  }

  byte[] read(int count) throws IOException {
    byte[] bytes = socket.getInputStream().readNBytes(count);
    if (bytes.length < count) {
      throw new IOException("closed after " + bytes.length + " bytes of " + count);
    }
    return bytes;
  }

  /** Everything until the other side closes, which must happen within limit. */
  byte[] readToEnd(Duration limit) throws IOException {
    socket.setSoTimeout((int) limit.toMillis());
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try {
      socket.getInputStream().transferTo(all);
    } catch (SocketTimeoutException e) {
      throw new IOException("not closed within " + limit + " after " + all.size() + " bytes", e);
    } catch (SocketException e) {
      // a reset is an end too
    }
    return all.toByteArray();
  }

  /** Says that no more will be sent. */
  void endOutput() throws IOException {
    socket.shutdownOutput();
  }

  /** Ends the connection; all that was sent still arrives. */
  void leave() throws IOException {
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
