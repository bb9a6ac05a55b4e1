package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.config.Loader;
import sluice.gateway.fixtures.Admin;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.process.Gateway;

/** Users and passwords that change while the gateway runs. */
class LoginReloadTest {
  @TempDir private Path directory;

  private Path file;

  @BeforeEach
  void writeFiles() throws IOException {
    file = directory.resolve("sluice.yaml");
    write("users.txt", "alice:secret\n");
    write("servers.txt", "app:first\nalice:secret\n");
    write("password", "first\n");
  }

  private void write(String name, String content) throws IOException {
    Files.writeString(directory.resolve(name), content);
  }

  private Gateway start(RealMemcached server) throws Exception {
    write(
        "sluice.yaml",
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 1}
        listeners: {cache: {bind: 127.0.0.1:0, route: cache, auth: {users: users.txt}}}
        routes: {cache: [{pool: cache}]}
        pools: {cache: {servers: ["127.0.0.1:%d"], timeout: 10s, auth: {user: app, passwordFile: password}}}
        """
            .formatted(server.address().getPort()));
    return Gateways.start(Loader.load(file).configuration(), file).await(20, TimeUnit.SECONDS);
  }

  private static void reload(Gateway gateway) throws Exception {
    assertThat(gateway.reload().await(20, TimeUnit.SECONDS)).isEmpty();
  }

  private static RawClient connect(Gateway gateway) throws IOException {
    String at = gateway.address("cache");
    int colon = at.lastIndexOf(':');
    return new RawClient(
        new InetSocketAddress(at.substring(0, colon), Integer.parseInt(at.substring(colon + 1))));
  }

  private static String login(RawClient client, String login) throws IOException {
    return client.ask("set login 0 0 " + login.length() + "\r\n" + login + "\r\n");
  }

  /** How many connections a server has had, less those that asked. */
  private static long connections(RealMemcached server, int asked) throws IOException {
    try (RawClient client = new RawClient(server.address())) {
      assertThat(login(client, "alice secret")).isEqualTo("STORED");
      for (String line = client.ask("stats\r\n"); !line.equals("END"); line = client.line()) {
        if (line.startsWith("STAT total_connections ")) {
          return Long.parseLong(line.substring("STAT total_connections ".length())) - asked;
        }
      }
      throw new AssertionError("no total_connections");
    }
  }

  @Test
  void shouldKnowNewUsersAndKeepConnectionsWhoseLoginStays() throws Exception {
    try (RealMemcached server =
        RealMemcached.start("-Y", directory.resolve("servers.txt").toString())) {
      Gateway gateway = start(server);
      try (RawClient before = connect(gateway)) {
        assertThat(login(before, "alice secret")).isEqualTo("STORED");
        assertThat(before.ask("set k 0 0 1\r\nx\r\n")).isEqualTo("STORED");
        long connections = connections(server, 1);
        write("users.txt", "alice:changed\n");
        reload(gateway);
        try (RawClient after = connect(gateway)) {
          assertThat(login(after, "alice secret")).isEqualTo("CLIENT_ERROR authentication failure");
          assertThat(login(after, "alice changed")).isEqualTo("STORED");
          assertThat(after.ask("get k\r\n")).isEqualTo("VALUE k 0 1");
        }
        assertThat(before.ask("get k\r\n")).isEqualTo("VALUE k 0 1");
        assertThat(connections(server, 2)).isEqualTo(connections);
      } finally {
        gateway.close().await(20, TimeUnit.SECONDS);
      }
    }
  }

  @Test
  void shouldAdmitALoginThatBeganBeforeAReloadOnlyByTheNewUsers() throws Exception {
    try (RealMemcached server =
        RealMemcached.start("-Y", directory.resolve("servers.txt").toString())) {
      Gateway gateway = start(server);
      try (RawClient client = connect(gateway)) {
        client.send("s");
        write("users.txt", "alice:changed\n");
        reload(gateway);
        assertThat(client.ask("et login 0 0 12\r\nalice secret\r\n"))
            .isEqualTo("CLIENT_ERROR authentication failure");
        assertThat(login(client, "alice changed")).isEqualTo("STORED");
      } finally {
        gateway.close().await(20, TimeUnit.SECONDS);
      }
    }
  }

  @Test
  void shouldLogInByANewPassword() throws Exception {
    try (RealMemcached server =
        RealMemcached.start("-Y", directory.resolve("servers.txt").toString())) {
      write("password", "wrong\n");
      Gateway gateway = start(server);
      try (RawClient client = connect(gateway)) {
        assertThat(login(client, "alice secret")).isEqualTo("STORED");
        assertThat(client.ask("get k\r\n"))
            .startsWith("SERVER_ERROR ")
            .contains("refuses the login");
        write("password", "first\n");
        reload(gateway);
        assertThat(client.ask("get k\r\n")).isEqualTo("END");
      } finally {
        gateway.close().await(20, TimeUnit.SECONDS);
      }
    }
  }

  @Test
  void shouldKnowNewUsersOfTheAdminPort() throws Exception {
    write("admins.txt", "root:first\n");
    write(
        "sluice.yaml",
        """
        admin: {bind: 127.0.0.1:0, auth: {users: admins.txt}}
        process: {eventLoops: 1}
        listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
        routes: {cache: [{pool: cache}]}
        pools: {cache: {protocol: embedded}}
        """);
    Gateway gateway =
        Gateways.start(Loader.load(file).configuration(), file).await(20, TimeUnit.SECONDS);
    try {
      assertThat(reload(gateway, "root:first")).isEqualTo(200);
      assertThat(reload(gateway, "root:second")).isEqualTo(401);
      write("admins.txt", "root:second\n");
      assertThat(reload(gateway, "root:first")).as("the last time").isEqualTo(200);
      assertThat(reload(gateway, "root:first")).isEqualTo(401);
      assertThat(reload(gateway, "root:second")).isEqualTo(200);
    } finally {
      gateway.close().await(20, TimeUnit.SECONDS);
    }
  }

  private static int reload(Gateway gateway, String login) throws Exception {
    String basic = Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8));
    return Admin.ask(
            gateway,
            "/reload",
            HttpRequest.newBuilder()
                .header("Authorization", "Basic " + basic)
                .POST(HttpRequest.BodyPublishers.noBody()))
        .statusCode();
  }
}
