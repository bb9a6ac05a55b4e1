package sluice.gateway.admin;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The admin port of a {@link FakeView}, for the time of one test. */
final class AdminPort implements BeforeEachCallback, AfterEachCallback {
  private Vertx vertx;
  private String address;

  @Override
  public void beforeEach(ExtensionContext test) throws Exception {
    vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(2).setWorkerPoolSize(2));
    address =
        new AdminServer(vertx, new FakeView(), AdminServerTest.OPEN)
            .listen("127.0.0.1:0")
            .await(10, TimeUnit.SECONDS);
  }

  @Override
  public void afterEach(ExtensionContext test) throws Exception {
    vertx.close().await(10, TimeUnit.SECONDS);
  }

  /** HOST:PORT. */
  String address() {
    return address;
  }

  /** A POST without a body. */
  HttpRequest post(String path) {
    return HttpRequest.newBuilder(URI.create("http://" + address + path))
        .POST(BodyPublishers.noBody())
        .build();
  }
}
