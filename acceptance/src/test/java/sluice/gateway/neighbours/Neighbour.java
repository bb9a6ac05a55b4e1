package sluice.gateway.neighbours;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import sluice.testkit.hostile.Bytes;

/**
 * Well-behaved client, whose keys nobody else may touch: it knows every reply that it must get, and
 * keeps that of each request until it has come.
 */
abstract class Neighbour implements AutoCloseable {
  private static final int KEYS = 3;

  private record Pending(byte[] request, Expected reply) {}

  /** What its keys hold. */
  final Map<String, String> truth = new HashMap<>();

  private final String name;
  private final SocketChannel channel;
  private final Deque<Pending> pending = new ArrayDeque<>();
  private final ByteBuffer in = ByteBuffer.allocate(16 * 1024);
  private ByteArrayOutputStream out = new ByteArrayOutputStream();
  private int matched; // bytes of the first pending reply
  private String problem;

  Neighbour(String name, InetSocketAddress address, Selector selector) throws IOException {
    this.name = name;
    channel = SocketChannel.open(address);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.configureBlocking(false);
    channel.register(selector, SelectionKey.OP_READ, this);
  }

  /** Adds a request, drawn from random, to what is sent next. */
  abstract void ask(Random random);

  final String key(Random random) {
    return name + ':' + random.nextInt(KEYS);
  }

  final String name() {
    return name;
  }

  final void add(byte[] request, Expected reply) {
    out.writeBytes(request);
    pending.add(new Pending(request, reply));
  }

  /** Sends what was asked since the last time: a few hundred bytes, which every socket takes. */
  final void send() {
    ByteBuffer bytes = ByteBuffer.wrap(out.toByteArray());
    out = new ByteArrayOutputStream();
    try {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    } catch (IOException e) {
      fail("cannot send: " + e.getMessage());
    }
  }

  /** Whether every reply has come. */
  final boolean isAnswered() {
    return pending.isEmpty();
  }

  /** What was wrong, null if nothing was. */
  final String problem() {
    return problem;
  }

  /** What it still waits for, in words. */
  final String waitsFor() {
    Pending first = pending.peek();
    return name + " got no reply to " + Bytes.escaped(first.request());
  }

  /** Reads what has come, and compares. */
  final void read() {
    try {
      in.clear();
      int read = channel.read(in);
      if (read < 0) {
        fail("was closed");
      }
      in.flip();
      while (in.hasRemaining() && problem == null) {
        Pending first = pending.peek();
        if (first == null) {
          fail("got bytes it never asked for: " + rest());
          return;
        }
        int at = in.position();
        if (!first.reply().matches(in.get(), matched)) {
          in.position(at - Math.min(at, matched));
          fail(
              "asked %s and got %s instead of %s"
                  .formatted(Bytes.escaped(first.request()), rest(), first.reply()));
        } else if (++matched == first.reply().bytes().length) {
          pending.remove();
          matched = 0;
        }
      }
    } catch (IOException e) {
      fail(e.getMessage());
    }
  }

  private String rest() {
    byte[] bytes = new byte[in.remaining()];
    in.get(bytes);
    return Bytes.escaped(bytes);
  }

  private void fail(String what) {
    if (problem == null) {
      problem = name + " " + what;
    }
  }

  @Override
  public final void close() throws IOException {
    channel.close();
  }
}
