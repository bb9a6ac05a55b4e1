package sluice.gateway.top;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.concurrent.TimeUnit;

/** Repeated display of an admin port's answers. Blocks; for the command line. */
public final class Top {
  private static final int TIMEOUT_MILLIS = 5_000;
  private static final int ONCE_MILLIS = 1_000;

  /** Moves to the top left and clears the screen: ECMA-48. */
  private static final String CLEAR = "\u001b[H\u001b[2J";

  private final String address;
  private final int everyMillis;

  /** Output of the screens. */
  public interface Terminal {
    /** Shows text; returns false if the output is closed. */
    boolean show(String text);
  }

  /**
   * @param address {@code host:port} of an admin port
   * @param everyMillis time between two screens
   */
  public Top(String address, int everyMillis) {
    this.address = address;
    this.everyMillis = everyMillis;
  }

  /**
   * One screen without control characters, with rates over one second.
   *
   * @throws IOException if the port does not answer as an admin port does
   */
  public String once() throws IOException, InterruptedException {
    Scrape before = scrape();
    TimeUnit.MILLISECONDS.sleep(ONCE_MILLIS);
    return screen(before, scrape(), false);
  }

  /**
   * Shows screens until the output is closed.
   *
   * @throws IOException if the port does not answer as an admin port does
   */
  public void live(Terminal terminal) throws IOException, InterruptedException {
    Scrape before;
    Scrape last = scrape();
    do {
      TimeUnit.MILLISECONDS.sleep(everyMillis);
      before = last;
      last = scrape();
    } while (terminal.show(CLEAR + screen(before, last, true)));
  }

  private String screen(Scrape before, Scrape last, boolean colours) throws IOException {
    return Screen.of(
        address,
        before,
        last,
        new JsonObject(get("/ready")),
        new JsonArray(get("/pools")),
        new JsonObject(get("/hot-keys")),
        colours);
  }

  private Scrape scrape() throws IOException {
    String text = get("/metrics");
    return new Scrape(text, System.nanoTime());
  }

  private String get(String path) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) URI.create("http://" + address + path).toURL().openConnection();
    connection.setConnectTimeout(TIMEOUT_MILLIS);
    connection.setReadTimeout(TIMEOUT_MILLIS);
    try (InputStream body =
        connection.getResponseCode() < 400
            ? connection.getInputStream()
            : connection.getErrorStream()) {
      return body == null ? "" : new String(body.readAllBytes(), UTF_8);
    } catch (IllegalArgumentException notHttp) {
      throw new IOException(notHttp.getMessage(), notHttp);
    }
  }
}
