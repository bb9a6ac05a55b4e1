package sluice.gateway.torture;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/** A client's blocking connection of raw bytes, text as ISO 8859-1. */
final class RawClient implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 30_000;

  private final Socket socket = new Socket();
  private final InputStream in; // with a buffer: lines are read byte by byte

  RawClient(InetSocketAddress address) throws IOException {
    this(address, 0);
  }

  /** One whose kernel takes no more than about receiveBuffer bytes unread; 0: the default. */
  RawClient(InetSocketAddress address, int receiveBuffer) throws IOException {
    this(address, receiveBuffer, null);
  }

  /** One that comes from an address of this machine. */
  RawClient(InetSocketAddress address, String from) throws IOException {
    this(address, 0, new InetSocketAddress(from, 0));
  }

  private RawClient(InetSocketAddress address, int receiveBuffer, InetSocketAddress from)
      throws IOException {
    if (receiveBuffer > 0) {
      socket.setReceiveBufferSize(receiveBuffer);
    }
    socket.bind(from);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.connect(address, PATIENCE_MILLIS);
    in = new BufferedInputStream(socket.getInputStream());
  }

  /** Where it comes from, as the other side sees it. */
  InetSocketAddress from() {
    return (InetSocketAddress) socket.getLocalSocketAddress();
  }

  RawClient send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  RawClient send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    return this;
  }

  /** The next count bytes. */
  byte[] read(int count) throws IOException {
    byte[] bytes = in.readNBytes(count);
    if (bytes.length < count) {
      throw new IOException(
          "closed after " + new String(bytes, StandardCharsets.ISO_8859_1).translateEscapes());
    }
    return bytes;
  }

  /** The next bytes, as many as target holds. */
  void read(byte[] target) throws IOException {
    if (in.readNBytes(target, 0, target.length) < target.length) {
      throw new IOException("closed");
    }
  }

  /** What comes next: one byte at least. */
  byte[] readSome() throws IOException {
    byte[] bytes = new byte[64 * 1024];
    int count = in.read(bytes);
    if (count < 0) {
      throw new IOException("closed");
    }
    return Arrays.copyOf(bytes, count);
  }

  /** The next line without its end. */
  String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new IOException("closed after \"" + line + '"');
      }
      line.append((char) b);
    }
    return line.substring(0, line.length() - 1);
  }

  /** As {@link #line}; empty if the gateway has closed the connection before it. */
  String lineOrEnd() throws IOException {
    in.mark(1);
    if (in.read() < 0) {
      return "";
    }
    in.reset();
    return line();
  }

  /** Sends a request of one line and returns the first line of its reply. */
  String ask(String request) throws IOException {
    return send(request).line();
  }

  /** Whether nothing comes for that long. */
  boolean isSilentFor(Duration time) throws IOException {
    socket.setSoTimeout((int) time.toMillis());
    try {
      in.read(); // a byte, or the end: neither is silence
      return false;
    } catch (SocketTimeoutException e) {
      return true;
    } finally {
      socket.setSoTimeout(PATIENCE_MILLIS);
    }
  }

  /** Everything until the other side closes, which must happen within limit. */
  byte[] readToEnd(Duration limit) throws IOException {
    socket.setSoTimeout((int) limit.toMillis());
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try {
      in.transferTo(all);
    } catch (SocketTimeoutException e) {
      throw new IOException("not closed within " + limit + " after " + all.size() + " bytes", e);
    } catch (SocketException e) {
      // a reset is an end too
    }
    return all.toByteArray();
  }

  /** Says that nothing more is sent; what comes is still read. */
  RawClient halfClose() throws IOException {
    socket.shutdownOutput();
    return this;
  }

  /** Ends the connection with a reset. */
  void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
