package sluice.gateway.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.core.transport.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.config.Loader;
import sluice.config.model.AdminConfig;
import sluice.config.model.Configuration;
import sluice.config.model.Credentials;
import sluice.config.model.ListenerAuthConfig;
import sluice.gateway.loop.IterationTransport;
import sluice.gateway.tls.Certificates;
import sluice.testkit.LogLines;

/** Who may change the state of the process, and who reaches the port at all. */
class AdminAccessTest {
  @TempDir private Path directory;

  private final FakeView view = new FakeView();
  private final AtomicBoolean loopbackPeer = new AtomicBoolean(true);
  private Vertx vertx;
  private AdminServer server;
  private int port;

  @BeforeEach
  void start() {
    vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setWorkerPoolSize(1));
  }

  @AfterEach
  void stop() throws Exception {
    vertx.close().await(10, TimeUnit.SECONDS);
  }

  private static AdminConfig with(String... users) {
    List<Credentials> known =
        Arrays.stream(users)
            .map(user -> user.split(":", 2))
            .map(user -> new Credentials(user[0], user[1]))
            .toList();
    AdminConfig open = AdminPort.OPEN;
    return new AdminConfig(
        open.bind(),
        open.ready(),
        Optional.empty(),
        known.isEmpty()
            ? Optional.empty()
            : Optional.of(new ListenerAuthConfig("users.txt", known)));
  }

  private void listen(AdminConfig config) throws Exception {
    server =
        new AdminServer(
            vertx, view, config, peer -> Callers.isLoopback(peer) && loopbackPeer.get());
    String address = server.listen("127.0.0.1:0").await(10, TimeUnit.SECONDS);
    port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
  }

  private Socket connect(SSLContext tls) throws IOException {
    Socket plain = new Socket(InetAddress.getLoopbackAddress(), port);
    plain.setSoTimeout(10_000);
    if (tls == null) {
      return plain;
    }
    SSLSocket socket =
        (SSLSocket) tls.getSocketFactory().createSocket(plain, "127.0.0.1", port, true);
    var parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    return socket;
  }

  /** The whole answer to a request with these headers, each with its line end. */
  private String ask(SSLContext tls, String request, String headers) throws IOException {
    try (Socket socket = connect(tls)) {
      socket
          .getOutputStream()
          .write(
              (request + " HTTP/1.1\r\n" + headers + "Connection: close\r\n\r\n").getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  private int drain(String headers) throws IOException {
    return Integer.parseInt(ask(null, "POST /drain", headers).split(" ")[1]);
  }

  private String host() {
    return "Host: 127.0.0.1:" + port + "\r\n";
  }

  private static String basic(String login) {
    return "Authorization: Basic "
        + Base64.getEncoder().encodeToString(login.getBytes(UTF_8))
        + "\r\n";
  }

  @Test
  void shouldTakeWhatChangesStateFromWhoeverLogsIn() throws Exception {
    listen(with("alice:se:cret", "zo\u00eb:p\u00e4ss word"));
    loopbackPeer.set(false);
    assertThat(drain(host() + basic("alice:se:cret"))).isEqualTo(202);
    assertThat(drain(host() + basic("zo\u00eb:p\u00e4ss word"))).isEqualTo(202);
    assertThat(drain(host() + basic("alice:se:cret").replace("Basic", "bASIC"))).isEqualTo(202);
    assertThat(view.drains).hasValue(3);
    assertThat(ask(null, "GET /ready", host())).as("for everybody").startsWith("HTTP/1.1 200 ");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'' | accepted from a loopback peer, or with a user and password of admin.auth",
        "Basic YWxpY2U6b3RoZXI= | wrong user or password",
        "Basic YWxpY2U= | wrong user or password",
        "Basic !!! | wrong user or password",
        "Basic | wrong user or password",
        "Bearer YWxpY2U6c2VjcmV0 | only Basic authentication is accepted (Authorization: Basic"
            + " ...)",
        "YWxpY2U6c2VjcmV0 | only Basic authentication is accepted (Authorization: Basic ...)",
        "Basic OnNlY3JldA== | wrong user or password",
        "Basic YWxpY2U6 | wrong user or password"
      })
  void shouldAskForALoginWhereTheRightOneIsMissing(String authorization, String error)
      throws Exception {
    listen(with("alice:secret"));
    loopbackPeer.set(false);
    String header = authorization.isEmpty() ? "" : "Authorization: " + authorization + "\r\n";
    String answer = ask(null, "POST /drain", host() + header);
    assertThat(answer)
        .startsWith("HTTP/1.1 401 ")
        .containsIgnoringCase(
            "\r\nWWW-Authenticate: Basic realm=\"sluice\", charset=\"UTF-8\"\r\n");
    assertThat(new JsonObject(answer.substring(answer.indexOf("\r\n\r\n"))).getString("error"))
        .isEqualTo(error);
    assertThat(answer).doesNotContain("secret", "other");
    assertThat(view.drains).hasValue(0);
  }

  @Test
  void shouldLogThatALoginFailedWithoutWhatWasSent() throws Exception {
    listen(with("alice:secret"));
    loopbackPeer.set(false);
    try (LogLines log = LogLines.of("sluice.gateway.admin")) {
      assertThat(drain(host())).as("no login").isEqualTo(401);
      assertThat(drain(host() + basic("alice:secret"))).isEqualTo(202);
      assertThat(log.lines()).isEmpty();
      for (int i = 0; i < 3; i++) {
        assertThat(drain(host() + basic("alice:wr0ng"))).isEqualTo(401);
      }
      assertThat(log.lines())
          .hasSizeBetween(1, 3) // a line a second
          .allMatch(line -> line.matches("admin: a login from 127\\.0\\.0\\.1:[0-9]+ failed.*"))
          .noneMatch(line -> line.contains("alice") || line.contains("wr0ng"));
    }
  }

  @Test
  void shouldTakeALoopbackPeerWithoutALoginButNotWithAWrongOne() throws Exception {
    listen(with("alice:secret"));
    assertThat(drain(host())).isEqualTo(202);
    assertThat(drain(host() + basic("alice:secret"))).isEqualTo(202);
    assertThat(drain(host() + basic("alice:wrong"))).isEqualTo(401);
  }

  @Test
  void shouldRefuseOthersWhereNobodyLogsIn() throws Exception {
    listen(with());
    loopbackPeer.set(false);
    assertThat(drain(host() + basic("alice:secret"))).isEqualTo(403);
    loopbackPeer.set(true);
    assertThat(drain(host() + basic("alice:secret"))).isEqualTo(202);
  }

  @ParameterizedTest(name = "{0} {1} {2}, logged in {3}")
  @CsvSource({
    "127.0.0.1:%PORT%, http://127.0.0.1:%PORT%, same-origin, false, 202",
    "127.0.0.1:%PORT%, '', none, false, 202",
    "localhost:%PORT%, http://localhost:%PORT%, same-origin, false, 202",
    "[::1]:%PORT%, http://[::1]:%PORT%, '', false, 202",
    "127.0.0.1:%PORT%, '', cross-site, false, 403",
    "127.0.0.1:%PORT%, '', same-site, false, 403",
    "127.0.0.1:%PORT%, http://localhost:%PORT%, '', false, 403",
    "127.0.0.1:%PORT%, http://127.0.0.1:1, '', false, 403",
    "127.0.0.1:%PORT%, null, '', false, 403",
    "127.0.0.1:%PORT%, http://evil.example, cross-site, true, 403",
    "127.0.0.1:%PORT%, http://127.0.0.1:1, same-site, true, 403",
    "evil.example:%PORT%, http://evil.example:%PORT%, same-origin, false, 403",
    "evil.example:%PORT%, http://evil.example:%PORT%, '', false, 403",
    "127.0.0.1.evil.example:%PORT%, http://127.0.0.1.evil.example:%PORT%, '', false, 403",
    "sluice.example:%PORT%, http://sluice.example:%PORT%, same-origin, true, 202",
    "sluice.example:%PORT%, '', '', false, 202"
  })
  void shouldRefusePagesOfOtherSites(
      String host, String origin, String site, boolean loggedIn, int status) throws Exception {
    listen(with("alice:secret"));
    String headers =
        "Host: %s\r\n%s%s%s"
            .formatted(
                host,
                origin.isEmpty() ? "" : "Origin: " + origin + "\r\n",
                site.isEmpty() ? "" : "Sec-Fetch-Site: " + site + "\r\n",
                loggedIn ? basic("alice:secret") : "");
    assertThat(drain(headers.replace("%PORT%", Integer.toString(port)))).isEqualTo(status);
    assertThat(view.drains).hasValue(status == 202 ? 1 : 0);
  }

  // --- TLS ----------------------------------------------------------------------------------

  private AdminConfig tls(String section) {
    Configuration configuration =
        Loader.parse(
                "f",
                """
                admin: {bind: 127.0.0.1:0, tls: {%s}}
                listeners: {a: {bind: 127.0.0.1:0, route: r}}
                routes: {r: [{pool: p}]}
                pools: {p: {servers: [h:1]}}
                """
                    .formatted(section))
            .configuration();
    return configuration.admin();
  }

  @Test
  void shouldSpeakTlsAndShowAnotherCertificateWhenItIsToldTo() throws Exception {
    Certificates authority = Certificates.of(directory, "ca");
    Certificates another = Certificates.of(directory, "another");
    authority.issue("one");
    another.issue("two");
    listen(tls(authority.identity("one")));
    assertThat(ask(authority.context(null), "GET /live", host())).startsWith("HTTP/1.1 200 ");
    assertThatThrownBy(() -> ask(another.context(null), "GET /live", host()))
        .isInstanceOf(SSLException.class);
    assertThat(ask(null, "GET /live", host())).as("plain HTTP").doesNotContain("200 OK");
    server.follow(tls(another.identity("two"))).await(10, TimeUnit.SECONDS);
    assertThat(ask(another.context(null), "GET /live", host())).startsWith("HTTP/1.1 200 ");
    assertThatThrownBy(() -> ask(authority.context(null), "GET /live", host()))
        .isInstanceOf(SSLException.class);
  }

  @Test
  void shouldLetNobodyInWithoutACertificateThatIsRequired() throws Exception {
    Certificates authority = Certificates.of(directory, "ca");
    Certificates strangers = Certificates.of(directory, "strangers");
    authority.issue("one");
    listen(tls(authority.identity("one") + ", clientCa: " + authority.file()));
    assertThat(ask(authority.context(authority.issue("client")), "GET /live", host()))
        .startsWith("HTTP/1.1 200 ");
    assertThatThrownBy(() -> ask(authority.context(null), "GET /live", host()))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(
            () -> ask(authority.context(strangers.issue("stranger")), "GET /live", host()))
        .isInstanceOf(IOException.class);
  }

  /** Java keeps up to 32 KiB of each, and they are no connections yet of which there is a limit. */
  @Test
  void shouldEndTheFirstOfTooManyHandshakes() throws Exception {
    vertx.close().await(10, TimeUnit.SECONDS);
    vertx =
        Vertx.builder()
            .with(new VertxOptions().setEventLoopPoolSize(1).setWorkerPoolSize(1))
            .withTransport(new IterationTransport(Transport.NIO))
            .build();
    Certificates authority = Certificates.of(directory, "ca");
    authority.issue("one");
    listen(tls(authority.identity("one")));
    List<Socket> begun = new ArrayList<>();
    try (Socket known = connect(authority.context(null))) {
      known.getOutputStream().write(("GET /live HTTP/1.1\r\n" + host() + "\r\n").getBytes(UTF_8));
      assertThat(known.getInputStream().read()).isEqualTo('H');
      for (int i = 0; i < 100; i++) {
        Socket handshake = connect(null);
        handshake.getOutputStream().write(0x16);
        begun.add(handshake);
      }
      assertThat(begun.get(0).getInputStream().read()).as("the first").isNegative();
      assertThat(ask(authority.context(null), "GET /live", host())).startsWith("HTTP/1.1 200 ");
      known.getOutputStream().write(("GET /live HTTP/1.1\r\n" + host() + "\r\n").getBytes(UTF_8));
      assertThat(known.getInputStream().read()).as("no handshake any more").isPositive();
    } finally {
      for (Socket handshake : begun) {
        handshake.close();
      }
    }
  }

  @Test
  void shouldSpeakNothingOlderThanTls12() throws Exception {
    Certificates authority = Certificates.of(directory, "ca");
    authority.issue("one");
    listen(tls(authority.identity("one")));
    for (String version : List.of("TLSv1.2", "TLSv1.3")) {
      try (SSLSocket socket = (SSLSocket) connect(authority.context(null))) {
        socket.setEnabledProtocols(new String[] {version});
        socket.startHandshake();
        assertThat(socket.getSession().getProtocol()).isEqualTo(version);
        assertThat(socket.getApplicationProtocol()).as("HTTP/1.1, without asking").isEmpty();
      }
    }
  }
}
