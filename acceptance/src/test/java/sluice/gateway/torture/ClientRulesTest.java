package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.X509Bundle;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.config.Loader;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.process.Gateway;
import sluice.gateway.tls.Certificates;

/** Rules that ask who the client is. */
class ClientRulesTest {
  @TempDir private Path directory;

  private Path file;

  private Gateway start(Certificates authority, String rules) throws Exception {
    authority.issue("server");
    write(authority, rules);
    return Gateways.start(Loader.load(file).configuration(), file).await(20, TimeUnit.SECONDS);
  }

  private void write(Certificates authority, String rules) throws IOException {
    file =
        Files.writeString(
            directory.resolve("sluice.yaml"),
            """
            admin: {bind: 127.0.0.1:0}
            process: {eventLoops: 1, drain: 1s}
            listeners: {cache: {bind: 127.0.0.1:0, route: cache, tls: {%s, clientCa: %s, clientAuth: request}}}
            routes: {cache: [%s]}
            pools: {cache: {protocol: embedded}}
            """
                .formatted(authority.identity("server"), authority.file(), rules));
  }

  /** A client of text; shown may be null. */
  private static Socket connect(Gateway gateway, Certificates authority, X509Bundle shown)
      throws Exception {
    String at = gateway.address("cache");
    int colon = at.lastIndexOf(':');
    Socket socket =
        authority
            .context(shown)
            .getSocketFactory()
            .createSocket(at.substring(0, colon), Integer.parseInt(at.substring(colon + 1)));
    socket.setSoTimeout(10_000);
    return socket;
  }

  private static String ask(Socket socket, String request) throws IOException {
    socket.getOutputStream().write((request + "\r\n").getBytes(ISO_8859_1));
    return new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1))
        .readLine();
  }

  @Test
  void shouldLetEachClientDoWhatItsRulesSay() throws Exception {
    Certificates authority = Certificates.of(directory, "ca");
    Gateway gateway =
        start(
            authority,
            "{match: {client: app, prefix: app}, pool: cache},"
                + " {match: {client: \"spiffe://example/ops\"}, pool: cache},"
                + " {reject: not for you}");
    X509Bundle ops =
        authority.issue(
            "anybody", b -> b.addSanUriName(java.net.URI.create("spiffe://example/ops")));
    try (Socket app = connect(gateway, authority, authority.issue("app", b -> b));
        Socket operator = connect(gateway, authority, ops);
        Socket other = connect(gateway, authority, authority.issue("other", b -> b));
        Socket pretender =
            connect(
                gateway, authority, authority.issue("app", b -> b.addSanDnsName("other.example")));
        Socket nobody = connect(gateway, authority, null)) {
      for (int again = 0; again < 2; again++) {
        assertThat(ask(app, "set app:1 0 0 1\r\nx")).isEqualTo("STORED");
        assertThat(ask(app, "set key 0 0 1\r\nx")).isEqualTo("SERVER_ERROR not for you");
        assertThat(ask(operator, "set key 0 0 1\r\nx")).isEqualTo("STORED");
        assertThat(ask(operator, "flush_all")).isEqualTo("OK");
        for (Socket refused : new Socket[] {other, pretender, nobody}) {
          assertThat(ask(refused, "set app:1 0 0 1\r\nx")).isEqualTo("SERVER_ERROR not for you");
          assertThat(ask(refused, "flush_all")).startsWith("SERVER_ERROR ");
        }
      }
      write(
          authority,
          "{match: {client: other}, pool: cache}, {match: {client: app}, reject: no more},"
              + " {reject: not for you}");
      assertThat(gateway.reload().await(20, TimeUnit.SECONDS)).isEmpty();
      assertThat(ask(other, "set app:1 0 0 1\r\nx")).isEqualTo("STORED");
      assertThat(ask(app, "set app:1 0 0 1\r\nx")).isEqualTo("SERVER_ERROR no more");
      assertThat(ask(operator, "get app:1")).isEqualTo("SERVER_ERROR not for you");
    } finally {
      gateway.close().await(20, TimeUnit.SECONDS);
    }
  }

  @Test
  void shouldLimitEachClientAsItsRuleSays() throws Exception {
    Certificates authority = Certificates.of(directory, "ca");
    long began = System.nanoTime();
    Gateway gateway =
        start(
            authority,
            "{match: {client: app}, pool: cache, limit: {rate: 1, burst: 3}},"
                + " {match: {client: other}, pool: cache, limit: {rate: 1000000}},"
                + " {reject: not for you}");
    X509Bundle app = authority.issue("app", b -> b);
    try (Socket one = connect(gateway, authority, app);
        Socket two = connect(gateway, authority, app);
        Socket other = connect(gateway, authority, authority.issue("other", b -> b))) {
      int passed = 0;
      for (int i = 0; i < 20; i++) {
        for (Socket each : new Socket[] {one, two}) {
          String answer = ask(each, "get k");
          assertThat(answer)
              .isIn("END", "SERVER_ERROR over the limit of 1 requests a second of route cache");
          passed += answer.equals("END") ? 1 : 0;
        }
        assertThat(ask(other, "get k")).isEqualTo("END");
      }
      long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began) + 1;
      assertThat(passed).isBetween(3, (int) (3 + seconds));
      // A rule that stays the same goes on with what is in its bucket.
      write(
          authority,
          "{match: {prefix: new}, pool: cache},"
              + " {match: {client: app}, pool: cache, limit: {rate: 1, burst: 3}},"
              + " {reject: not for you}");
      assertThat(gateway.reload().await(20, TimeUnit.SECONDS)).isEmpty();
      for (int i = 0; i < 20; i++) {
        passed += ask(one, "get k").equals("END") ? 1 : 0;
      }
      seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began) + 1;
      assertThat(passed).isBetween(3, (int) (3 + seconds));
    } finally {
      gateway.close().await(20, TimeUnit.SECONDS);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void shouldKnowAClientWhoseSessionIsResumed(String version) throws Exception {
    Certificates authority = Certificates.of(directory, "ca");
    Gateway gateway =
        start(authority, "{match: {client: app}, pool: cache}, {reject: not for you}");
    try {
      String at = gateway.address("cache");
      int colon = at.lastIndexOf(':');
      var context = authority.context(authority.issue("app", b -> b));
      for (int i = 0; i < 3; i++) {
        try (var socket =
            (javax.net.ssl.SSLSocket)
                context
                    .getSocketFactory()
                    .createSocket(
                        at.substring(0, colon), Integer.parseInt(at.substring(colon + 1)))) {
          socket.setSoTimeout(10_000);
          socket.setEnabledProtocols(new String[] {version});
          assertThat(ask(socket, "set a 0 0 1\r\nx")).isEqualTo("STORED");
        }
      }
    } finally {
      gateway.close().await(20, TimeUnit.SECONDS);
    }
  }
}
