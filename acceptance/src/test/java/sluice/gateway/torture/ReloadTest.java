package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.config.Loader;
import sluice.config.model.Configuration;
import sluice.gateway.fixtures.Admin;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.process.Gateway;
import sluice.gateway.tls.Certificates;
import sluice.testkit.Bytes;
import sluice.testkit.FreePort;
import sluice.testkit.Patience;

/** A configuration that changes under its clients. */
class ReloadTest {
  private static final Pattern APPLIED =
      Pattern.compile("sluice_reloads_total\\{result=\"applied\"} ([0-9.]+)");
  private static final int RELOADS = 120;
  private static final int CLIENTS = 6;

  @TempDir private Path directory;

  private Path write(String name, String yaml) throws IOException {
    return write(directory.resolve(name), yaml);
  }

  /** In one step: a file that is half written is refused, if somebody looks just then. */
  private static Path write(Path file, String yaml) throws IOException {
    Path next = Files.writeString(file.resolveSibling(file.getFileName() + ".next"), yaml);
    return Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static Gateway start(Path file) throws Exception {
    return Gateways.start(Loader.load(file).configuration(), file).await(20, TimeUnit.SECONDS);
  }

  private static void stop(Gateway gateway) throws Exception {
    gateway.close().await(20, TimeUnit.SECONDS);
  }

  private static InetSocketAddress address(Gateway gateway, String listener) {
    String at = gateway.address(listener);
    int colon = at.lastIndexOf(':');
    return new InetSocketAddress(at.substring(0, colon), Integer.parseInt(at.substring(colon + 1)));
  }

  private static List<String> reload(Gateway gateway) throws Exception {
    return gateway.reload().await(20, TimeUnit.SECONDS);
  }

  private static String before(String pools, String route) {
    return """
    admin: {bind: 127.0.0.1:0}
    process: {eventLoops: 2, drain: 2s}
    listeners: {cache: {bind: 127.0.0.1:0, protocol: memcached, route: cache}}
    routes: {cache: [%s]}
    pools: {%s}
    """
        .formatted(route, pools);
  }

  private static String pool(String name, RealMemcached... servers) {
    List<String> addresses = new ArrayList<>();
    for (RealMemcached server : servers) {
      addresses.add("\"127.0.0.1:" + server.address().getPort() + '"');
    }
    return name + ": {timeout: 10s, servers: [" + String.join(", ", addresses) + "]}";
  }

  /** Connections that a server has, the one that asks among them. */
  private static long connections(RealMemcached server) {
    try (RawClient client = new RawClient(server.address())) {
      for (String line = client.ask("stats\r\n"); !line.equals("END"); line = client.line()) {
        if (line.startsWith("STAT curr_connections ")) {
          return Long.parseLong(line.substring("STAT curr_connections ".length()));
        }
      }
      throw new AssertionError("no curr_connections");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An address may become free without a change of the file. */
  @Test
  void shouldTryARefusedFileAgain() throws Exception {
    ServerSocket occupied = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    try (RealMemcached server = RealMemcached.start()) {
      String before = before(pool("main", server), "pool: main");
      Path file = write("sluice.yaml", before);
      Gateway gateway = start(file);
      try {
        String other = "{other: {bind: \"127.0.0.1:%d\", route: cache}, cache:";
        String after = other.formatted(occupied.getLocalPort());
        write("sluice.yaml", before.replace("{cache: {bind", after + " {bind"));
        assertThat(reload(gateway)).singleElement().asString().contains("cannot bind");
        occupied.close();
        assertThat(Patience.within(Duration.ofMinutes(1), () -> gateway.problems().isEmpty()))
            .isTrue();
        assertThat(gateway.address("other")).isNotNull();
      } finally {
        occupied.close();
        stop(gateway);
      }
    }
  }

  /** The next change of the listener that needs a new socket must not use the refused address. */
  @Test
  void shouldForgetTheAddressesOfARefusedFile() throws Exception {
    try (ServerSocket occupied = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        RealMemcached server = RealMemcached.start()) {
      String before = before(pool("main", server), "pool: main");
      String at = freeAddress();
      String first = before.replace("{cache: {bind: 127.0.0.1:0", "{cache: {bind: \"" + at + '"');
      Path file = write("sluice.yaml", first);
      Gateway gateway = start(file);
      try {
        String other = "{other: {bind: \"127.0.0.1:%d\", route: cache}, cache:";
        write(
            "sluice.yaml",
            first
                .replace(at, freeAddress())
                .replaceFirst("\\{cache:", other.formatted(occupied.getLocalPort())));
        assertThat(reload(gateway)).singleElement().asString().contains("cannot bind");
        write("sluice.yaml", first.replace("protocol: memcached", "protocol: ignite"));
        assertThat(reload(gateway)).isEmpty();
        assertThat(gateway.address("cache")).isEqualTo(at);
        assertThat(new RawClient(address(gateway, "cache"))).isNotNull();
      } finally {
        stop(gateway);
      }
    }
  }

  private static String freeAddress() throws IOException {
    return "127.0.0.1:" + FreePort.number();
  }

  /** The admin port stays where it is until a restart. */
  @Test
  void shouldRefuseAListenerAtTheAdminPort() throws Exception {
    try (RealMemcached server = RealMemcached.start()) {
      String before =
          before(pool("main", server), "pool: main")
              .replace("admin: {bind: 127.0.0.1:0}", "admin: {bind: \"" + freeAddress() + "\"}");
      Gateway gateway = start(write("sluice.yaml", before));
      try {
        String admin = gateway.adminAddress();
        String after = "{other: {bind: \"%s\", route: cache}, cache:".formatted(admin);
        String moved = before.replace(admin + "\"}\nprocess", "127.0.0.1:0\"}\nprocess");
        // without this, Vert.x would let the listener share the port with the admin server
        for (String host : List.of("127.0.0.1", "localhost", "[::ffff:127.0.0.1]")) {
          String listener = after.replace("127.0.0.1", host);
          write("sluice.yaml", moved.replace("{cache: {bind", listener + " {bind"));
          assertThat(reload(gateway)).singleElement().asString().contains("the admin port has it");
        }
      } finally {
        stop(gateway);
      }
    }
  }

  /** It leaves as in a drain: the silence that is required becomes shorter. */
  @Test
  void shouldLetABusyClientOfARemovedListenerLeave() throws Exception {
    try (RealMemcached server = RealMemcached.start()) {
      String after = before(pool("main", server), "pool: main").replace("drain: 2s", "drain: 10s");
      String other = "listeners: {other: {bind: 127.0.0.1:0, route: cache}, cache:";
      Path file = write("sluice.yaml", after.replace("listeners: {cache:", other));
      Gateway gateway = start(file);
      try (RawClient client = new RawClient(address(gateway, "other"))) {
        assertThat(client.ask("get k\r\n")).isEqualTo("END");
        write("sluice.yaml", after);
        long began = System.nanoTime();
        assertThat(reload(gateway)).isEmpty();
        try {
          while ("END".equals(client.ask("get k\r\n"))) {
            TimeUnit.MILLISECONDS.sleep(60);
          }
        } catch (IOException closed) {
          // by the gateway
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(9));
      } finally {
        stop(gateway);
      }
    }
  }

  /** Stores, reads and counts until it is told to stop; what it reads must be its own. */
  private static long ask(InetSocketAddress address, int client, AtomicBoolean stop)
      throws IOException {
    long requests = 0;
    try (RawClient raw = new RawClient(address)) {
      while (!stop.get()) {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < 8; i++) {
          String key = "k" + client + '-' + i;
          String value = key + "=".repeat(i * 900);
          all.append(
              "set %s 0 0 %d\r\n%s\r\nget %s\r\n".formatted(key, value.length(), value, key));
        }
        raw.send(all.toString());
        for (int i = 0; i < 8; i++) {
          assertThat(raw.line()).isEqualTo("STORED");
          String line = raw.line();
          if (!line.equals("END")) { // where the servers have changed in between
            assertThat(line).startsWith("VALUE k" + client + '-' + i + " 0 ");
            assertThat(raw.line()).startsWith("k" + client + '-' + i);
            assertThat(raw.line()).isEqualTo("END");
          }
          requests += 2;
        }
      }
    }
    return requests;
  }

  @Test
  void shouldFailNoRequestWhilePoolsAndRoutesChange() throws Exception {
    try (RealMemcached a = RealMemcached.start();
        RealMemcached b = RealMemcached.start();
        RealMemcached c = RealMemcached.start()) {
      String one = before(pool("cache", a), "{pool: cache}");
      String two =
          before(
              pool("cache", a, b, c) + ", " + pool("other", b),
              "{match: {prefix: k1}, pool: other}, {pool: cache}");
      String three = before(pool("cache", c, b).replace("10s", "9s"), "{pool: cache}");
      Path file = write("sluice.yaml", one);
      long ofNobody = connections(b);
      Gateway gateway = start(file);
      ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
      try {
        InetSocketAddress address = address(gateway, "cache");
        AtomicBoolean stop = new AtomicBoolean();
        List<Future<Long>> clients = new ArrayList<>();
        for (int client = 0; client < CLIENTS; client++) {
          int number = client;
          clients.add(threads.submit(() -> ask(address, number, stop)));
        }
        for (int i = 1; i <= RELOADS; i++) {
          write(file, i % 3 == 0 ? one : i % 3 == 1 ? two : three);
          assertThat(reload(gateway)).isEmpty();
          TimeUnit.MILLISECONDS.sleep(i % 10);
        }
        stop.set(true);
        long requests = 0;
        for (Future<Long> client : clients) {
          requests += client.get(20, TimeUnit.SECONDS);
        }
        assertThat(requests).isGreaterThan(RELOADS);
        assertThat(address(gateway, "cache")).isEqualTo(address);
        Matcher applied = APPLIED.matcher(gateway.scrape());
        assertThat(applied.find()).isTrue();
        // the gateway's own look at the file may come between a change and its reload
        assertThat(Double.parseDouble(applied.group(1))).isGreaterThanOrEqualTo(RELOADS);
        assertThat(gateway.scrape()).contains("sluice_reloads_total{result=\"refused\"} 0.0");
        assertThat(Patience.soon(() -> connections(b) == ofNobody && connections(c) == ofNobody))
            .as("servers that left have no connections left")
            .isTrue();
        assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0)).isTrue();
        assertThat(Patience.soon(() -> !gateway.scrape().contains("pool=\"other\"")))
            .as("series of a pool that is gone end")
            .isTrue();
      } finally {
        threads.shutdownNow();
        stop(gateway);
      }
    }
  }

