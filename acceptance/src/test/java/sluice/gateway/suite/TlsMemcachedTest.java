package sluice.gateway.suite;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.tls.Certificates;
import sluice.testkit.Acceptor;
import sluice.testkit.LogLines;
import sluice.testkit.Patience;

/** memcached's clients and servers over TLS: two gateways, back to back. */
class TlsMemcachedTest {
  private static final int PATIENCE_MILLIS = 20_000;

  @TempDir Path directory;

  private Certificates authority;
  private SSLContext clients;

  @BeforeEach
  void makeCertificates() throws Exception {
    authority = Certificates.of(directory, "authority");
    authority.issue("gateway");
    clients = authority.context(authority.issue("client"));
  }

  private static String yaml(String listener, String server, String pool) {
    return """
    admin: {bind: 127.0.0.1:0}
    process: {eventLoops: 1}
    listeners: {cache: {bind: 127.0.0.1:0, route: cache, %s}}
    routes: {cache: [{pool: cache}]}
    pools: {cache: {servers: ["%s"], timeout: 10s, connections: {connectTimeout: 20s}%s}}
    """
        .formatted(listener, server, pool);
  }

  private static String written(InetSocketAddress address) {
    return "127.0.0.1:" + address.getPort();
  }

  private String demanding() {
    return "tls: {%s, clientCa: %s}".formatted(authority.identity("gateway"), authority.file());
  }

  /** What a test does with one that takes plain clients and one that takes TLS. */
  private interface Use {
    void with(InetSocketAddress plain, InetSocketAddress encrypted) throws Exception;
  }

  /** Client, plain gateway, TLS, gateway, memcached. */
  private void serve(Use use) throws Exception {
    try (RealMemcached server = RealMemcached.start();
        InProcessGateway behind = new InProcessGateway();
        InProcessGateway before = new InProcessGateway()) {
      behind.start(yaml(demanding(), written(server.address()), ""));
      before.start(
          yaml(
              "allow: []",
              written(behind.address("cache")),
              ", tls: {ca: %s, %s}".formatted(authority.file(), authority.identity("gateway"))));
      use.with(before.address("cache"), behind.address("cache"));
    }
  }

  private Socket encrypted(InetSocketAddress address) throws IOException {
    return connect(clients.getSocketFactory().createSocket(), address);
  }

  private static Socket connect(Socket socket, InetSocketAddress address) throws IOException {
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.connect(address);
    return socket;
  }

  private static String ask(Socket socket, String request, int answer) throws IOException {
    socket.getOutputStream().write(request.getBytes(US_ASCII));
    return new String(socket.getInputStream().readNBytes(answer), US_ASCII);
  }

  @Test
  void shouldServeTextAndMeta() throws Exception {
    serve(
        (plain, encrypted) -> {
          for (boolean overTls : new boolean[] {false, true}) {
            try (Socket socket = overTls ? encrypted(encrypted) : connect(new Socket(), plain)) {
              String stored = "STORED\r\nVALUE k 5 3\r\nabc\r\nEND\r\n";
              assertThat(ask(socket, "set k 5 0 3\r\nabc\r\nget k\r\n", stored.length()))
                  .isEqualTo(stored);
              String meta = "HD\r\nVA 2 f0\r\nhi\r\nMN\r\n";
              assertThat(ask(socket, "ms m 2\r\nhi\r\nmg m v f\r\nmn\r\n", meta.length()))
                  .isEqualTo(meta);
            }
          }
        });
  }

  @Test
  void shouldServeBinary() throws Exception {
    byte[] set = packet(0x01, 8, "k", "abc");
    byte[] get = packet(0x00, 0, "k", "");
    serve(
        (plain, encrypted) -> {
          for (boolean overTls : new boolean[] {false, true}) {
            try (Socket socket = overTls ? encrypted(encrypted) : connect(new Socket(), plain)) {
              OutputStream out = socket.getOutputStream();
              InputStream in = socket.getInputStream();
              out.write(set);
              assertThat(in.readNBytes(24)).startsWith(0x81, 0x01, 0, 0, 0, 0, 0, 0);
              out.write(get);
              byte[] answer = in.readNBytes(24 + 4 + 3);
              assertThat(answer).startsWith(0x81, 0x00, 0, 0, 4, 0, 0, 0);
              assertThat(Arrays.copyOfRange(answer, 28, 31)).isEqualTo("abc".getBytes(US_ASCII));
            }
          }
        });
  }

  private static byte[] packet(int opcode, int extras, String key, String value) {
    return ByteBuffer.allocate(24 + extras + key.length() + value.length())
        .put((byte) 0x80)
        .put((byte) opcode)
        .putShort((short) key.length())
        .put((byte) extras)
        .put(new byte[3])
        .putInt(extras + key.length() + value.length())
        .put(new byte[12])
        .put(new byte[extras])
        .put(key.getBytes(US_ASCII))
        .put(value.getBytes(US_ASCII))
        .array();
  }

  @Test
  void shouldStreamLargeValuesAndLongPipelines() throws Exception {
    String value = "0123456789abcdef".repeat(60_000);
    String set = "set big 0 0 " + value.length() + "\r\n" + value + "\r\n";
    String one = "VALUE big 0 " + value.length() + "\r\n" + value + "\r\nEND\r\n";
    int times = 20;
    serve(
        (plain, encrypted) -> {
          for (boolean overTls : new boolean[] {false, true}) {
            try (Socket socket = overTls ? encrypted(encrypted) : connect(new Socket(), plain)) {
              assertThat(ask(socket, set, 8)).isEqualTo("STORED\r\n");
              assertThat(ask(socket, "get big\r\n".repeat(times), times * one.length()))
                  .isEqualTo(one.repeat(times));
              String misses = "END\r\n".repeat(10_000);
              assertThat(ask(socket, "get none\r\n".repeat(10_000), misses.length()))
                  .isEqualTo(misses);
            }
          }
        });
  }

