package sluice.perf;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.load.process.GatewayCommand;
import sluice.load.process.Memcached;
import sluice.testkit.FreePort;

/**
 * The memory of a process in the worst of times: 10,000 clients that are idle, 1,000 that ask for
 * values of a megabyte and do not read, and a server that stalls while such values are written to
 * it. It stays under the bound of docs/how-to/operations.md, and whoever reads is served.
 */
class ResidentMemoryTest {
  private static final int IDLE = 10_000;
  private static final int DEAF = 1_000;
  private static final int WRITING = 100;
  private static final int VALUE = 1_000_000;

  /** Far longer than it takes, also where there is ten times as much to do as processors. */
  private static final long WAIT_SECONDS = 600;

  private static final int HEAP_MIB = 192;
  private static final int MEMORY_MIB = 64;

  /** What docs/how-to/operations.md says of all else, and a twentieth of everything for "about". */
  private static final int ELSE_MIB = 118;

  @TempDir private Path directory;

  private final List<AutoCloseable> open = new ArrayList<>();
  private final HttpClient http = HttpClient.newHttpClient();
  private Process gateway;
  private Path log;
  private int adminPort;

  @AfterEach
  void stop() throws Exception {
    if (gateway != null) {
      gateway.destroyForcibly().waitFor();
    }
    for (int i = open.size() - 1; i >= 0; i--) {
      open.get(i).close();
    }
  }

  private <T extends AutoCloseable> T closing(T resource) {
    open.add(resource);
    return resource;
  }

