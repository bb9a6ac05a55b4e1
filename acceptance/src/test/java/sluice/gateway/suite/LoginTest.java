package sluice.gateway.suite;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import net.spy.memcached.ConnectionFactoryBuilder.Protocol;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.tls.Certificates;

/** Clients with and without credentials, servers that want a login and that want none. */
@Timeout(1_500)
class LoginTest {
  private static final int OPERATIONS = 1_500;
  private static final Duration LIMIT = Duration.ofMinutes(10);

  /** What the servers behind the gateway want of it. */
  private enum Wanted {
    NOTHING,
    TEXT,
    SASL
  }

  /** A client library, and how it says who it is. */
  private enum Library {
    SPYMEMCACHED_TEXT(Wanted.TEXT, false),
    SPYMEMCACHED_BINARY(Wanted.SASL, true),
    XMEMCACHED_TEXT(Wanted.TEXT, false),
    XMEMCACHED_BINARY(Wanted.SASL, true),
    PYMEMCACHE(Wanted.TEXT, true),
    PYTHON_BINARY_MEMCACHED(Wanted.SASL, true);

    final Wanted dialect;
    final boolean canLogIn;

    Library(Wanted dialect, boolean canLogIn) {
      this.dialect = dialect;
      this.canLogIn = canLogIn;
    }

    void run(InetSocketAddress address, boolean login) throws Exception {
      switch (this) {
        case SPYMEMCACHED_TEXT -> ordinary(new SpyClient(address, Protocol.TEXT));
        case SPYMEMCACHED_BINARY ->
            ordinary(
                login
                    ? SpyClient.sasl(address, "alice", "secret")
                    : new SpyClient(address, Protocol.BINARY));
        case XMEMCACHED_TEXT -> ordinary(XmemcachedClient.text(address));
        case XMEMCACHED_BINARY ->
            ordinary(
                login
                    ? XmemcachedClient.sasl(address, "alice", "secret")
                    : XmemcachedClient.binary(address));
        case PYMEMCACHE ->
            python("pymemcache", "ordinary_operations.py", address, login, "alice secret");
        case PYTHON_BINARY_MEMCACHED ->
            python("bmemcached", "sasl_operations.py", address, login, "alice", "secret");
      }
    }

    private static void ordinary(CacheClient client) throws Exception {
      try (client) {
        new OrdinaryOperations(client, OPERATIONS).run();
      }
    }

    private static void python(
        String module, String script, InetSocketAddress address, boolean login, String... user) {
      List<String> arguments = new java.util.ArrayList<>();
      arguments.add(address.getAddress().getHostAddress());
      arguments.add(String.valueOf(address.getPort()));
      arguments.add(String.valueOf(OPERATIONS));
      arguments.addAll(login ? List.of(user) : List.of());
      PythonWith.run(PythonWith.module(module), script, LIMIT, arguments.toArray(String[]::new));
    }
  }

  @TempDir Path directory;

  @BeforeEach
  void writeFiles() throws IOException {
    Files.writeString(directory.resolve("users.txt"), "alice:secret\nbob:pw2\n");
    Files.writeString(directory.resolve("password"), "secret\n");
  }

  private RealMemcached server(Wanted wanted) throws IOException {
    return switch (wanted) {
      case NOTHING -> RealMemcached.start();
      case TEXT -> RealMemcached.start("-Y", directory.resolve("users.txt").toString());
      case SASL -> RealMemcached.startSasl(Files.createTempDirectory(directory, "sasl"));
    };
  }

  private String users() {
    return "auth: {users: " + directory.resolve("users.txt") + "}";
  }

  private String password() {
    return "auth: {user: alice, passwordFile: " + directory.resolve("password") + "}";
  }

  /** What a test does with a gateway in front of a server. */
  private interface Use {
    void with(InetSocketAddress address, RealMemcached server) throws Exception;
  }

  private void serve(Wanted wanted, String listener, String pool, Use use) throws Exception {
    serve(wanted, "same", listener, pool, use);
  }

