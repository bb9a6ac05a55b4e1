package sluice.gateway.cut;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import sluice.testkit.SocketProxy;

/**
 * Stands between the gateway and a memcached and cuts one reply: the bytes behind the cut leave
 * when the gateway has read those before it.
 */
final class CuttingProxy implements AutoCloseable {

  /** Returns when the gateway has read everything that was sent before. */
  interface Barrier {
    void await() throws IOException;
  }

  private static final long NEVER = -1;

  private final SocketProxy proxy;
  private Barrier barrier = () -> {};
  private long cut = NEVER;
  private long delivered;

  CuttingProxy(InetSocketAddress server) throws IOException {
    proxy = new SocketProxy(server, "cutting-proxy", this::pass);
  }

  InetSocketAddress address() {
    return proxy.address();
  }

  synchronized void barrier(Barrier barrier) {
    this.barrier = barrier;
  }

  /** From now on bytes are counted, and cut behind this many of them; 0: not at all. */
  synchronized void cutBehind(int bytes) {
    delivered = 0;
    cut = bytes == 0 ? NEVER : bytes;
  }

  /** The bytes of replies since {@link #cutBehind}. */
  synchronized int delivered() {
    return (int) delivered;
  }

  private void pass(boolean requests, byte[] bytes, int length, OutputStream out)
      throws IOException {
    if (requests) {
      out.write(bytes, 0, length);
    } else {
      deliver(bytes, length, out);
    }
  }

  private synchronized void deliver(byte[] bytes, int length, OutputStream out) throws IOException {
    int first = (int) (cut - delivered);
    if (cut != NEVER && first > 0 && first < length) {
      out.write(bytes, 0, first);
      barrier.await();
      out.write(bytes, first, length - first);
    } else {
      out.write(bytes, 0, length);
      if (first == length) {
        barrier.await();
      }
    }
    delivered += length;
  }

  @Override
  public void close() throws IOException {
    proxy.close();
  }
}
