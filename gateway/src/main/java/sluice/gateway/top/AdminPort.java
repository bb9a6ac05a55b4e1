package sluice.gateway.top;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.SocketException;
import java.net.URI;
import java.net.UnknownHostException;

/** Reader of an admin port's answers. Blocks. */
final class AdminPort {
  private static final int CONNECT_MILLIS = 5_000;

  /** Long, as a gateway on a busy machine is what one looks at. */
  private static final int ANSWER_MILLIS = 30_000;

  private static final String OTHER_SERVER = "an HTTP server that is no gateway";

  private final String address;

  /**
   * @param address {@code host:port}
   */
  AdminPort(String address) {
    this.address = address;
  }

  String address() {
    return address;
  }

  /** Every answer that a screen needs, at one moment. */
  record Answers(Scrape metrics, JsonObject ready, JsonArray pools, JsonObject hotKeys) {}

  /**
   * Asks for everything.
   *
   * @throws IOException if the port does not answer as an admin port does
   */
  Answers answers() throws IOException {
    return answers(scrape());
  }

  /** Asks for everything but the metrics. */
  Answers answers(Scrape metrics) throws IOException {
    try {
      JsonObject ready = new JsonObject(get("/ready"));
      if (!(ready.getValue("ready") instanceof Boolean)) {
        throw new OtherPortException(OTHER_SERVER);
      }
      return new Answers(
          metrics, ready, new JsonArray(get("/pools")), new JsonObject(get("/hot-keys")));
    } catch (DecodeException notJson) {
      throw new OtherPortException(OTHER_SERVER);
    }
  }

  /** The metrics alone. */
  Scrape scrape() throws IOException {
    String text = get("/metrics");
    try {
      return new Scrape(text, System.nanoTime());
    } catch (NumberFormatException notMetrics) {
      throw new OtherPortException(OTHER_SERVER);
    }
  }

  private String get(String path) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) URI.create("http://" + address + path).toURL().openConnection();
    connection.setConnectTimeout(CONNECT_MILLIS);
    connection.setReadTimeout(ANSWER_MILLIS);
    int status;
    try {
      status = connection.getResponseCode();
    } catch (SocketException closed) {
      throw OtherPort.memcached(address).<IOException>map(OtherPortException::new).orElse(closed);
    }
    if (status < 0) {
      connection.disconnect(); // its answer may not end
      throw new OtherPortException(
          OtherPort.memcached(address).orElse("a port that does not speak HTTP"));
    }
    try (InputStream body =
        status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
      return body == null ? "" : new String(body.readAllBytes(), UTF_8);
    } catch (IllegalArgumentException notHttp) {
      throw new IOException(notHttp.getMessage(), notHttp);
    } catch (UnknownHostException unknown) {
      throw new IOException("the host name does not resolve", unknown); // its message is the name
    }
  }
}
