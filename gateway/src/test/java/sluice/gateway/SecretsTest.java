package sluice.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.process.Gateway;
import sluice.gateway.tls.Certificates;

/** A configuration with every secret that one can have, and what is said of it. */
class SecretsTest {
  private static final String LISTENER = "l1stenerSecret";
  private static final String POOL = "p00lSecret";
  private static final String ADMIN = "4dminSecret";
  private static final String REFERENCE = "r3ferenceSecret";

  @TempDir private Path directory;

  private final Logger logger = (Logger) LoggerFactory.getLogger("sluice");
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final List<String> said = new ArrayList<>();
  private Level level;
  private Path file;
  private SSLContext tls;

  @BeforeEach
  void writeFiles() throws Exception {
    level = logger.getLevel();
    logger.setLevel(Level.TRACE);
    log.list = new CopyOnWriteArrayList<>(); // other threads append while the test reads
    log.start();
    logger.addAppender(log);
    Certificates authority = Certificates.of(directory, "ca");
    authority.issue("server");
    authority.issue("client");
    tls = authority.context(null);
    write("users", "alice:" + LISTENER + "\n");
    write("password", POOL + "\n");
    write("admins", "root:" + ADMIN + "\n");
    write("reference", REFERENCE + "\n");
    file =
        write(
            "sluice.yaml",
            """
            admin: {bind: 127.0.0.1:0, tls: {%1$s}, auth: {users: admins}}
            process: {eventLoops: 1, drain: 1s}
            listeners:
              cache: {bind: 127.0.0.1:0, route: cache, auth: {users: users}}
              secure: {bind: 127.0.0.1:0, route: cache, tls: {%1$s}}
            routes: {cache: [{match: {prefix: "${file:reference}"}, reject: "${file:reference}"}, {pool: cache}]}
            pools:
              cache:
                servers: [127.0.0.1:1]
                tls: {ca: %3$s, %2$s}
                auth: {user: app, passwordFile: password}
                values: {replace: [{find: "${file:reference}", with: "y"}]}
            """
                .formatted(
                    authority.identity("server"), authority.identity("client"), authority.file()));
  }

  @AfterEach
  void stop() {
    logger.detachAppender(log);
    logger.setLevel(level);
  }

  private Path write(String name, String content) throws IOException {
    return Files.writeString(directory.resolve(name), content);
  }

  private List<String> secrets() throws IOException {
    List<String> secrets = new ArrayList<>(List.of(LISTENER, POOL, ADMIN, REFERENCE));
    for (String key : List.of("server.key", "client.key")) {
      secrets.add(Files.readAllLines(directory.resolve(key)).get(1));
    }
    for (String login : List.of("alice:" + LISTENER, "root:" + ADMIN, "app:" + POOL)) {
      secrets.add(Base64.getEncoder().encodeToString(login.getBytes(UTF_8)));
    }
    return secrets;
  }

  private void ask(Gateway gateway, String method, String path, String login) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("https://" + gateway.adminAddress() + path))
            .method(method, HttpRequest.BodyPublishers.noBody());
    if (login != null) {
      request.header(
          "Authorization", "Basic " + Base64.getEncoder().encodeToString(login.getBytes(UTF_8)));
    }
    HttpResponse<String> answer =
        HttpClient.newBuilder()
            .sslContext(tls)
            .build()
            .send(request.build(), HttpResponse.BodyHandlers.ofString());
    said.add(method + " " + path + ": " + answer.statusCode() + " " + answer.body());
    said.add(answer.headers().map().toString());
  }

  private void say(Gateway gateway, String listener, String text) throws IOException {
    String at = gateway.address(listener);
    int colon = at.lastIndexOf(':');
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(at.substring(0, colon), Integer.parseInt(at.substring(colon + 1))));
      socket.setSoTimeout(5_000);
      OutputStream out = socket.getOutputStream();
      out.write(text.getBytes(UTF_8));
      said.add(new String(socket.getInputStream().readAllBytes(), UTF_8));
    }
  }

  @Test
  void shouldTellNoSecretToAnybody() throws Exception {
    LoadResult loaded = Loader.load(file);
    assertThat(loaded.problems()).isEmpty();
    said.add(loaded.configuration().toString());
    said.add(loaded.configuration().listeners().toString());
    said.add(loaded.configuration().pools().get("cache").auth().toString());
    said.add(loaded.configuration().pools().get("cache").tls().toString());
    said.add(loaded.configuration().admin().toString());
    Gateway gateway = Gateways.start(loaded.configuration(), file).await(20, TimeUnit.SECONDS);
    try {
      for (String path :
          List.of(
              "/live",
              "/ready",
              "/metrics",
              "/config",
              "/listeners",
              "/routes",
              "/pools",
              "/nothing")) {
        ask(gateway, "GET", path, null);
      }
      ask(gateway, "GET", "/explain?listener=cache&command=get&key=a", null);
      assertThat(said)
          .filteredOn(
              text -> text.startsWith("GET /routes: 200") || text.startsWith("GET /explain"))
          .hasSize(2)
          .allMatch(text -> text.contains("prefix") && text.contains("${file:reference}"));
      ask(gateway, "POST", "/reload", "root:" + ADMIN);
      ask(gateway, "POST", "/reload", "alice:" + LISTENER);
      int length = ("alice " + LISTENER).length();
      say(
          gateway,
          "cache",
          "set a 0 0 " + length + "\r\nalice " + LISTENER + "\r\nget a\r\nquit\r\n");
      say(gateway, "cache", "set a 0 0 " + length + "\r\nalice " + ADMIN + "xx\r\nquit\r\n");
      say(gateway, "secure", "set a 0 0 1\r\n" + LISTENER + "\r\n");
      for (Map.Entry<String, String> bad :
          Map.of(
                  "users",
                  LISTENER,
                  "admins",
                  "a b:" + ADMIN,
                  "password",
                  POOL + "\n" + POOL,
                  "reference",
                  REFERENCE.repeat(100))
              .entrySet()) {
        String good = Files.readString(directory.resolve(bad.getKey()));
        write(bad.getKey(), bad.getValue());
        ask(gateway, "POST", "/reload", null);
        ask(gateway, "GET", "/ready", null);
        said.add(Loader.load(file).problems().toString());
        write(bad.getKey(), good);
      }
      assertThat(said).filteredOn(s -> s.startsWith("POST /reload: 422")).hasSize(4);
      assertThat(said).filteredOn(s -> s.startsWith("POST /reload: 401")).hasSize(1);
      assertThat(said).filteredOn(s -> s.startsWith("POST /reload: 200")).hasSize(1);
    } finally {
      gateway.close().await(20, TimeUnit.SECONDS);
    }
    List<String> logged =
        List.copyOf(log.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
    assertThat(logged).anyMatch(line -> line.equals("admin: POST /reload by root"));
    said.addAll(logged);
    for (String secret : secrets()) {
      assertThat(said).noneMatch(text -> text.contains(secret));
    }
  }
}
