package sluice.gateway.suite;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.X509Bundle;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import net.spy.memcached.ConnectionFactoryBuilder.Protocol;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.config.Loader;
import sluice.gateway.fixtures.Admin;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.process.Gateway;
import sluice.gateway.tls.Certificates;
import sluice.testkit.LogLines;
import sluice.testkit.Patience;

/**
 * A gateway whose configuration is a mounted ConfigMap, and whose certificate is a mounted Secret.
 * Client libraries use it, with TLS and without, while both are swapped. No request and no new
 * connection may fail.
 */
class MountedFilesTest {
  private static final int SWAPS = 12;
  private static final int KEYS = 8;
  private static final int PATIENCE_SECONDS = 30;

  @TempDir private Path directory;

  private final List<RealMemcached> servers = new ArrayList<>();
  private final InProcessGateway behind = new InProcessGateway();
  private final AtomicBoolean stop = new AtomicBoolean();
  private final List<Future<Long>> load = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private Certificates authority;
  private SSLContext trust;
  private MountedVolume configuration;
  private MountedVolume secret;
  private BigInteger shown; // the serial number of the secret's certificate
  private int generation;
  private Gateway gateway;

  @BeforeEach
  void start() throws Exception {
    authority = Certificates.of(Files.createDirectory(directory.resolve("authority")), "ca");
    trust = authority.context(null);
    for (int i = 0; i < 4; i++) {
      servers.add(RealMemcached.start());
    }
    authority.issue("behind");
    behind.start(
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 1}
        listeners: {cache: {bind: 127.0.0.1:0, route: cache, tls: {%s, clientCa: %s}}}
        routes: {cache: [{pool: cache}]}
        pools: {cache: {servers: [%s], timeout: 10s}}
        """
            .formatted(authority.identity("behind"), authority.file(), at(servers.get(3))));
    secret = new MountedVolume(directory.resolve("secret"), certificate());
    configuration =
        new MountedVolume(directory.resolve("config"), Map.of("sluice.yaml", yaml(generation)));
    Path file = configuration.file("sluice.yaml");
    gateway =
        Gateways.start(Loader.load(file).configuration(), file)
            .await(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  @AfterEach
  void end() throws Exception {
    stop.set(true);
    threads.shutdown();
    assertThat(threads.awaitTermination(2 * PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    if (gateway != null) {
      gateway.close().await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
    behind.close();
    servers.forEach(RealMemcached::close);
  }

  private static String at(RealMemcached server) {
    return "\"127.0.0.1:" + server.address().getPort() + '"';
  }

  /** A new one, of the same authority. */
  private Map<String, String> certificate() throws Exception {
    X509Bundle issued = authority.issue("gateway");
    shown = issued.getCertificate().getSerialNumber();
    Map<String, String> files = new LinkedHashMap<>();
    files.put("tls.crt", issued.getCertificatePathPEM());
    files.put("tls.key", issued.getPrivateKeyPEM());
    files.put("ca.crt", Files.readString(authority.file()));
    return files;
  }

  /** One of three configurations, which says which it is to who asks for {@code generation}. */
  private String yaml(int number) {
    String a = at(servers.get(0));
    String b = at(servers.get(1));
    String c = at(servers.get(2));
    String pools =
        switch (number % 3) {
          case 0 -> "cache: {timeout: 10s, servers: [" + a + "]}";
          case 1 ->
              "cache: {timeout: 10s, servers: [%s, %s, %s]}\n  other: {timeout: 10s, servers: [%s]}"
                  .formatted(a, b, c, b);
          default -> "cache: {timeout: 9s, servers: [" + c + ", " + b + "]}";
        };
    String rules =
        switch (number % 3) {
          case 0 -> "";
          case 1 -> "{match: {prefix: even}, pool: other},";
          default -> "{match: {prefix: odd}, key: {strip: odd, add: strange}, pool: cache},";
        };
    return """
    admin: {bind: 127.0.0.1:0}
    process: {eventLoops: 2, drain: 2s}
    listeners:
      plain: {bind: 127.0.0.1:0, route: cache}
      encrypted: {bind: 127.0.0.1:0, route: cache, tls: {certificate: ../secret/tls.crt, key: ../secret/tls.key}}
    routes:
      cache: [{match: {prefix: generation}, reject: generation %d}, {match: {prefix: far}, pool: far}, %s {pool: cache}]
    pools:
      far:
        timeout: 10s
        servers: ["127.0.0.1:%d"]
        tls: {ca: ../secret/ca.crt, certificate: ../secret/tls.crt, key: ../secret/tls.key}
      %s
    """
        .formatted(number, rules, behind.address("cache").getPort(), pools);
  }

  private InetSocketAddress address(String listener) {
    String at = gateway.address(listener);
    int colon = at.lastIndexOf(':');
    return new InetSocketAddress(at.substring(0, colon), Integer.parseInt(at.substring(colon + 1)));
  }

  /** A client's library, steadily. */
  private void load(String name, CacheClient client) {
    load.add(
        threads.submit(
            () -> {
              try (client) {
                long requests = 0;
                for (int round = 0; !stop.get(); round++) {
                  requests += round(name, client, round);
                  TimeUnit.MILLISECONDS.sleep(5);
                }
                return requests;
              }
            }));
  }

  /**
   * Stores and reads. Servers change, so what is read may be nothing, or what was stored before;
   * never another key's, and nothing may fail.
   */
  private static long round(String name, CacheClient client, int round) throws Exception {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < KEYS; i++) {
      keys.add((i % 4 == 3 ? "far" : i % 2 == 0 ? "even" : "odd") + '-' + name + '-' + i);
    }
    List<CompletableFuture<Boolean>> stored = new ArrayList<>();
    for (String key : keys) {
      stored.add(client.set(key, value(key, round)));
    }
    for (CompletableFuture<Boolean> each : stored) {
      assertThat(each.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    }
    List<CompletableFuture<String>> read = new ArrayList<>();
    for (String key : keys) {
      read.add(client.get(key));
    }
    for (int i = 0; i < KEYS; i++) {
      assertStored(keys.get(i), read.get(i).get(PATIENCE_SECONDS, TimeUnit.SECONDS), round);
    }
    client
        .getAll(keys)
        .get(PATIENCE_SECONDS, TimeUnit.SECONDS)
        .forEach((key, value) -> assertStored(key, value, round));
    return 2L * KEYS + 1;
  }

  private static String value(String key, int round) {
    return round + " " + key + "=".repeat(key.charAt(key.length() - 1) % 8 * 700);
  }

  private static void assertStored(String key, String value, int round) {
    if (value != null) {
      int stored = Integer.parseInt(value.substring(0, value.indexOf(' ')));
      assertThat(stored).isLessThanOrEqualTo(round);
      assertThat(value).isEqualTo(value(key, stored));
    }
  }

  /** One client after the other, each with a connection of its own over TLS. */
  private void loadOfNewConnections() {
    load.add(
        threads.submit(
            () -> {
              long requests = 0;
              while (!stop.get()) {
                assertThat(serial()).isNotNull();
                requests += 2;
                TimeUnit.MILLISECONDS.sleep(5);
              }
              return requests;
            }));
  }

  /** Of the certificate that a new connection is shown, after two requests on it. */
  private BigInteger serial() throws IOException {
    InetSocketAddress address = address("encrypted");
    try (SSLSocket socket =
        (SSLSocket)
            trust.getSocketFactory().createSocket(address.getAddress(), address.getPort())) {
      socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
      assertThat(ask(socket, "set even-new 0 0 1\r\nx")).isEqualTo("STORED");
      assertThat(ask(socket, "mn")).isEqualTo("MN");
      return ((X509Certificate) socket.getSession().getPeerCertificates()[0]).getSerialNumber();
    }
  }

  private static String ask(Socket socket, String request) throws IOException {
    socket.getOutputStream().write((request + "\r\n").getBytes(US_ASCII));
    return new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII)).readLine();
  }

  /** Of the configuration that a new connection gets. */
  private int running() throws IOException {
    InetSocketAddress address = address("plain");
    try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
      socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
      String answer = ask(socket, "get generation");
      assertThat(answer).startsWith("SERVER_ERROR generation ");
      return Integer.parseInt(answer.substring("SERVER_ERROR generation ".length()));
    }
  }

  private List<String> reload() throws Exception {
    return gateway.reload().await(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  private void startLoad() throws Exception {
    InetSocketAddress plain = address("plain");
    InetSocketAddress encrypted = address("encrypted");
    load("folsom-tls", FolsomClient.ascii(encrypted, trust));
    load("folsom-tls-binary", FolsomClient.binary(encrypted, trust));
    load("folsom", FolsomClient.ascii(plain));
    load("spy", new SpyClient(plain, Protocol.TEXT));
    load("spy-binary", new SpyClient(plain, Protocol.BINARY));
    load("xmemcached", XmemcachedClient.text(plain));
    loadOfNewConnections();
  }

  /** Whether nothing has failed: by clients, and by what is logged for a connection that breaks. */
  private void assertNothingFailed(LogLines log) throws Exception {
    stop.set(true);
    for (Future<Long> client : load) {
      assertThat(client.get(2 * PATIENCE_SECONDS, TimeUnit.SECONDS)).isPositive();
    }
    assertThat(log.lines())
        .filteredOn(line -> !line.contains(" is refused; the previous "))
        .isEmpty();
  }

  @Test
  void shouldFailNoRequestWhileConfigMapsAndSecretsAreSwapped() throws Exception {
    try (LogLines log = LogLines.of("sluice.gateway")) {
      startLoad();
      for (int swap = 1; swap <= SWAPS; swap++) {
        if (swap % 3 == 0) {
          secret.update(certificate());
        }
        if (swap % 3 != 0 || swap % 2 == 0) { // at times both, one a moment after the other
          configuration.update(Map.of("sluice.yaml", yaml(++generation)));
        }
        if (swap <= 4) { // by itself, as in a pod
          assertThat(Patience.soon(() -> running() == generation && serial().equals(shown)))
              .isTrue();
        } else {
          assertThat(reload()).isEmpty();
          assertThat(running()).isEqualTo(generation);
          assertThat(serial()).isEqualTo(shown);
        }
      }
      assertNothingFailed(log);
      assertThat(gateway.scrape()).contains("sluice_reloads_total{result=\"refused\"} 0.0");
    }
  }

  @Test
  void shouldRunOnWithWhatIsSwappedForSomethingWrong() throws Exception {
    BigInteger good = shown;
    try (LogLines log = LogLines.of("sluice.gateway")) {
      startLoad();
      configuration.update(Map.of("sluice.yaml", yaml(1).replace("pool: far}", "pool: away}")));
      assertThat(Patience.soon(() -> ready().contains("away"))).as("seen by itself").isTrue();
      assertUntouched("away", good);
      configuration.update(Map.of("sluice.yaml", "listeners: {"));
      assertUntouched("sluice.yaml:", good);
      configuration.update(Map.of());
      assertUntouched("no such file", good);
      configuration.update(Map.of("sluice.yaml", yaml(generation)));
      assertThat(reload()).isEmpty();

      Map<String, String> another = certificate();
      Map<String, String> mixed = certificate();
      mixed.put("tls.key", another.get("tls.key"));
      secret.update(mixed);
      assertUntouched("tls.key", good);
      Map<String, String> cut = certificate();
      cut.put("tls.crt", cut.get("tls.crt").substring(0, 200));
      secret.update(cut);
      assertUntouched("tls.crt", good);
      Map<String, String> without = certificate();
      without.remove("tls.key");
      secret.update(without);
      assertUntouched("tls.key", good);

      secret.update(certificate());
      assertThat(reload()).isEmpty();
      assertThat(serial()).isEqualTo(shown).isNotEqualTo(good);
      assertThat(ready()).doesNotContain("found");
      assertNothingFailed(log);
    }
  }

  private void assertUntouched(String problem, BigInteger certificate) throws Exception {
    assertThat(reload()).isNotEmpty().allMatch(line -> line.contains(problem));
    assertThat(ready()).contains(problem);
    assertThat(running()).isEqualTo(generation);
    assertThat(serial()).isEqualTo(certificate);
  }

  /** What the gateway says of itself; it is ready. */
  private String ready() {
    var answer = Admin.ask(gateway, "/ready");
    assertThat(answer.statusCode()).isEqualTo(200);
    return answer.body();
  }
}