  private void serve(Wanted wanted, String dialect, String listener, String pool, Use use)
      throws Exception {
    try (RealMemcached server = server(wanted);
        InProcessGateway gateway = new InProcessGateway()) {
      gateway.start(new Topology().with(listener, pool).servers("cache", dialect, server).yaml());
      use.with(gateway.address("cache"), server);
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldServeClientsThatHaveNoCredentialsFromServersThatWantThem(Library library)
      throws Exception {
    serve(library.dialect, "", password(), (address, server) -> library.run(address, false));
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"SPYMEMCACHED_TEXT", "XMEMCACHED_TEXT"}) // they know no login
  void shouldServeClientsThatLogInFromServersThatKnowNoUsers(Library library) throws Exception {
    assertThat(library.canLogIn).isTrue();
    serve(Wanted.NOTHING, users(), "", (address, server) -> library.run(address, true));
  }

  @ParameterizedTest
  @EnumSource(names = {"PYMEMCACHE", "PYTHON_BINARY_MEMCACHED"})
  void shouldLogInOnBothSides(Library library) throws Exception {
    serve(library.dialect, users(), password(), (address, server) -> library.run(address, true));
  }

  @ParameterizedTest
  @EnumSource(names = {"SPYMEMCACHED_BINARY", "PYTHON_BINARY_MEMCACHED"})
  void shouldBridgeClientsOfSaslToServersOfText(Library library) throws Exception {
    serve(
        Wanted.TEXT, "meta", users(), password(), (address, server) -> library.run(address, true));
  }

  @Test
  void shouldBridgeClientsOfTextToServersOfSasl() throws Exception {
    serve(
        Wanted.SASL,
        "binary",
        users(),
        password(),
        (address, server) -> Library.PYMEMCACHE.run(address, true));
  }

  @Test
  void shouldLogInOnConnectionsThatAreLentToo() throws Exception {
    String value = "v".repeat(300_000);
    String request = "set large 0 0 " + value.length() + "\r\n" + value + "\r\nget large\r\n";
    String expected = "STORED\r\nVALUE large 0 300000\r\n" + value + "\r\nEND\r\n";
    serve(
        Wanted.TEXT,
        "",
        password(),
        (address, server) -> {
          try (Conversation client = new Conversation(address)) {
            assertThat(client.ask(request, "END\r\n")).isEqualTo(expected);
          }
        });
  }

  /** For such a server, a login by text is a set like any other. */
  @Test
  void shouldTellNoPasswordToAServerThatWantsNone() throws Exception {
    serve(
        Wanted.NOTHING,
        "",
        password(),
        (address, server) -> {
          Library.PYMEMCACHE.run(address, false);
          Library.PYTHON_BINARY_MEMCACHED.run(address, false);
          try (Conversation direct = new Conversation(server.address())) {
            String keys = direct.ask("lru_crawler metadump all\r\n", "END\r\n");
            assertThat(keys).contains("key=bm").doesNotContain("login", "key=set", "alice");
            assertThat(direct.ask("get login\r\n", "END\r\n")).isEqualTo("END\r\n");
          }
        });
  }

  @Test
  void shouldLogInInsideTls() throws Exception {
    Certificates authority = Certificates.of(directory, "authority");
    authority.issue("gateway");
    var clients = authority.context(authority.issue("client")).getSocketFactory();
    serve(
        Wanted.TEXT,
        users() + ", tls: {" + authority.identity("gateway") + "}",
        password(),
        (address, server) -> {
          try (Socket socket = clients.createSocket(address.getAddress(), address.getPort())) {
            socket.setSoTimeout(20_000);
            String expected =
                """
                CLIENT_ERROR unauthenticated
                CLIENT_ERROR authentication failure
                STORED
                STORED
                VALUE k 0 1
                x
                END
                """
                    .replace("\n", "\r\n");
            String request =
                """
                get k
                set a 0 0 10
                alice pw2!
                set a 0 0 12
                alice secret
                set k 0 0 1
                x
                get k
                """
                    .replace("\n", "\r\n");
            socket.getOutputStream().write(request.getBytes(ISO_8859_1));
            byte[] heard = socket.getInputStream().readNBytes(expected.length());
            assertThat(new String(heard, ISO_8859_1)).isEqualTo(expected);
          }
        });
  }
}
