package sluice.gateway.page;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A headless Chromium, driven through chromedriver by W3C WebDriver's commands: a handful of HTTP
 * requests, for which no library is needed.
 */
final class Browser implements AutoCloseable {
  private static final Pattern PORT = Pattern.compile("started successfully on port ([0-9]+)");
  private static final int STARTS = 10;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Process driver;
  private final String base;
  private final String session;

  private Browser(Process driver, int port) throws IOException, InterruptedException {
    this.driver = driver;
    base = "http://127.0.0.1:" + port;
    JsonObject options =
        new JsonObject()
            .put(
                "args",
                new JsonArray()
                    .add("--headless=new")
                    .add("--no-sandbox") // root runs the tests in containers
                    .add("--disable-dev-shm-usage")
                    .add("--disable-gpu")
                    .add("--disable-background-networking"));
    JsonObject wanted =
        new JsonObject()
            .put("goog:chromeOptions", options)
            .put("goog:loggingPrefs", new JsonObject().put("browser", "ALL"));
    session =
        ((JsonObject)
                call(
                    "/session",
                    new JsonObject()
                        .put("capabilities", new JsonObject().put("alwaysMatch", wanted))))
            .getString("sessionId");
  }

  /**
   * Starts one. chromedriver lets the kernel choose a port for IPv6 and then binds the same port
   * for IPv4, which another test's connection may have by then. It ends in that case, so this
   * method starts it again.
   */
  static Browser start() throws IOException, InterruptedException {
    StringBuilder output = new StringBuilder();
    for (int start = 0; start < STARTS; start++) {
      Process driver =
          new ProcessBuilder("chromedriver", "--port=0").redirectErrorStream(true).start();
      OptionalInt port = port(driver, output);
      if (port.isPresent()) {
        return new Browser(driver, port.getAsInt());
      }
      driver.waitFor();
    }
    throw new IOException(
        "chromedriver did not start in " + STARTS + " attempts. Its output:\n" + output);
  }

  /** The port that chromedriver reports, or nothing if it ends without one. */
  private static OptionalInt port(Process driver, StringBuilder output) throws IOException {
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(driver.getInputStream(), StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      output.append(line).append('\n');
      Matcher port = PORT.matcher(line);
      if (port.find()) {
        Thread rest = new Thread(() -> lines.lines().forEach(unused -> {}), "chromedriver");
        rest.setDaemon(true);
        rest.start();
        return OptionalInt.of(Integer.parseInt(port.group(1)));
      }
    }
    return OptionalInt.empty();
  }

  private Object call(String path, JsonObject body) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(LIMIT)
            .POST(BodyPublishers.ofString(body.encode()))
            .build();
    Object value =
        new JsonObject(http.send(request, BodyHandlers.ofString()).body()).getValue("value");
    if (value instanceof JsonObject object && object.containsKey("error")) {
      throw new IOException(path + ": " + object.getString("message"));
    }
    return value;
  }

  private Object command(String name, JsonObject body) throws IOException, InterruptedException {
    return call("/session/" + session + "/" + name, body);
  }

  void open(String url) throws IOException, InterruptedException {
    command("url", new JsonObject().put("url", url));
  }

  /** What the body of a function returns, as JSON has it. */
  Object script(String body) throws IOException, InterruptedException {
    return command(
        "execute/sync", new JsonObject().put("script", body).put("args", new JsonArray()));
  }

  private String element(String selector) throws IOException, InterruptedException {
    JsonObject found =
        (JsonObject)
            command(
                "element", new JsonObject().put("using", "css selector").put("value", selector));
    return found.getString(found.fieldNames().iterator().next());
  }

  /** As a mouse would: fails if something else covers it. */
  void click(String selector) throws IOException, InterruptedException {
    command("element/" + element(selector) + "/click", new JsonObject());
  }

  /** Replaces what a field has. */
  void type(String selector, String text) throws IOException, InterruptedException {
    String field = element(selector);
    command("element/" + field + "/clear", new JsonObject());
    command("element/" + field + "/value", new JsonObject().put("text", text));
  }

  /** What follows happens inside a frame; null for the page itself. */
  void enter(String selector) throws IOException, InterruptedException {
    JsonObject body = new JsonObject();
    if (selector == null) {
      body.putNull("id");
    } else {
      body.put(
          "id", new JsonObject().put("element-6066-11e4-a52e-4f735466cecf", element(selector)));
    }
    command("frame", body);
  }

  /** Waits until the expression is true. */
  void await(String expression) throws IOException, InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!Boolean.TRUE.equals(script("return Boolean(" + expression + ")"))) {
      if (System.nanoTime() - end > 0) {
        throw new IOException("waited in vain for " + expression + "; console: " + console());
      }
    }
  }

  /** How wide and high the window is, and which colours its user prefers. */
  void look(int width, int height, String scheme) throws IOException, InterruptedException {
    devTools(
        "Emulation.setDeviceMetricsOverride",
        new JsonObject()
            .put("width", width)
            .put("height", height)
            .put("deviceScaleFactor", 1)
            .put("mobile", width < 700));
    devTools(
        "Emulation.setEmulatedMedia",
        new JsonObject()
            .put(
                "features",
                new JsonArray()
                    .add(
                        new JsonObject()
                            .put("name", "prefers-color-scheme")
                            .put("value", scheme))));
  }

  private Object devTools(String name, JsonObject parameters)
      throws IOException, InterruptedException {
    return command("goog/cdp/execute", new JsonObject().put("cmd", name).put("params", parameters));
  }

  /** A picture of the whole page, also of what does not fit into the window. */
  void picture(Path file) throws IOException, InterruptedException {
    JsonObject shot =
        (JsonObject)
            devTools(
                "Page.captureScreenshot",
                new JsonObject().put("format", "png").put("captureBeyondViewport", true));
    Files.createDirectories(file.getParent());
    Files.write(file, Base64.getDecoder().decode(shot.getString("data")));
  }

  /** Warnings and errors that were written to the console since it was last asked. */
  List<String> console() throws IOException, InterruptedException {
    List<String> lines = new ArrayList<>();
    for (Object entry : (JsonArray) command("se/log", new JsonObject().put("type", "browser"))) {
      JsonObject line = (JsonObject) entry;
      if (line.getString("level").matches("SEVERE|WARNING")) {
        lines.add(line.getString("level") + " " + line.getString("message"));
      }
    }
    return lines;
  }

  @Override
  public void close() {
    driver.descendants().forEach(ProcessHandle::destroyForcibly);
    driver.destroyForcibly();
  }
}
