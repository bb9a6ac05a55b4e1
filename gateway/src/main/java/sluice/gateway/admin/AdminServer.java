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
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.config.model.AdminConfig;
import sluice.gateway.net.Sockets;
import sluice.gateway.time.Clocks;
import sluice.gateway.tls.HttpTls;

/**
 * HTTP server of the admin port: HTTP/1.1, small requests without bodies, small answers.
 *
 * <p>It has limits because the port may face a pod network: {@value #MAX_REQUEST_LINE} bytes of
 * request line, {@value #MAX_HEADERS} of headers, {@value #MAX_BODY} of body. A connection may be
 * silent for {@value #IDLE_SECONDS} seconds. There may be {@value #MAX_CONNECTIONS} connections;
 * beyond that, the one with the oldest last request is closed. The bytes of answers that callers do
 * not read are {@linkplain UnsentAnswers limited}. A request that was sent behind another without
 * waiting is answered a moment later, so that others have their turn. Internal errors are logged
 * and answered with a bare 500.
 */
public final class AdminServer {
  private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);

  private static final int MAX_REQUEST_LINE = 4 * 1024;
  private static final int MAX_HEADERS = 8 * 1024;
  private static final int MAX_BODY = 4 * 1024;
  private static final int IDLE_SECONDS = 60;

  /** Time that the other work of the event loop has between two requests of one connection. */
  private static final int TURN_MILLIS = 1;

  /** For probes, a scraper or two, and people. */
  private static final int MAX_CONNECTIONS = 128;

  /** Share of the heap that answers may take whose callers do not read. */
  private static final int UNSENT_SHARE = 16;

  /** Connection of a caller, on the port's event loop. */
  private static final class Caller {
    private boolean wasAnswered;
    private long answeredAt; // in nanoseconds

    void answered() {
      wasAnswered = true;
      answeredAt = Clocks.nanos();
    }

    /** Whether it was answered so shortly ago that others come first. */
    boolean mustWait() {
      return wasAnswered
          && Clocks.nanos() - answeredAt < TimeUnit.MILLISECONDS.toNanos(TURN_MILLIS);
    }
  }

  private final Vertx vertx;
  private final HttpServer server;
  private final Access access;
  private final Endpoints endpoints;
  // The one that has asked longest ago is first. On the port's event loop.
  private final Map<HttpConnection, Caller> connections = new LinkedHashMap<>();
  private final UnsentAnswers unsent;

  /**
   * An admin port that is not bound yet.
   *
   * @param vertx not closed by this
   * @param view source of the answers
   * @param config its TLS and its users
   * @throws IllegalStateException if Java does not support the TLS settings
   */
  public AdminServer(Vertx vertx, AdminView view, AdminConfig config) {
    this(vertx, view, config, Callers::isLoopback);
  }

  AdminServer(
      Vertx vertx, AdminView view, AdminConfig config, Predicate<SocketAddress> isLoopback) {
    this(vertx, view, config, isLoopback, Runtime.getRuntime().maxMemory() / UNSENT_SHARE);
  }

  AdminServer(
      Vertx vertx,
      AdminView view,
      AdminConfig config,
      Predicate<SocketAddress> isLoopback,
      long mostUnsent) {
    this.vertx = vertx;
    unsent = new UnsentAnswers(mostUnsent);
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
            .setHttp2ClearTextEnabled(false)
            // Netty's handlers for it fail, at length, on requests that are sent without waiting.
            .setPerFrameWebSocketCompressionSupported(false)
            .setPerMessageWebSocketCompressionSupported(false);
    server =
        vertx
            .createHttpServer(config.tls().map(tls -> HttpTls.apply(tls, options)).orElse(options))
            .connectionHandler(this::count)
            .requestHandler(this::handle)
            .invalidRequestHandler(this::refuse);
  }

  /**
   * Binds the port.
   *
   * @param bind {@code host:port} or {@code [IPv6 address]:port}; port 0 for any free one
   * @return the bound address in the same form, with the real port; fails with a description if it
   *     is invalid or cannot be bound
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
   * Changes the certificate, the authorities and the users. The address stays, and whether TLS is
   * used at all.
   *
   * @return fails if the certificate cannot be used; then the previous one stays
   */
  public Future<Void> follow(AdminConfig config) {
    access.follow(config.auth());
    if (config.tls().isEmpty()) {
      return Future.succeededFuture();
    }
    try {
      // forced: Vert.x cannot tell whether settings that do not come from files are new
      return server.updateSSLOptions(HttpTls.options(config.tls().get()), true).mapEmpty();
    } catch (IllegalStateException e) {
      return Future.failedFuture(e);
    }
  }

  /** Stops listening; requests in progress may finish within a second. */
  public Future<Void> close() {
    return server.shutdown(1, TimeUnit.SECONDS);
  }

  private void count(HttpConnection connection) {
    connections.put(connection, new Caller());
    connection.closeHandler(unused -> connections.remove(connection));
    if (connections.size() > MAX_CONNECTIONS) {
      HttpConnection first = connections.keySet().iterator().next();
      connections.remove(first);
      Sockets.abort(first); // a probe must find room, or the container is restarted
    }
  }

  /** Notes that a caller asks; null if its connection is being closed. */
  private @Nullable Caller hasAsked(HttpConnection connection) {
    Caller caller = connections.remove(connection);
    if (caller != null) {
      connections.put(connection, caller);
    }
    return caller;
  }

  private void handle(HttpServerRequest request) {
    Caller caller = hasAsked(request.connection());
    if (declaresTooMuch(request)) {
      sendAndClose(request, Answer.error(413, "body of more than " + MAX_BODY + " bytes"));
      return;
    }
    dropBody(request);
    if (caller != null && caller.mustWait()) {
      vertx.setTimer(TURN_MILLIS, id -> answer(request));
    } else {
      answer(request);
    }
  }

  private void answer(HttpServerRequest request) {
    if (!isEncoded(request)) {
      send(request, Answer.error(400, "the query is not correctly percent-encoded"));
      return;
    }
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
              return Answer.error(500, "internal error; the log has the details");
            })
        .onSuccess(given -> send(request, given));
  }

  /**
   * Answers input that is not HTTP or exceeds a limit. The connection closes, because the start of
   * the next request is unknown.
   */
  private void refuse(HttpServerRequest request) {
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

  private static boolean isEncoded(HttpServerRequest request) {
    try {
      request.params();
      return true;
    } catch (IllegalArgumentException malformed) {
      return false;
    }
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

  /**
   * Drops the body, which no path needs. A small one is skipped; one that does not end closes its
   * connection.
   */
  private static void dropBody(HttpServerRequest request) {
    int[] length = {0};
    request.handler(
        chunk -> {
          length[0] += chunk.length();
          if (length[0] > MAX_BODY) {
            Sockets.abort(request.connection());
          }
        });
  }

  private void sendAndClose(HttpServerRequest request, Answer answer) {
    request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    send(request, answer).onComplete(unused -> request.connection().close());
  }

  private Future<Void> send(HttpServerRequest request, Answer answer) {
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
    Caller caller = connections.get(request.connection());
    if (caller != null) {
      caller.answered(); // first: the end of the response may begin the next request
    }
    if (HttpMethod.HEAD.equals(request.method())) {
      return response.end();
    }
    Future<Void> sent = response.end(body);
    unsent.add(request.connection(), body.length(), sent);
    return sent;
  }
}
