package sluice.gateway.route.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import sluice.testkit.FreePort;

/** A running twemproxy; its pools listen on Unix sockets named after them. */
public final class Nutcracker implements AutoCloseable {
  /** The names of its hash functions. */
  public static final List<String> FUNCTIONS =
      List.of(
          "one_at_a_time",
          "md5",
          "crc16",
          "crc32",
          "crc32a",
          "fnv1_64",
          "fnv1a_64",
          "fnv1_32",
          "fnv1a_32",
          "hsieh",
          "murmur",
          "jenkins");

  private static final Path PROGRAM = Path.of("/usr/sbin/nutcracker");

  private final Path directory;
  private final Process process;

  /** Starts it in directory with the given file of pools. */
  public Nutcracker(Path directory, String configuration) throws IOException {
    assertThat(PROGRAM).as("package nutcracker").exists();
    this.directory = directory;
    Path file = Files.writeString(directory.resolve("nutcracker.yml"), configuration);
    process =
        new ProcessBuilder(
                PROGRAM.toString(),
                "--conf-file=" + file,
                "--stats-addr=127.0.0.1",
                "--stats-port=" + FreePort.number(),
                "--mbuf-size=16384")
            .redirectErrorStream(true)
            .redirectOutput(log().toFile())
            .start();
  }

  private Path log() {
    return directory.resolve("nutcracker.log");
  }

  /** Whether its process is there. */
  public boolean isRunning() {
    return process.isAlive();
  }

  /** Where a pool is to listen that {@link #placed} asks. */
  public static Path socket(Path directory, String pool) {
    return directory.resolve(pool + ".sock");
  }

  /** The number of the server that pool sends each of keys to. */
  int[] placed(String pool, byte[][] keys) throws Exception {
    try (SocketChannel channel = connect(pool)) {
      CompletableFuture<Void> written = CompletableFuture.runAsync(() -> writeGets(channel, keys));
      int[] servers = new int[keys.length];
      ByteBuffer in = ByteBuffer.allocate(1 << 16).limit(0);
      for (int i = 0; i < keys.length; i++) {
        byte[] reply = new byte[FakeServer.replyLength(keys[i].length)];
        read(channel, in, reply);
        ByteBuffer echoed = ByteBuffer.wrap(reply, "VALUE ".length(), keys[i].length);
        assertThat(echoed).as("key in the reply").isEqualTo(ByteBuffer.wrap(keys[i]));
        servers[i] = FakeServer.number(reply);
      }
      written.get(60, TimeUnit.SECONDS);
      return servers;
    }
  }

  private SocketChannel connect(String pool) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
      try {
        channel.connect(UnixDomainSocketAddress.of(socket(directory, pool)));
        return channel;
      } catch (IOException e) {
        channel.close();
        if (!process.isAlive() || System.nanoTime() > deadline) {
          return fail("nutcracker does not listen: " + Files.readString(log()), e);
        }
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
      }
    }
  }

  private static void writeGets(SocketChannel channel, byte[][] keys) {
    int length = 0;
    for (byte[] key : keys) {
      length += "get \r\n".length() + key.length;
    }
    ByteBuffer out = ByteBuffer.allocate(length);
    for (byte[] key : keys) {
      out.put(new byte[] {'g', 'e', 't', ' '}).put(key).put(new byte[] {'\r', '\n'});
    }
    out.flip();
    try {
      while (out.hasRemaining()) {
        channel.write(out);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read(SocketChannel channel, ByteBuffer in, byte[] reply) throws IOException {
    int done = 0;
    while (done < reply.length) {
      if (!in.hasRemaining()) {
        in.clear();
        if (channel.read(in) < 0) {
          fail("nutcracker closed the connection: " + Files.readString(log()));
        }
        in.flip();
      }
      int part = Math.min(in.remaining(), reply.length - done);
      in.get(reply, done, part);
      done += part;
    }
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
