package sluice.load;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.config.model.Address;
import sluice.config.model.Credentials;

/**
 * Client of the gateway's admin port. It uses only java.base, because the image's runtime has few
 * other modules. It sends a login only for profiles, which require one.
 */
final class Admin {
  private static final int CONNECT_MILLIS = 5_000;
  private static final int TIMEOUT_MILLIS = 30_000;

  private final String base;
  private final Optional<Credentials> login;

  /**
   * A profile.
   *
   * @param engine the profiler that took its samples
   */
  record Profile(byte[] recording, String engine) {}

  private record Answer(int status, byte[] body, @Nullable String engine) {}

  /**
   * A client for an address, whose host is resolved for each request.
   *
   * @param login for taking profiles
   */
  Admin(Address.Tcp address, Optional<Credentials> login) {
    String host = address.host();
    base = "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + address.port();
    this.login = login;
  }

  boolean isLive() {
    try {
      return send("GET", "/live", CONNECT_MILLIS).status() == 200;
    } catch (IOException e) {
      return false; // not listening yet
    }
  }

  /** The response to a GET of a path. */
  String get(String path) throws IOException {
    return new String(ask("GET", path, TIMEOUT_MILLIS).body(), StandardCharsets.UTF_8);
  }

  /**
   * Fails if this gateway refuses profiles to this client. It requests a profile of zero seconds: a
   * permitted client gets the reply that this is invalid, any other client that it is forbidden.
   */
  void checkLogin() throws IOException {
    Answer answer = send("POST", profilePath("cpu", 0), TIMEOUT_MILLIS);
    if (answer.status() == 401) {
      throw new IOException(
          login
              .map(l -> base + " accepts no profiles for " + l.user() + " with this password (401)")
              .orElse(
                  base
                      + " accepts profiles from its own machine or with a login (401): gateway.user"
                      + " and gateway.passwordFile of the plan"));
    }
    if (answer.status() == 403) {
      throw new IOException(
          base + " accepts profiles from its own machine alone (403): it has no admin.auth");
    }
    if (answer.status() != 400) {
      throw failed("POST", "/profile", answer);
    }
  }

  private static String profilePath(String event, long seconds) {
    return "/profile?event=" + event + "&seconds=" + seconds + "&format=jfr";
  }

  /** Records a profile for a number of seconds, as a JFR recording. */
  Profile profile(String event, long seconds) throws IOException {
    Answer answer =
        ask(
            "POST",
            profilePath(event, seconds),
            TIMEOUT_MILLIS + (int) TimeUnit.SECONDS.toMillis(seconds));
    return new Profile(answer.body(), answer.engine() == null ? "unknown" : answer.engine());
  }

  private Answer ask(String method, String path, int timeoutMillis) throws IOException {
    Answer answer = send(method, path, timeoutMillis);
    if (answer.status() != 200) {
      throw failed(method, path, answer);
    }
    return answer;
  }

  private IOException failed(String method, String path, Answer answer) {
    String body = new String(answer.body(), StandardCharsets.UTF_8);
    return new IOException("%s %s%s: %d %s".formatted(method, base, path, answer.status(), body));
  }

  private Answer send(String method, String path, int timeoutMillis) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) URI.create(base + path).toURL().openConnection();
    connection.setRequestMethod(method);
    connection.setConnectTimeout(CONNECT_MILLIS);
    connection.setReadTimeout(timeoutMillis);
    if (method.equals("POST")) {
      login.ifPresent(l -> connection.setRequestProperty("Authorization", basic(l)));
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

  private static String basic(Credentials login) {
    byte[] both = (login.user() + ":" + login.password()).getBytes(StandardCharsets.UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(both);
  }

  @Override
  public String toString() {
    return base;
  }
}