  @Test
  void shouldRunOnWithAFileThatIsWrong() throws Exception {
    try (RealMemcached a = RealMemcached.start()) {
      String good = before(pool("cache", a), "{pool: cache}");
      Path file = write("sluice.yaml", good);
      Gateway gateway = start(file);
      try (RawClient client = new RawClient(address(gateway, "cache"))) {
        write(file, good.replace("pool: cache", "pool: nowhere"));
        HttpResponse<String> answer = Admin.post(gateway, "/reload");
        assertThat(answer.statusCode()).isEqualTo(422);
        assertThat(answer.body()).contains(file + ":4:").contains("nowhere");
        assertThat(Admin.ask(gateway, "/ready").body()).contains("nowhere");
        assertThat(Admin.ask(gateway, "/ready").statusCode()).isEqualTo(200);
        // the gateway's own look at the file may have refused it before
        assertThat(gateway.scrape())
            .containsPattern("sluice_reloads_total\\{result=\"refused\"} [1-9]");
        assertThat(client.ask("set a 0 0 1\r\nx\r\n")).isEqualTo("STORED");

        write(file, good);
        assertThat(Admin.post(gateway, "/reload").statusCode()).isEqualTo(200);
        assertThat(Admin.ask(gateway, "/ready").body()).doesNotContain("nowhere");
        assertThat(client.ask("get a\r\n")).isEqualTo("VALUE a 0 1");
      } finally {
        stop(gateway);
      }
    }
  }

