package sluice.gateway.differential;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/** Passes bytes on to a memcached, and now and then others than those that came. */
final class WrongProxy implements AutoCloseable {
  /** Every so many reads that have what is looked for, it is replaced in one. */
  private static final int EVERY = 3;

  /**
   * What it does wrong.
   *
   * @param inRequests in what clients send, or else in what they are answered
   * @param find where in the bytes, as ISO 8859-1, of one read
   * @param with what stands there instead, as of {@link java.util.regex.Matcher#replaceFirst}
   */
  record Fault(String name, Dialect dialect, boolean inRequests, String find, String with) {
    @Override
    public String toString() {
      return dialect + ": " + name;
    }
  }

  private final ServerSocket listenerView;
  private final InetSocketAddress server;
  private final Fault fault;
  private final Pattern pattern;
  private final AtomicInteger found = new AtomicInteger();
  private final AtomicInteger wrongs = new AtomicInteger();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  /** One in front of this server; a fault of null does nothing wrong. */
  WrongProxy(InetSocketAddress server, Fault fault) throws IOException {
    this.server = server;
    this.fault = fault;
    pattern = fault == null ? null : Pattern.compile(fault.find(), Pattern.DOTALL);
    listenerView = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
    daemon(this::accept);
  }

  InetSocketAddress address() {
    return (InetSocketAddress) listenerView.getLocalSocketAddress();
  }

  /** How often it did something wrong. */
  int wrongs() {
    return wrongs.get();
  }

  private static void daemon(Runnable runnable) {
    Thread thread = new Thread(runnable, "wrong-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listenerView.accept();
        Socket upstream = new Socket(server.getAddress(), server.getPort());
        client.setTcpNoDelay(true);
        upstream.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(upstream);
        daemon(() -> pass(client, upstream, true));
        daemon(() -> pass(upstream, client, false));
      }
    } catch (IOException e) {
      // closed: nobody connects any more
    }
  }

  private void pass(Socket from, Socket to, boolean requests) {
    byte[] buffer = new byte[64 * 1024];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        String read = new String(buffer, 0, count, StandardCharsets.ISO_8859_1);
        boolean mine = fault != null && fault.inRequests() == requests;
        out.write((mine ? wrong(read) : read).getBytes(StandardCharsets.ISO_8859_1));
      }
    } catch (IOException e) {
      // one side is gone, and so is the other
    } finally {
      sockets.remove(from);
      sockets.remove(to);
    }
  }

  private String wrong(String read) {
    if (!pattern.matcher(read).find() || found.incrementAndGet() % EVERY != 0) {
      return read;
    }
    wrongs.incrementAndGet();
    return pattern.matcher(read).replaceFirst(fault.with());
  }

  @Override
  public void close() throws IOException {
    listenerView.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