  private void start(Memcached memcached, Memcached stalls) throws Exception {
    log = directory.resolve("gateway.log");
    adminPort = FreePort.number();
    gateway =
        GatewayCommand.process(
                Files.writeString(
                    directory.resolve("sluice.yaml"),
                    """
                    process: {eventLoops: 2, memory: %dMiB}
                    admin: {bind: 127.0.0.1:%d}
                    listeners:
                      cache: {bind: "unix:%s", route: cache, limits: {connections: 20000}}
                    routes:
                      cache: [{match: {prefix: "stalls:"}, pool: stalls}, {pool: cache}]
                    pools:
                      cache: {servers: ["127.0.0.1:%d"], timeout: 30s, queueTimeout: 30s}
                      stalls: {servers: ["127.0.0.1:%d"], timeout: 1s}
                    """
                        .formatted(
                            MEMORY_MIB,
                            adminPort,
                            socket(),
                            memcached.address().getPort(),
                            stalls.address().getPort())),
                List.of("-Xmx" + HEAP_MIB + "m"))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
    while (!Files.readString(log).contains(" ready: ")) {
      assertThat(gateway.isAlive() && System.nanoTime() < end).as(Files.readString(log)).isTrue();
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private Path socket() {
    return directory.resolve("s");
  }

  private SocketChannel client() throws IOException {
    SocketChannel client = closing(SocketChannel.open(StandardProtocolFamily.UNIX));
    client.connect(UnixDomainSocketAddress.of(socket()));
    return client;
  }

  private static void send(SocketChannel client, String request) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(request.getBytes(US_ASCII));
    while (bytes.hasRemaining()) {
      client.write(bytes);
    }
  }

  /** Sends request and reads as many bytes as the reply that is expected. */
  private static void expect(SocketChannel client, String request, String reply)
      throws IOException {
    send(client, request);
    ByteBuffer bytes = ByteBuffer.allocate(reply.length());
    while (bytes.hasRemaining() && client.read(bytes) >= 0) {
      // more is to come
    }
    assertThat(new String(bytes.array(), 0, bytes.position(), US_ASCII)).isEqualTo(reply);
  }

  private long metric(String name) throws IOException, InterruptedException {
    String all =
        http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + adminPort + "/metrics"))
                    .build(),
                BodyHandlers.ofString())
            .body();
    Matcher matcher =
        Pattern.compile("^" + name + "(?:\\{[^}]*})? ([0-9.E]+)$", Pattern.MULTILINE).matcher(all);
    assertThat(matcher.find()).as(name).isTrue();
    return (long) Double.parseDouble(matcher.group(1));
  }

  /** The most that was resident at any time. */
  private long mostResidentMib() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc", "" + gateway.pid(), "status"))) {
      if (line.startsWith("VmHWM:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) / 1024;
      }
    }
    throw new IOException("no VmHWM of process " + gateway.pid());
  }

  @Test
  void shouldStayUnderItsBound() throws Exception {
    long descriptors =
        ManagementFactory.getPlatformMXBean(UnixOperatingSystemMXBean.class)
            .getMaxFileDescriptorCount();
    assumeTrue(
        descriptors > IDLE + DEAF + 1000,
        () -> "10,000 CLIENTS CANNOT BE OPENED HERE: a process may open " + descriptors);
    Memcached memcached = closing(new Memcached(FreePort.number()));
    Memcached stalls = closing(new Memcached(FreePort.number()));
    start(memcached, stalls);

    SocketChannel reads = client();
    expect(reads, "set large 0 0 " + VALUE + "\r\n" + "v".repeat(VALUE) + "\r\n", "STORED\r\n");
    expect(reads, "set small 0 0 1\r\nx\r\n", "STORED\r\n");
    for (int i = 0; i < IDLE; i++) {
      expect(client(), "mn\r\n", "MN\r\n");
    }
    stalls.pause();
    String write = "set stalls:k 0 0 " + VALUE + "\r\n" + "v".repeat(VALUE) + "\r\n";
    List<Thread> writers = new ArrayList<>();
    for (int i = 0; i < WRITING; i++) {
      SocketChannel writer = client();
      Thread thread =
          new Thread(
              () -> {
                try {
                  send(writer, write); // and the answer is of no interest
                } catch (IOException e) {
                  // closed, which is an answer, too
                }
              });
      thread.start();
      writers.add(thread);
    }
    for (int i = 0; i < DEAF; i++) {
      send(client(), "get large\r\n".repeat(1 + i % 2)); // the second is more than outBuffer
    }
    AtomicLong mostBuffered = new AtomicLong();
    Thread watch =
        new Thread(
            () -> {
              try {
                while (!Thread.interrupted()) {
                  mostBuffered.accumulateAndGet(metric("sluice_buffered_bytes"), Math::max);
                }
              } catch (IOException | InterruptedException e) {
                // over
              }
            });
    watch.start();
    long answered = 0;
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
    boolean served = false;
    while (!served) {
      expect(reads, "get small\r\n", "VALUE small 0 1\r\nx\r\nEND\r\n");
      answered++;
      long buffered = metric("sluice_buffered_bytes");
      served = metric("sluice_in_flight") == 0 && buffered < MEMORY_MIB * 1024 * 1024 * 3 / 4;
      assertThat(System.nanoTime() < end).as("everybody is served or closed").isTrue();
    }
    watch.interrupt();
    watch.join();
    stalls.resume();
    for (Thread writer : writers) {
      writer.join(TimeUnit.SECONDS.toMillis(WAIT_SECONDS));
    }
    System.out.printf(
        "%d MiB resident at most, %d MiB buffered at most, %d answers meanwhile%n",
        mostResidentMib(), mostBuffered.get() >> 20, answered);
    assertThat(metric("sluice_connections")).isLessThan(1 + IDLE + WRITING + DEAF / 10);
    assertThat(mostBuffered.get())
        .isBetween(MEMORY_MIB * 1024L * 1024 / 4, MEMORY_MIB * 1024L * 1024);
    assertThat(mostResidentMib()).isLessThanOrEqualTo(HEAP_MIB + MEMORY_MIB + ELSE_MIB);
    assertThat(Files.readString(log)).doesNotContain(" ERROR ").doesNotContain("OutOfMemory");
    for (AutoCloseable each : open.subList(3, 3 + IDLE)) { // the first three: two servers, reads
      expect((SocketChannel) each, "mn\r\n", "MN\r\n");
    }
  }
}