  @Test
  void shouldSeeByItselfThatALinkLeadsToAnotherDirectory() throws Exception {
    try (RealMemcached a = RealMemcached.start();
        RealMemcached b = RealMemcached.start()) {
      Path old = Files.createDirectory(directory.resolve("..1"));
      Path young = Files.createDirectory(directory.resolve("..2"));
      Files.writeString(old.resolve("sluice.yaml"), before(pool("cache", a), "{pool: cache}"));
      Files.writeString(young.resolve("sluice.yaml"), before(pool("cache", b), "{pool: cache}"));
      Path data = Files.createSymbolicLink(directory.resolve("..data"), old.getFileName());
      Path file =
          Files.createSymbolicLink(
              directory.resolve("sluice.yaml"), Path.of("..data", "sluice.yaml"));
      Gateway gateway = start(file);
      try (RawClient client = new RawClient(address(gateway, "cache"))) {
        assertThat(client.ask("set where 0 0 1\r\na\r\n")).isEqualTo("STORED");
        Path swapped = Files.createSymbolicLink(directory.resolve("..new"), young.getFileName());
        Files.move(swapped, data, StandardCopyOption.ATOMIC_MOVE);
        assertThat(Patience.soon(() -> gateway.scrape().contains("{result=\"applied\"} 1.0")))
            .isTrue();
        assertThat(client.ask("get where\r\n")).isEqualTo("END");
      } finally {
        stop(gateway);
      }
    }
  }

