package sluice.gateway.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import sluice.config.model.Address;
import sluice.config.model.AdminConfig;
import sluice.config.model.Ready;

/** The admin port of a {@link FakeView}, for the time of one test, and its callers. */
final class AdminPort implements BeforeEachCallback, AfterEachCallback {
  /** Settings of a port without TLS and users. */
  static final AdminConfig OPEN =
      new AdminConfig(
          new Address.Tcp("127.0.0.1", 0), Ready.PROCESS, Optional.empty(), Optional.empty());

  private final FakeView view = new FakeView();
  private final AtomicBoolean loopbackPeer = new AtomicBoolean(true);
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private Vertx vertx;
  private AdminServer server;
  private String address;

  @Override
  public void beforeEach(ExtensionContext test) throws Exception {
    vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(2).setWorkerPoolSize(2));
    server =
        new AdminServer(vertx, view, OPEN, peer -> Callers.isLoopback(peer) && loopbackPeer.get());
    address = server.listen("127.0.0.1:0").await(10, TimeUnit.SECONDS);
  }

  @Override
  public void afterEach(ExtensionContext test) throws Exception {
    vertx.close().await(10, TimeUnit.SECONDS);
  }

  /** What the port shows. */
  FakeView view() {
    return view;
  }

  Vertx vertx() {
    return vertx;
  }

  AdminServer server() {
    return server;
  }

  /** From now on, no peer counts as a loopback one. */
  void isCalledFromElsewhere() {
    loopbackPeer.set(false);
  }

  /** HOST:PORT. */
  String address() {
    return address;
  }

  /** The number of the port. */
  int number() {
    return Integer.parseInt(address.substring(address.indexOf(':') + 1));
  }

  /** A request of this port. */
  HttpRequest.Builder request(String path) {
    return request(address, path);
  }

  /** A request of the port with this address, HOST:PORT. */
  static HttpRequest.Builder request(String address, String path) {
    return HttpRequest.newBuilder(URI.create("http://" + address + path))
        .timeout(Duration.ofSeconds(10));
  }

  /** A POST without a body, which may take long. */
  HttpRequest post(String path) {
    return HttpRequest.newBuilder(URI.create("http://" + address + path))
        .POST(BodyPublishers.noBody())
        .build();
  }

  HttpResponse<String> get(String path) throws Exception {
    return send(request(path).GET());
  }

  /** The answer to a POST without a body. */
  HttpResponse<String> posted(String path) throws Exception {
    return send(request(path).POST(BodyPublishers.noBody()));
  }

  HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return http.send(request.build(), BodyHandlers.ofString());
  }

  /** The body of an answer that is an object. */
  static JsonObject json(HttpResponse<String> answer) {
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/json");
    return new JsonObject(answer.body());
  }

  /** Sends bytes as they are; returns all that comes until the server closes the connection. */
  String raw(String bytes) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), number())) {
      socket.setSoTimeout(10_000);
      ByteArrayOutputStream answer = new ByteArrayOutputStream();
      try {
        socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
        socket.getInputStream().transferTo(answer);
      } catch (SocketException reset) {
        // closed before it had read all we sent: closed all the same
      }
      return answer.toString(StandardCharsets.UTF_8);
    }
  }
}
