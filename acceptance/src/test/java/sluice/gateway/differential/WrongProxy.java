package sluice.gateway.differential;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import sluice.testkit.SocketProxy;

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

  private final SocketProxy proxy;
  private final Fault fault;
  private final Pattern pattern;
  private final AtomicInteger found = new AtomicInteger();
  private final AtomicInteger wrongs = new AtomicInteger();

  /** One in front of this server; a fault of null does nothing wrong. */
  WrongProxy(InetSocketAddress server, Fault fault) throws IOException {
    this.fault = fault;
    pattern = fault == null ? null : Pattern.compile(fault.find(), Pattern.DOTALL);
    proxy = new SocketProxy(server, "wrong-proxy", this::pass);
  }

  InetSocketAddress address() {
    return proxy.address();
  }

  /** How often it did something wrong. */
  int wrongs() {
    return wrongs.get();
  }

  private void pass(boolean requests, byte[] bytes, int length, OutputStream out)
      throws IOException {
    String read = new String(bytes, 0, length, ISO_8859_1);
    boolean mine = fault != null && fault.inRequests() == requests;
    out.write((mine ? wrong(read) : read).getBytes(ISO_8859_1));
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
    proxy.close();
  }
}