  @Test
  void shouldFollowWhatChangedWhileItStarted() throws Exception {
    try (RealMemcached a = RealMemcached.start()) {
      Path file = write("sluice.yaml", before(pool("cache", a), "{reject: old}"));
      Configuration old = Loader.load(file).configuration();
      write("sluice.yaml", before(pool("cache", a), "{reject: young}"));
      Gateway gateway = Gateways.start(old, file).await(20, TimeUnit.SECONDS);
      try (RawClient client = new RawClient(address(gateway, "cache"))) {
        assertThat(Patience.soon(() -> gateway.scrape().contains("{result=\"applied\"} 1.0")))
            .isTrue();
        assertThat(client.ask("get a\r\n")).isEqualTo("SERVER_ERROR young");
      } finally {
        stop(gateway);
      }
    }
  }

  @Test
  void shouldOpenAndCloseListenersWithoutTouchingOthers() throws Exception {
    String one =
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 2, drain: 5s}
        listeners:
          cache: {bind: 127.0.0.1:0, route: cache}
        routes: {cache: [{pool: cache}]}
        pools: {cache: {protocol: embedded, size: 16MiB}}
        """;
    String two = one.replace("routes:", "  more: {bind: 127.0.0.1:0, route: cache}\nroutes:");
    Path file = write("sluice.yaml", one);
    Gateway gateway = start(file);
    try (RawClient client = new RawClient(address(gateway, "cache"))) {
      assertThat(client.ask("set a 0 0 1\r\nx\r\n")).isEqualTo("STORED");
      write(file, two);
      assertThat(reload(gateway)).isEmpty();
      try (RawClient other = new RawClient(address(gateway, "more"));
          RawClient silent = new RawClient(address(gateway, "more"))) {
        assertThat(other.ask("get a\r\n")).isEqualTo("VALUE a 0 1");
        assertThat(other.line()).isEqualTo("x");
        assertThat(other.line()).isEqualTo("END");
        write(file, one);
        assertThat(reload(gateway)).isEmpty();
        assertThat(other.readToEnd(Duration.ofSeconds(4))).isEmpty();
        assertThat(silent.readToEnd(Duration.ofSeconds(4))).isEmpty();
      }
      assertThat(gateway.address("more")).isNull();
      assertThat(client.ask("get a\r\n")).isEqualTo("VALUE a 0 1");
    } finally {
      stop(gateway);
    }
    assertThat(reload(gateway)).singleElement().asString().contains("a gateway that is stopping");
  }

  /** A rollout may replace the file of a gateway that drains. */
  @Test
  void shouldRefuseNoFileWhileItDrains() throws Exception {
    String yaml =
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 1}
        listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
        routes: {cache: [{pool: cache}]}
        pools: {cache: {protocol: embedded, size: 16MiB}}
        """;
    Path file = write("sluice.yaml", yaml);
    Gateway gateway = start(file);
    try (RawClient client = new RawClient(address(gateway, "cache"))) {
      assertThat(client.ask("mn\r\n")).isEqualTo("MN");
      var unused = gateway.drain();
      write(file, yaml.replace("[{pool: cache}]", "[{reject: young}]"));
      assertThat(reload(gateway)).singleElement().asString().contains("a gateway that is stopping");
      assertThat(gateway.problems()).isEmpty();
      assertThat(gateway.scrape()).contains("sluice_reloads_total{result=\"refused\"} 0.0");
    } finally {
      stop(gateway);
    }
  }

  @Test
  void shouldChangeNothingWhenAnAddressIsTaken() throws Exception {
    String yaml =
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 2}
        listeners:
          cache: {bind: 127.0.0.1:0, route: cache}
        routes: {cache: [{pool: cache}]}
        pools: {cache: {protocol: embedded, size: 16MiB}}
        """;
    Path file = write("sluice.yaml", yaml);
    Gateway gateway = start(file);
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        RawClient client = new RawClient(address(gateway, "cache"))) {
      assertThat(client.ask("set a 0 0 1\r\nx\r\n")).isEqualTo("STORED");
      Files.writeString(
          file,
          yaml.replace(
                  "[{pool: cache}]",
                  "[{match: {prefix: a}, reject: nothing}, {match: {prefix: b}, pool: near},"
                      + " {pool: cache}]")
              .replace("pools: {", "pools: {near: {protocol: embedded, size: 16MiB}, ")
              .replace(
                  "routes:",
                  "  more: {bind: 127.0.0.1:%d, route: cache}\nroutes:"
                      .formatted(taken.getLocalPort())));
      assertThat(reload(gateway)).singleElement().asString().contains("listeners.more.bind");
      assertThat(client.ask("get a\r\n")).isEqualTo("VALUE a 0 1");
      assertThat(client.line()).isEqualTo("x");
      assertThat(client.line()).isEqualTo("END");
      write(file, yaml);
      assertThat(reload(gateway)).isEmpty();
      assertThat(client.ask("get a\r\n")).isEqualTo("VALUE a 0 1");
    } finally {
      stop(gateway);
    }
  }

  /** Bytes that clients have sent. */
  private static double bytesRead(Gateway gateway) {
    String series = "sluice_bytes_total{direction=\"client_in\"} ";
    return gateway
        .scrape()
        .lines()
        .filter(line -> line.startsWith(series))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length())))
        .sum();
  }

  /** A request that has begun ends where it began, though its rule is gone meanwhile. */
  @Test
  void shouldEndARequestOnTheConfigurationThatItBeganOn() throws Exception {
    try (RealMemcached a = RealMemcached.start()) {
      String good = before(pool("cache", a), "{pool: cache}");
      Path file = write("sluice.yaml", good);
      Gateway gateway = start(file);
      try (RawClient text = new RawClient(address(gateway, "cache"));
          RawClient large = new RawClient(address(gateway, "cache"));
          RawClient binary = new RawClient(address(gateway, "cache"))) {
        text.ask("version\r\n");
        text.send("set begun 0 0 5000\r\n" + "x".repeat(2500));
        large.send("set large 0 0 500000\r\n" + "y".repeat(100_000));
        Bytes packet = new Bytes().int8(0x80).int8(1).int16(1).int8(8).int8(0).int16(0);
        packet.int32(8 + 1 + 4000).int32(7).int64(0).int64(0).ascii("b").ascii("z".repeat(2000));
        binary.send(packet.toArray());
        assertThat(Patience.soon(() -> bytesRead(gateway) > 2500 + 100_000 + 2000)).isTrue();
        write(file, good.replace("{pool: cache}", "{reject: closed}"));
        assertThat(reload(gateway)).isEmpty();
        assertThat(text.ask("x".repeat(2500) + "\r\n")).isEqualTo("STORED");
        assertThat(large.ask("y".repeat(400_000) + "\r\n")).isEqualTo("STORED");
        binary.send("z".repeat(2000));
        assertThat(binary.read(24)[7]).isZero();
        assertThat(text.ask("get begun\r\n")).isEqualTo("SERVER_ERROR closed");
        assertThat(large.ask("get large\r\n")).isEqualTo("SERVER_ERROR closed");
      } finally {
        stop(gateway);
      }
    }
  }

  @Test
  void shouldShowANewCertificateToNewConnections() throws Exception {
    Certificates authority = Certificates.of(directory, "ca");
    authority.issue("server");
    Path file =
        write(
            "sluice.yaml",
            """
            admin: {bind: 127.0.0.1:0}
            process: {eventLoops: 2}
            listeners: {cache: {bind: 127.0.0.1:0, route: cache, tls: {certificate: server.crt, key: server.key}}}
            routes: {cache: [{pool: cache}]}
            pools: {cache: {protocol: embedded, size: 16MiB}}
            """);
    Gateway gateway = start(file);
    try (SSLSocket before = connect(authority, gateway)) {
      authority.issue("server");
      assertThat(Patience.soon(() -> gateway.scrape().contains("{result=\"applied\"} 1.0")))
          .isTrue();
      try (SSLSocket after = connect(authority, gateway)) {
        assertThat(certificate(after)).isNotEqualTo(certificate(before));
      }
      before.getOutputStream().write("mn\r\n".getBytes(US_ASCII));
      assertThat(new String(before.getInputStream().readNBytes(4), US_ASCII)).isEqualTo("MN\r\n");
    } finally {
      stop(gateway);
    }
  }

  private static SSLSocket connect(Certificates authority, Gateway gateway) throws Exception {
    InetSocketAddress address = address(gateway, "cache");
    SSLSocket socket =
        (SSLSocket)
            authority
                .context(null)
                .getSocketFactory()
                .createSocket(address.getAddress(), address.getPort());
    socket.setSoTimeout(10_000);
    socket.startHandshake();
    return socket;
  }

  private static X509Certificate certificate(SSLSocket socket) throws IOException {
    return (X509Certificate) socket.getSession().getPeerCertificates()[0];
  }
}
