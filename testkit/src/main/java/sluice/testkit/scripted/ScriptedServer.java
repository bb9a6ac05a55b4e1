package sluice.testkit.scripted;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import sluice.testkit.Acceptor;

/**
 * Text memcached that answers by a test's script, and records every request with its connection. It
 * always replies to version.
 */
public final class ScriptedServer implements AutoCloseable {
  private static final int SENT_AT_ONCE = 64 * 1024;
  private static final int SMALL_BUFFER = 4 * 1024;

  /** Action of a connection's thread on a request; it may wait, and keep the request for later. */
  public interface Script {
    /** Called with each request, in the order of its connection. */
    void handle(Request request) throws IOException, InterruptedException;
  }

  /** A request: its line without the line end, and its data block with the end, or nothing. */
  public record Request(int connection, String line, String data, Socket socket) {
    /** Replies with text, one byte for each character. */
    public void reply(String text) throws IOException {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /**
     * Replies to a get of any number of keys: a value for each, except for keys whose value is
     * null.
     */
    public void replyValues(UnaryOperator<String> valueOf) throws IOException {
      StringBuilder reply = new StringBuilder();
      for (String key : keys()) {
        String value = valueOf.apply(key);
        if (value != null) {
          reply.append("VALUE ").append(key).append(" 0 ").append(value.length()).append("\r\n");
          reply.append(value).append("\r\n");
        }
        if (reply.length() > SENT_AT_ONCE) {
          reply(reply.toString());
          reply.setLength(0);
        }
      }
      reply(reply.append("END\r\n").toString());
    }

    /** The keys of a get. */
    public List<String> keys() {
      return List.of(line.substring("get ".length()).split(" ", -1));
    }

    /** The first key of a request that has one. */
    public String key() {
      return line.split(" ", -1)[1];
    }
  }

  private final Script script;
  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private final List<String> broken = new CopyOnWriteArrayList<>();
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicInteger closedByPeer = new AtomicInteger();
  private final Acceptor acceptor;

  private volatile boolean handlesVersion;
  private volatile String version = "1.6.18";

  /** A server on any port of the loopback address. */
  public ScriptedServer(Script script) throws IOException {
    this(0, script);
  }

  /** A server on a port of the loopback address; 0 for any. */
  public ScriptedServer(int port, Script script) throws IOException {
    this.script = script;
    acceptor = Acceptor.onLoopback(port, "scripted memcached", this::serve);
  }

  /**
   * A server whose sockets accept few bytes until it reads them, so that its peers' writes
   * accumulate.
   */
  public static ScriptedServer withSmallBuffers(Script script) throws IOException {
    return new ScriptedServer(Acceptor.listenWithBuffer(SMALL_BUFFER), script);
  }

  private ScriptedServer(ServerSocket listener, Script script) {
    this.script = script;
    acceptor = new Acceptor(listener, "scripted memcached", this::serve);
  }

  /** Replies like an empty memcached that stores everything and finds the key as the value. */
  public static void behave(Request request) throws IOException {
    String line = request.line();
    if (line.startsWith("get ")) {
      request.replyValues(key -> key);
    } else if (line.equals("version")) {
      request.reply("VERSION 1.6.18\r\n");
    } else {
      request.reply(line.startsWith("set ") ? "STORED\r\n" : "OK\r\n");
    }
  }

  /** From now on, reports this version; the default is 1.6.18. */
  public ScriptedServer version(String text) {
    version = text;
    return this;
  }

  /** The script also answers version, like any other request. */
  public ScriptedServer versionToo() {
    handlesVersion = true;
    return this;
  }

  /** The address that it listens on. */
  public InetSocketAddress address() {
    return acceptor.address();
  }

  /** All requests so far except probes, in the order in which they were read. */
  public List<Request> requests() {
    return requests;
  }

  /** The lines of all requests so far. */
  public List<String> lines() {
    return requests.stream().map(Request::line).toList();
  }

  /** Requests that ended before they were complete. */
  public List<String> broken() {
    return broken;
  }

  /** Number of connections so far, open or closed. */
  public int connections() {
    return connections.get();
  }

  /** Connections that the other side has closed. */
  public int closedByPeer() {
    return closedByPeer.get();
  }

  private void serve(int number, Socket socket) {
    connections.incrementAndGet();
    String line = "";
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      while (true) {
        line = "";
        StringBuilder read = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
          if (b < 0) {
            if (!read.isEmpty()) {
              broken.add(read.toString());
            }
            closedByPeer.incrementAndGet();
            return;
          }
          read.append((char) b);
        }
        line = read.substring(0, read.length() - 1);
        byte[] data = new byte[0];
        if (line.startsWith("set ") || line.startsWith("ms ")) {
          int length = Integer.parseInt(line.split(" ", -1)[line.startsWith("ms ") ? 2 : 4]) + 2;
          data = in.readNBytes(length);
          if (data.length < length) {
            broken.add(line);
            closedByPeer.incrementAndGet();
            return;
          }
        }
        Request request =
            new Request(number, line, new String(data, StandardCharsets.ISO_8859_1), socket);
        if (line.equals("version") && handlesVersion) {
          script.handle(request);
        } else if (line.equals("version")) {
          request.reply("VERSION " + version + "\r\n");
        } else {
          requests.add(request);
          script.handle(request);
        }
      }
    } catch (IOException | InterruptedException e) {
      closedByPeer.incrementAndGet();
    }
  }

  /** Closes all connections, and the port. */
  public void die() throws IOException {
    close();
  }

  @Override
  public void close() throws IOException {
    acceptor.close();
  }
}
