package sluice.gateway.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.config.Loader;
import sluice.gateway.fixtures.Admin;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.process.Gateway;
import sluice.testkit.LogLines;
import sluice.testkit.Patience;

/** Wrong passwords: what is said of them, what never, and how often they are tried. */
class LoginRefusedTest {
  private static final String SECRET = "hunter2";
  private static final byte[] BINARY_GET =
      HexFormat.of().parseHex("80000001000000000000000100000000000000000000000061");

  @TempDir Path directory;

  @BeforeEach
  void writeFiles() throws IOException {
    Files.writeString(directory.resolve("users.txt"), "alice:secret\n");
    Files.writeString(directory.resolve("own.txt"), "carol:" + SECRET + "\n");
    Files.writeString(directory.resolve("password"), SECRET);
  }

  private Gateway start(RealMemcached server, String listener, String pool) throws Exception {
    Path file = directory.resolve("sluice.yaml");
    Files.writeString(
        file,
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 1}
        listeners: {cache: {bind: 127.0.0.1:0, route: cache%s}}
        routes: {cache: [{pool: cache}]}
        pools: {cache: {servers: ["127.0.0.1:%d"], connections: {probeAfter: 200ms}%s}}
        """
            .formatted(listener, server.address().getPort(), pool));
    return Gateways.start(Loader.load(file).configuration()).await(20, TimeUnit.SECONDS);
  }

  private static void stop(Gateway gateway) throws TimeoutException {
    gateway.close().await(20, TimeUnit.SECONDS);
  }

  private static InetSocketAddress address(Gateway gateway) {
    String address = gateway.address("cache");
    int colon = address.lastIndexOf(':');
    return new InetSocketAddress(
        address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldSayThatAServerRefusesThePassword(boolean sasl) throws Exception {
    String auth = ", auth: {user: alice, passwordFile: password}";
    try (LogLines log = LogLines.of("sluice");
        RealMemcached server =
            sasl
                ? RealMemcached.startSasl(Files.createTempDirectory(directory, "sasl"))
                : RealMemcached.start("-Y", directory.resolve("users.txt").toString())) {
      Gateway gateway = start(server, "", auth);
      try (Conversation client = new Conversation(address(gateway))) {
        if (sasl) {
          client.send(List.of(BINARY_GET));
        }
        boolean said =
            Patience.soon(() -> Admin.get(gateway, "/pools").contains("refuses the login"));
        String pools = Admin.get(gateway, "/pools");
        assertThat(said).as(pools).isTrue();
        assertThat(pools).contains("refuses the login of alice: ", "down");
        if (!sasl) {
          assertThat(client.ask("get k\r\n", "\r\n"))
              .startsWith("SERVER_ERROR server")
              .contains("refuses the login")
              .doesNotContain("alice");
        }
        Thread.sleep(2_000);
        String all =
            pools + Admin.get(gateway, "/config") + Admin.get(gateway, "/metrics") + log.lines();
        assertThat(all).contains("passwordFile").doesNotContain(SECRET);
        assertThat(log.lines()).filteredOn(l -> l.contains("refuses the login")).hasSize(1);
      } finally {
        stop(gateway);
      }
      if (!sasl) {
        try (Conversation direct = new Conversation(server.address())) {
          direct.ask("set login 0 0 12\r\nalice secret\r\n", "STORED\r\n");
          String errors =
              direct.ask("stats\r\n", "END\r\n").replaceAll("(?s).*auth_errors (\\d+).*", "$1");
          assertThat(Integer.parseInt(errors)).as("a try each 200 ms").isBetween(2, 40);
        }
      }
    }
  }

  @Test
  void shouldTellOfFailedLoginsOnceASecondAndNeverWhatWasSaid() throws Exception {
    try (LogLines log = LogLines.of("sluice");
        RealMemcached server = RealMemcached.start()) {
      Gateway gateway = start(server, ", auth: {users: own.txt}", "");
      long begun = System.nanoTime();
      try (Conversation client = new Conversation(address(gateway))) {
        for (int i = 0; i < 200; i++) {
          assertThat(client.ask("set a 0 0 13\r\ncarol wr0ngpw\r\n", "\r\n"))
              .isEqualTo("CLIENT_ERROR authentication failure\r\n");
        }
        assertThat(client.ask("set a 0 0 13\r\ncarol " + SECRET + "\r\n", "\r\n"))
            .isEqualTo("STORED\r\n");
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun);
        List<String> lines = log.lines().stream().filter(l -> l.contains("login")).toList();
        assertThat(lines).hasSizeBetween(1, (int) seconds + 2);
        assertThat(lines.get(0)).startsWith("listener cache: a login from ").endsWith(" failed");
        assertThat(log.lines() + Admin.get(gateway, "/config") + Admin.get(gateway, "/metrics"))
            .contains("own.txt", "command=\"sasl\"")
            .doesNotContain("wr0ngpw", SECRET);
        assertThat(gateway.scrape())
            .containsPattern(
                "sluice_requests_total\\{command=\"sasl\"[^}]*outcome=\"rejected\"\\} 200");
      } finally {
        stop(gateway);
      }
    }
  }

  @Test
  void shouldPointToAuthWhereAServerWantsALogin() throws Exception {
    try (RealMemcached server =
        RealMemcached.start("-Y", directory.resolve("users.txt").toString())) {
      Gateway gateway = start(server, "", "");
      try (Conversation client = new Conversation(address(gateway))) {
        assertThat(client.ask("get k\r\n", "\r\n"))
            .isEqualTo(
                "SERVER_ERROR server 127.0.0.1:%d requires a login, and the pool has no auth\r\n"
                    .formatted(server.address().getPort()));
        assertThat(Admin.get(gateway, "/pools"))
            .contains("requires a login, and the pool has no auth");
      } finally {
        stop(gateway);
      }
    }
  }
}
