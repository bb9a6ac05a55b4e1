package sluice.gateway.internode;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import sluice.testkit.Acceptor;

/** A node that takes links: answers what it is told to, then keeps all that comes. */
final class FakeNode implements AutoCloseable {
  private static final String NAME = "fake node";

  /** Sockets of ports that nobody listens at. */
  private static final Queue<Socket> BOUND = new ConcurrentLinkedQueue<>();

  private final byte[] answer;
  private final int receiveBuffer;
  private final BlockingQueue<Incoming> incoming = new LinkedBlockingQueue<>();
  private final Acceptor acceptor;

  /** One link that was opened to it. */
  static final class Incoming {
    private final Socket socket;
    private final byte[] initiate;
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private final CountDownLatch answered = new CountDownLatch(1);
    private boolean ended;

    private Incoming(Socket socket, byte[] initiate) {
      this.socket = socket;
      this.initiate = initiate;
    }

    byte[] initiate() {
      return initiate;
    }

    void send(byte[] bytes) throws IOException {
      socket.getOutputStream().write(bytes);
    }

    void close() throws IOException {
      socket.close();
    }

    /** Reads on, in a thread of its own. */
    Incoming readAll() {
      Acceptor.start(
          NAME,
          () -> {
            try {
              InputStream in = socket.getInputStream();
              byte[] piece = new byte[64 * 1024];
              for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
                add(piece, n);
              }
            } catch (IOException e) {
              // an end too
            }
            end();
          });
      return this;
    }

    private synchronized void add(byte[] piece, int length) {
      body.write(piece, 0, length);
      notifyAll();
    }

    private synchronized void end() {
      ended = true;
      notifyAll();
    }

    synchronized byte[] body() {
      return body.toByteArray();
    }

    /** Everything behind the handshake, of which there must be at least that much in time. */
    synchronized byte[] body(int atLeast) throws InterruptedException {
      await(() -> body.size() >= atLeast || ended);
      return body.toByteArray();
    }

    /** Everything behind the handshake, once the link has ended. */
    synchronized byte[] bodyToEnd() throws InterruptedException {
      await(() -> ended);
      if (!ended) {
        throw new AssertionError("the link was not closed");
      }
      return body.toByteArray();
    }

    private synchronized void await(java.util.function.BooleanSupplier done)
        throws InterruptedException {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (!done.getAsBoolean() && System.nanoTime() < end) {
        wait(10);
      }
    }
  }

  private FakeNode(byte[] answer, int receiveBuffer) throws IOException {
    this(answer, receiveBuffer, new ServerSocket());
  }

  /** One that takes its links by a socket of the test's own, not bound yet. */
  FakeNode(byte[] answer, int receiveBuffer, ServerSocket listener) throws IOException {
    this.answer = answer;
    this.receiveBuffer = receiveBuffer;
    if (receiveBuffer > 0) {
      listener.setReceiveBufferSize(receiveBuffer);
    }
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
    acceptor = new Acceptor(listener, NAME, (number, socket) -> shake(socket));
  }

  /** One that answers every handshake with these bytes. */
  static FakeNode answering(byte[] answer) throws IOException {
    return new FakeNode(answer, 0);
  }

  /** One that answers, whose kernel takes little, and which reads only when it is told to. */
  static FakeNode slow(byte[] answer) throws IOException {
    return new FakeNode(answer, 16 * 1024);
  }

  /** One that never answers. */
  static FakeNode mute() throws IOException {
    return new FakeNode(new byte[0], 0);
  }

  /** An address that nobody listens at. It stays bound, so that no other process gets it. */
  static String nobody() throws IOException {
    Socket bound = new Socket();
    bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    BOUND.add(bound);
    return "127.0.0.1:" + bound.getLocalPort();
  }

  String address() {
    return "127.0.0.1:" + acceptor.address().getPort();
  }

  /** The next link in the order of their handshakes, which has been answered. */
  Incoming next() throws InterruptedException {
    Incoming next = incoming.poll(20, TimeUnit.SECONDS);
    if (next == null) {
      throw new AssertionError("no link came");
    }
    next.answered.await();
    return next;
  }

  /** Whether a link waits to be taken. */
  boolean hasNext() {
    return !incoming.isEmpty();
  }

  private void shake(Socket socket) {
    try {
      InputStream in = socket.getInputStream();
      byte[] initiate = in.readNBytes(8);
      if (initiate.length < 8) {
        return;
      }
      if (initiate[6] >= 12) {
        int length = in.read();
        byte[] whole = Arrays.copyOf(initiate, 8 + 1 + length + 4);
        whole[8] = (byte) length;
        System.arraycopy(in.readNBytes(length + 4), 0, whole, 9, length + 4);
        initiate = whole;
      }
      Incoming link = new Incoming(socket, initiate);
      // Before the answer: who has that may open the next link, which must be the next here, too.
      incoming.add(link);
      try {
        socket.getOutputStream().write(answer);
        if (receiveBuffer == 0) {
          link.readAll();
        }
      } catch (IOException e) {
        incoming.remove(link);
        throw e;
      } finally {
        link.answered.countDown();
      }
    } catch (IOException e) {
      // the gateway left
    }
  }

  @Override
  public void close() throws IOException {
    acceptor.close();
  }
}
