package sluice.gateway.admin;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.config.model.AdminConfig;
import sluice.gateway.tls.HttpTls;

/**
 * The admin port's HTTP server: HTTP/1.1, small requests without bodies, small answers.
 *
 * <p>Its limits are there because the port may face a pod network: a request line of {@value
 * #MAX_REQUEST_LINE} bytes, {@value #MAX_HEADERS} bytes of headers, {@value #MAX_BODY} bytes of
 * body, {@value #IDLE_SECONDS} seconds of silence, {@value #MAX_CONNECTIONS} connections. What goes
 * wrong inside is logged and answered with a bare 500.
 */
public final class AdminServer {
  private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);

  private static final int MAX_REQUEST_LINE = 4 * 1024;
  private static final int MAX_HEADERS = 8 * 1024;
  private static final int MAX_BODY = 4 * 1024;
  private static final int IDLE_SECONDS = 60;

  /** Probes, a scraper or two, and people. */
  private static final int MAX_CONNECTIONS = 128;

  private final HttpServer server;
  private final Access access;
  private final Endpoints endpoints;
  private final AtomicInteger connections = new AtomicInteger();

  /**
   * An admin port that is not bound yet.
   *
   * @param vertx not closed by this
   * @param view what is told
   * @param config its TLS and who may log in
   * @throws IllegalStateException if Java cannot do what is asked of its TLS
   */
  public AdminServer(Vertx vertx, AdminView view, AdminConfig config) {
    this(vertx, view, config, Callers::isLoopback);
  }

  AdminServer(
      Vertx vertx, AdminView view, AdminConfig config, Predicate<SocketAddress> isLoopback) {
    access = new Access(isLoopback);
    access.follow(config.auth());
    endpoints = new Endpoints(vertx, view, access);
    HttpServerOptions options =
        new HttpServerOptions()
            .setMaxInitialLineLength(MAX_REQUEST_LINE)
            .setMaxHeaderSize(MAX_HEADERS)
            .setMaxChunkSize(MAX_BODY)
            .setIdleTimeout(IDLE_SECONDS)
            .setIdleTimeoutUnit(TimeUnit.SECONDS)
            .setHttp2ClearTextEnabled(false);
    server =
        vertx
            .createHttpServer(config.tls().map(tls -> HttpTls.apply(tls, options)).orElse(options))
            .connectionHandler(this::count)
            .requestHandler(this::handle)
            .invalidRequestHandler(AdminServer::refuse);
  }

  /**
   * Binds the port.
   *
   * @param bind {@code host:port} or {@code [IPv6 address]:port}; port 0 for any free one
   * @return what it is bound to, in the same form and with the real port; fails with what went
   *     wrong: not an address, or one that cannot be bound
   */
  public Future<String> listen(String bind) {
    SocketAddress address;
    try {
      address = BindAddress.parse(bind);
    } catch (IllegalArgumentException notAnAddress) {
      return Future.failedFuture(notAnAddress);
    }
    return server
        .listen(address)
        .map(bound -> BindAddress.format(address.host(), bound.actualPort()));
  }

  /**
   * Shows another certificate, trusts other authorities and knows other users from now on. Whether
   * TLS is spoken at all stays, as does the address.
   *
   * @return fails if the certificate cannot be shown: then the one before is
   */
  public Future<Void> follow(AdminConfig config) {
    access.follow(config.auth());
    if (config.tls().isEmpty()) {
      return Future.succeededFuture();
    }
    try {
      // forced: of what is not read from files Vert.x cannot tell whether it is new
      return server.updateSSLOptions(HttpTls.options(config.tls().get()), true).mapEmpty();
    } catch (IllegalStateException e) {
      return Future.failedFuture(e);
    }
  }

  /** Stops listening; answers under way may finish within a second. */
  public Future<Void> close() {
    return server.shutdown(1, TimeUnit.SECONDS);
  }

  private void count(HttpConnection connection) {
    connection.closeHandler(unused -> connections.decrementAndGet());
    if (connections.incrementAndGet() > MAX_CONNECTIONS) {
      connection.close();
    }
  }

  private void handle(HttpServerRequest request) {
    if (declaresTooMuch(request)) {
      sendAndClose(request, Answer.error(413, "body of more than " + MAX_BODY + " bytes"));
      return;
    }
    dropBody(request);
    Future<Answer> answer;
    try {
      answer = endpoints.answer(request);
    } catch (RuntimeException bug) {
      answer = Future.failedFuture(bug);
    }
    answer
        .otherwise(
            cause -> {
              LOG.error("{} {} failed", request.method(), request.path(), cause);
              return Answer.error(500, "internal error; the log says more");
            })
        .onSuccess(given -> send(request, given));
  }

  /**
   * What is not HTTP, or too much of it. The connection closes: where the next request would start
   * is unknown.
   */
  private static void refuse(HttpServerRequest request) {
    Throwable cause = request.decoderResult().cause();
    Answer answer;
    if (cause instanceof TooLongHttpLineException) {
      answer = Answer.error(414, "request line of more than " + MAX_REQUEST_LINE + " bytes");
    } else if (cause instanceof TooLongHttpHeaderException) {
      answer = Answer.error(431, "headers of more than " + MAX_HEADERS + " bytes");
    } else {
      answer = Answer.error(400, "not a valid HTTP request");
    }
    sendAndClose(request, answer);
  }

  private static boolean declaresTooMuch(HttpServerRequest request) {
    String declared = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    if (declared == null) {
      return false;
    }
    try {
      return Long.parseLong(declared) > MAX_BODY;
    } catch (NumberFormatException tooManyDigits) {
      return true;
    }
  }

  /** No path wants a body. A small one is read over; one that does not end, ends its connection. */
  private static void dropBody(HttpServerRequest request) {
    int[] length = {0};
    request.handler(
        chunk -> {
          length[0] += chunk.length();
          if (length[0] > MAX_BODY) {
            request.connection().close();
          }
        });
  }

  private static void sendAndClose(HttpServerRequest request, Answer answer) {
    request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    send(request, answer).onComplete(unused -> request.connection().close());
  }

  private static Future<Void> send(HttpServerRequest request, Answer answer) {
    HttpServerResponse response = request.response();
    if (response.ended() || response.closed()) {
      return Future.succeededFuture();
    }
    Buffer body = Buffer.buffer(answer.body());
    response
        .setStatusCode(answer.status())
        .putHeader("Content-Type", answer.contentType())
        .putHeader("Content-Length", Integer.toString(body.length()))
        .putHeader("Cache-Control", "no-store")
        .putHeader("X-Content-Type-Options", "nosniff");
    answer.headers().forEach(response::putHeader);
    return HttpMethod.HEAD.equals(request.method()) ? response.end() : response.end(body);
  }
}
