package sluice.gateway.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.uring.IoUring;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.net.Sockets;
import sluice.testkit.Patience;

class IoUringTransportTest {
  private static final long LIMIT_SECONDS = 60;

  @TempDir private Path directory;
  private Vertx vertx;
  private Context context;
  private Loop loop;

  @BeforeEach
  void start() throws Exception {
    assumeTrue(IoUring.isAvailable(), "this kernel, or its seccomp profile, allows no io_uring");
    vertx =
        Vertx.builder()
            .with(new VertxOptions().setEventLoopPoolSize(1))
            .withTransport(new IterationTransport(new IoUringTransport()))
            .build();
    context = vertx.getOrCreateContext();
    CompletableFuture<Loop> created = new CompletableFuture<>();
    context.runOnContext(
        ignored ->
            created.complete(
                new Loop(
                    Sockets.eventLoop(context),
                    ByteBufAllocator.DEFAULT,
                    MemoryShare.of(1, 1L << 30)[0],
                    new GatewayMetrics().newLoop())));
    loop = created.get(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  @AfterEach
  void stop() throws Exception {
    if (vertx != null) {
      vertx.close().await(LIMIT_SECONDS, TimeUnit.SECONDS);
    }
  }

  /** Netty looks at this when io_uring is used first, which here may be by another test. */
  @Test
  void shouldAcceptOneConnectionAtATime() {
    assertThat(System.getProperty("io.netty.iouring.acceptMultiShotEnabled")).isEqualTo("false");
  }

  /** A connection that gives what it reads to a consumer, which owns the buffers. */
  private static final class Reading extends Connection {
    private final BiConsumer<Reading, ByteBuf> consumer;

    Reading(Loop loop, BiConsumer<Reading, ByteBuf> consumer) {
      super(loop);
      this.consumer = consumer;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      loop.beginIteration();
      consumer.accept(this, (ByteBuf) message);
    }

    @Override
    protected void closed() {}
  }

  private NetServer listen(SocketAddress address, BiConsumer<Reading, ByteBuf> consumer)
      throws Exception {
    CompletableFuture<NetServer> listening = new CompletableFuture<>();
    context.runOnContext(
        ignored ->
            vertx
                .createNetServer(new NetServerOptions())
                .connectHandler(socket -> Sockets.install(socket, new Reading(loop, consumer)))
                .listen(address)
                .onSuccess(listening::complete)
                .onFailure(listening::completeExceptionally));
    return listening.get(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  private static Socket connect(NetServer server) throws Exception {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.actualPort());
    socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
    return socket;
  }

  /** Each client's bytes come back to it, although the kernel puts those of all in one buffer. */
  @Test
  void shouldKeepTheBytesOfConnectionsApart() throws Exception {
    NetServer server = listen(SocketAddress.inetSocketAddress(0, "127.0.0.1"), Connection::write);
    List<Socket> clients = new ArrayList<>();
    try {
      for (int i = 0; i < 100; i++) {
        clients.add(connect(server));
      }
      for (int round = 0; round < 20; round++) {
        int length = 1 + round * 997;
        for (int i = 0; i < clients.size(); i++) {
          clients.get(i).getOutputStream().write(bytes(i + round, length));
        }
        for (int i = 0; i < clients.size(); i++) {
          assertThat(clients.get(i).getInputStream().readNBytes(length))
              .isEqualTo(bytes(i + round, length));
        }
      }
    } finally {
      for (Socket client : clients) {
        client.close();
      }
    }
  }

  @Test
  void shouldServeUnixSockets() throws Exception {
    Path path = directory.resolve("socket");
    listen(SocketAddress.domainSocketAddress(path.toString()), Connection::write);
    try (SocketChannel client = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      client.connect(UnixDomainSocketAddress.of(path));
      client.write(ByteBuffer.wrap(bytes(7, 1000)));
      ByteBuffer back = ByteBuffer.allocate(1000);
      while (back.hasRemaining() && client.read(back) >= 0) {
        // until all are there
      }
      assertThat(back.array()).isEqualTo(bytes(7, 1000));
    }
  }

  /** More bytes wait than the ring has room for: all arrive, and the shortage is counted. */
  @Test
  void shouldReadOnWhenTheRingHadNoBuffer() throws Exception {
    int clients = 40;
    int length = 256 * 1024;
    CompletableFuture<Void> accepted = new CompletableFuture<>();
    CompletableFuture<Void> all = new CompletableFuture<>();
    long[] read = new long[1];
    NetServer server =
        listen(
            SocketAddress.inetSocketAddress(0, "127.0.0.1"),
            (connection, bytes) -> {
              read[0] += bytes.readableBytes();
              bytes.release();
              if (read[0] == clients) {
                accepted.complete(null);
              }
              if (read[0] == (long) clients * (1 + length)) {
                all.complete(null);
              }
            });
    List<Socket> sockets = new ArrayList<>();
    CountDownLatch written = new CountDownLatch(1);
    AtomicLong sent = new AtomicLong();
    try {
      for (int i = 0; i < clients; i++) {
        Socket socket = connect(server);
        socket.setSendBufferSize(length);
        socket.getOutputStream().write('.');
        sockets.add(socket);
      }
      // A connection accepted later would be read when the others no longer need the ring.
      accepted.get(LIMIT_SECONDS, TimeUnit.SECONDS);
      context.runOnContext(ignored -> awaitQuietly(written));
      List<Thread> writers = new ArrayList<>();
      for (Socket socket : sockets) {
        Thread writer = new Thread(() -> writeInParts(socket, length, sent));
        writer.start();
        writers.add(writer);
      }
      // The kernel has room for more than half, and that is several times the ring's buffers.
      assertThat(Patience.soon(() -> sent.get() > (long) clients * length / 2)).isTrue();
      written.countDown();
      all.get(LIMIT_SECONDS, TimeUnit.SECONDS);
      for (Thread writer : writers) {
        writer.join();
      }
      assertThat(Patience.soon(() -> loop.metrics().timesReadBuffersExhausted() > 0)).isTrue();
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Writes as the other does, and counts what the kernel has taken. */
  private static void writeInParts(Socket socket, int length, AtomicLong taken) {
    byte[] part = new byte[16 * 1024];
    try {
      for (int done = 0; done < length; done += part.length) {
        socket.getOutputStream().write(part);
        taken.addAndGet(part.length);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(Socket socket, int length) {
    try {
      socket.getOutputStream().write(new byte[length]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A connection that reads no more gets nothing more, and loses nothing. */
  @Test
  void shouldStopReading() throws Exception {
    int pause = 1;
    int length = 8 * 1024 * 1024;
    CompletableFuture<Reading> reading = new CompletableFuture<>();
    CompletableFuture<Void> all = new CompletableFuture<>();
    long[] read = new long[1];
    NetServer server =
        listen(
            SocketAddress.inetSocketAddress(0, "127.0.0.1"),
            (connection, bytes) -> {
              read[0] += bytes.readableBytes();
              bytes.release();
              if (!reading.isDone()) {
                connection.pause(pause);
                reading.complete(connection);
              }
              if (read[0] == length) {
                all.complete(null);
              }
            });
    try (Socket client = connect(server)) {
      Thread writer = new Thread(() -> write(client, length));
      writer.start();
      Reading connection = reading.get(LIMIT_SECONDS, TimeUnit.SECONDS);
      TimeUnit.MILLISECONDS.sleep(300);
      long before = onLoop(() -> read[0]);
      TimeUnit.MILLISECONDS.sleep(300);
      assertThat(onLoop(() -> read[0])).isEqualTo(before).isLessThan(length);
      onLoop(
          () -> {
            connection.resume(pause);
            return null;
          });
      all.get(LIMIT_SECONDS, TimeUnit.SECONDS);
      writer.join();
    }
  }

  @Test
  void shouldCopyWhatIsKeptOfABufferThatOthersUse() throws Exception {
    CompletableFuture<Boolean> small = new CompletableFuture<>();
    NetServer server =
        listen(
            SocketAddress.inetSocketAddress(0, "127.0.0.1"),
            (connection, bytes) -> {
              small.complete(Loop.isSmallPartOf(bytes, bytes.readableBytes()));
              bytes.release();
            });
    try (Socket client = connect(server)) {
      client.getOutputStream().write(bytes(1, 1000));
      assertThat(small.get(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    }
  }

  private <T> T onLoop(Supplier<T> task) throws Exception {
    CompletableFuture<T> done = new CompletableFuture<>();
    context.runOnContext(ignored -> done.complete(task.get()));
    return done.get(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  private static byte[] bytes(int value, int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }
}
