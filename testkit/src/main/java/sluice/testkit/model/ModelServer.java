package sluice.testkit.model;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;
import sluice.testkit.Acceptor;
import sluice.testkit.hostile.Bytes;

/**
 * Model of memcached that reads text and meta lines as one of its versions does, and keeps items.
 *
 * <p>It is as strict as memcached may be: a line of more than 2048 bytes, which memcached accepts
 * if it arrives at once, always ends the connection. Packets of the binary protocol end it, too.
 */
public final class ModelServer implements Server {
  private static final int MAX_LINE = 2048;
  private static final int MAX_BUFFERED = 16 * 1024;

  private final Items items;
  private final Acceptor acceptor;
  private volatile String closedBehind = "";

  /** A model on any port of the loopback address. */
  public ModelServer(Lines lines) throws IOException {
    items = new Items(lines, InstantSource.system(), (key, flags) -> {});
    acceptor = Acceptor.onLoopback(0, "model of memcached " + lines.version(), this::serve);
  }

  @Override
  public InetSocketAddress address() {
    return acceptor.address();
  }

  @Override
  public String closedBehind() {
    return closedBehind;
  }

  /** Whether a key holds a value. */
  public boolean holds(String key) {
    return items.holds(key);
  }

  @Override
  public void close() throws IOException {
    acceptor.close();
  }

  private void serve(int number, Socket socket) {
    items.connected(number, socket.getPort());
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream(), MAX_BUFFERED);
      Conversation conversation =
          items.lines() == Lines.V1_6_45
              ? new NewLines(items, in, socket.getOutputStream())
              : new OldLines(items, in, socket.getOutputStream());
      boolean more = true;
      while (more) {
        byte[] line = line(in);
        if (line == null) {
          conversation.flush();
          return;
        }
        more = conversation.handle(line);
        if (!more) {
          closedBehind = Bytes.escaped(line);
        }
        conversation.discard();
        if (in.available() == 0 || conversation.isLarge()) {
          conversation.flush();
        }
      }
      conversation.flush();
    } catch (IOException e) {
      // closed
    } finally {
      items.disconnected(number);
    }
  }

  // The next line with its end; null if memcached would close the connection.
  private byte @Nullable [] line(InputStream in) throws IOException {
    java.io.ByteArrayOutputStream line = new java.io.ByteArrayOutputStream();
    boolean first = true;
    while (true) {
      int b = in.read();
      if (b < 0 || (first && b == 0x80)) {
        return null;
      }
      first = false;
      line.write(b);
      if (b == '\n') {
        return line.toByteArray();
      }
      if (line.size() > MAX_LINE) {
        String start = line.toString(StandardCharsets.ISO_8859_1).stripLeading();
        if (!start.startsWith("get ") && !start.startsWith("gets ")) {
          closedBehind = Bytes.escaped(line.toByteArray());
          return null;
        }
      }
    }
  }
}
