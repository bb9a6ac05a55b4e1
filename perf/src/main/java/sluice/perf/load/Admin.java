package sluice.perf.load;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** The gateway's admin port. With what java.base has: the image's runtime has little more. */
final class Admin {
  private static final int CONNECT_MILLIS = 5_000;
  private static final int PATIENCE_MILLIS = 30_000;

  private final String base;

  /**
   * A profile.
   *
   * @param engine what took its samples
   */
  record Profile(byte[] recording, String engine) {}

  private record Answer(int status, byte[] body, String engine) {}

  Admin(InetSocketAddress address) {
    String host = address.getHostString();
    base = "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
  }

  boolean isLive() {
    try {
      return send("GET", "/live", CONNECT_MILLIS).status() == 200;
    } catch (IOException e) {
      return false; // not yet
    }
  }

  /** What a path answers. */
  String get(String path) throws IOException {
    return new String(ask("GET", path, PATIENCE_MILLIS).body(), StandardCharsets.UTF_8);
  }

  /** Records a profile for so long, as a JFR recording. */
  Profile profile(String event, long seconds) throws IOException {
    Answer answer =
        ask(
            "POST",
            "/profile?event=" + event + "&seconds=" + seconds + "&format=jfr",
            PATIENCE_MILLIS + (int) TimeUnit.SECONDS.toMillis(seconds));
    return new Profile(answer.body(), answer.engine() == null ? "unknown" : answer.engine());
  }

  private Answer ask(String method, String path, int patienceMillis) throws IOException {
    Answer answer = send(method, path, patienceMillis);
    if (answer.status() != 200) {
      String body = new String(answer.body(), StandardCharsets.UTF_8);
      throw new IOException("%s %s%s: %d %s".formatted(method, base, path, answer.status(), body));
    }
    return answer;
  }

  private Answer send(String method, String path, int patienceMillis) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) URI.create(base + path).toURL().openConnection();
    connection.setRequestMethod(method);
    connection.setConnectTimeout(CONNECT_MILLIS);
    connection.setReadTimeout(patienceMillis);
    if (method.equals("POST")) {
      connection.setDoOutput(true);
      connection.setFixedLengthStreamingMode(0);
      connection.getOutputStream().close();
    }
    int status = connection.getResponseCode();
    try (InputStream in =
        status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
      byte[] body = in == null ? new byte[0] : in.readAllBytes();
      return new Answer(status, body, connection.getHeaderField("Sluice-Profile-Engine"));
    }
  }

  @Override
  public String toString() {
    return base;
  }
}
