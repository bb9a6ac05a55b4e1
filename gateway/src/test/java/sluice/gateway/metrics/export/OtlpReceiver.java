package sluice.gateway.metrics.export;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.metrics.v1.Metric;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A receiver of OTLP over HTTP that keeps what it gets. */
final class OtlpReceiver implements AutoCloseable {
  /** One request: the value of the header {@code Api-Key}, and the body. */
  record Push(String apiKey, ExportMetricsServiceRequest body) {
    Map<String, Metric> metrics() {
      Map<String, Metric> metrics = new HashMap<>();
      for (Metric metric : body.getResourceMetrics(0).getScopeMetrics(0).getMetricsList()) {
        if (metrics.put(metric.getName(), metric) != null) {
          throw new AssertionError("twice: " + metric.getName());
        }
      }
      return metrics;
    }
  }

  private final BlockingQueue<Push> pushes = new LinkedBlockingQueue<>();
  private final HttpServer http;
  private volatile int status = 200;
  private volatile boolean endless;

  OtlpReceiver() throws IOException {
    http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    http.createContext("/v1/metrics", this::take);
    http.createContext("/elsewhere", OtlpReceiver::greet);
    http.start();
  }

  private void take(HttpExchange exchange) throws IOException {
    pushes.add(
        new Push(
            exchange.getRequestHeaders().getFirst("Api-Key"),
            ExportMetricsServiceRequest.parseFrom(exchange.getRequestBody())));
    if (status / 100 == 3) {
      exchange.getResponseHeaders().set("Location", "/elsewhere");
    }
    exchange.sendResponseHeaders(status, endless ? 0 : -1);
    while (endless) { // until the sender disconnects
      exchange.getResponseBody().write(new byte[64 * 1024]);
    }
    exchange.close();
  }

  /** A page that responds to anything with 200. */
  private static void greet(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(200, -1);
    exchange.close();
  }

  URI url() {
    return URI.create(
        "http://127.0.0.1:" + http.getAddress().getPort() + "/v1/metrics?key=in-the-query");
  }

  /** From now on its responses do not end. */
  void respondsEndlessly() {
    endless = true;
  }

  /** How it responds from now on; with a redirect to a page that takes no metrics if it is 3xx. */
  void responds(int newStatus) {
    status = newStatus;
  }

  /** The next push, which is waited for. */
  Push next() throws InterruptedException {
    Push push = pushes.poll(60, TimeUnit.SECONDS);
    if (push == null) {
      throw new AssertionError("no push in a minute");
    }
    return push;
  }

  /** The pushes that nobody has taken yet. */
  List<Push> rest() {
    List<Push> rest = new ArrayList<>();
    pushes.drainTo(rest);
    return rest;
  }

  @Override
  public void close() {
    http.stop(0);
  }
}