  @Test
  void shouldSayWhatCameInsteadOfTls() throws Exception {
    serve(
        (plain, encrypted) -> {
          try (LogLines log = LogLines.of("sluice.gateway");
              Socket socket = connect(new Socket(), encrypted)) {
            socket.getOutputStream().write("get k\r\n".getBytes(US_ASCII));
            socket.getInputStream().readAllBytes();
            assertSoonOneLine(log, ": TLS: found \"get k\\r\\n\", expected a TLS record");
          }
        });
  }

  @Test
  void shouldNotWaitForEverForAHandshake() throws Exception {
    try (RealMemcached server = RealMemcached.start();
        InProcessGateway gateway = new InProcessGateway()) {
      String listener = demanding() + ", limits: {handshake: 300ms}";
      gateway.start(yaml(listener, written(server.address()), ""));
      try (LogLines log = LogLines.of("sluice.gateway");
          Socket socket = connect(new Socket(), gateway.address("cache"))) {
        socket.getInputStream().readAllBytes();
        assertSoonOneLine(log, ": TLS: its handshake timed out after 300ms");
      }
    }
  }

  private static void assertSoonOneLine(LogLines log, String end) {
    assertThat(Patience.soon(() -> !log.lines().isEmpty())).isTrue();
    assertThat(log.lines())
        .singleElement()
        .asString()
        .startsWith("listener cache: /127.0.0.1:")
        .endsWith(end);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldTellClientsWhyAServerCannotBeReached(boolean trusts) throws Exception {
    try (RealMemcached server = RealMemcached.start();
        InProcessGateway behind = new InProcessGateway();
        InProcessGateway before = new InProcessGateway();
        LogLines log = LogLines.of("sluice.gateway.server")) {
      behind.start(yaml(demanding(), written(server.address()), ""));
      String far = written(behind.address("cache"));
      // Without its certificate; or without the authority's, which Java does not know.
      before.start(
          yaml("allow: []", far, ", tls: {%s}".formatted(trusts ? "ca: " + authority.file() : "")));
      String why =
          trusts
              ? "TLS: the peer refused with the alert " // whose name Java has changed
              : "is unreachable: TLS: the certificate of CN=gateway, issued by CN=authority, is not"
                  + " from an authority that Java trusts";
      try (Socket socket = connect(new Socket(), before.address("cache"))) {
        socket.getOutputStream().write("get k\r\n".getBytes(US_ASCII));
        byte[] answer = new byte[1_000];
        int length = socket.getInputStream().read(answer);
        assertThat(new String(answer, 0, length, US_ASCII))
            .isEqualTo("SERVER_ERROR server " + far + " is unreachable: TLS handshake failed\r\n");
      }
      assertThat(log.lines())
          .anySatisfy(
              line -> assertThat(line).startsWith("pool cache: server " + far).contains(why));
    }
  }

  /** Carries bytes between a gateway and its server until what the server says is to break. */
  private static void relay(Socket near, int far, AtomicBoolean breaks) {
    try (near;
        Socket server = new Socket(InetAddress.getLoopbackAddress(), far)) {
      Acceptor.start(
          "relay",
          () -> {
            try {
              near.getInputStream().transferTo(server.getOutputStream());
            } catch (IOException e) {
              // closed
            }
          });
      byte[] bytes = new byte[16 * 1024];
      InputStream in = server.getInputStream();
      for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
        if (breaks.get()) {
          bytes[count - 1] ^= 1; // of a record's tag
        }
        near.getOutputStream().write(bytes, 0, count);
      }
    } catch (IOException e) {
      // closed
    }
  }

  @Test
  void shouldTellClientsNothingOfTheLibraryWhenTlsBreaks() throws Exception {
    AtomicBoolean breaks = new AtomicBoolean();
    try (RealMemcached server = RealMemcached.start();
        InProcessGateway behind = new InProcessGateway();
        InProcessGateway before = new InProcessGateway()) {
      behind.start(yaml(demanding(), written(server.address()), ""));
      int far = behind.address("cache").getPort();
      try (Acceptor relay =
          Acceptor.onLoopback(0, "relay", (number, near) -> relay(near, far, breaks))) {
        String name = "localhost:" + relay.address().getPort();
        String tls = "tls: {ca: %s, %s}".formatted(authority.file(), authority.identity("gateway"));
        before.start(yaml("allow: []", name, ", " + tls));
        try (Socket socket = connect(new Socket(), before.address("cache"))) {
          assertThat(ask(socket, "get k\r\n", 5)).isEqualTo("END\r\n");
          breaks.set(true);
          socket.getOutputStream().write("set k 0 0 1\r\nv\r\n".getBytes(US_ASCII));
          InputStream in = socket.getInputStream();
          StringBuilder told = new StringBuilder();
          for (int b = in.read(); b > 0 && b != '\r'; b = in.read()) {
            told.append((char) b);
          }
          assertThat(told).hasToString("SERVER_ERROR server " + name + " broke TLS");
        }
      }
    }
  }
}
