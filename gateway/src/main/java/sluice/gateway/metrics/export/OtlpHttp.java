package sluice.gateway.metrics.export;

import io.micrometer.core.ipc.http.HttpSender;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.gateway.time.Clocks;

/**
 * HTTP client that reads no more of a response than a log line needs. Micrometer's own reads it to
 * its end: a receiver that sends one without end would fill the heap, or stop all further pushes.
 *
 * <p>A redirect is an error. {@link HttpURLConnection} would follow it with a GET, without the
 * metrics, and any page there would count as their acceptance.
 */
final class OtlpHttp implements HttpSender {
  private static final int MOST_BYTES = 1024;

  private final int timeoutMillis;

  /**
   * @param timeoutMillis for connecting, for the beginning of the response, and for its body
   */
  OtlpHttp(int timeoutMillis) {
    this.timeoutMillis = timeoutMillis;
  }

  @Override
  public Response send(Request request) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) request.getUrl().openConnection();
    try {
      connection.setConnectTimeout(timeoutMillis);
      connection.setReadTimeout(timeoutMillis);
      connection.setRequestMethod(request.getMethod().name());
      request.getRequestHeaders().forEach(connection::setRequestProperty);
      connection.setInstanceFollowRedirects(false);
      connection.setDoOutput(true);
      try (OutputStream out = connection.getOutputStream()) {
        out.write(request.getEntity());
      }
      int status = connection.getResponseCode();
      return new Response(status, beginning(connection.getErrorStream()));
    } finally {
      connection.disconnect();
    }
  }

  /** The beginning of the body of an error; null for any other response. */
  private String beginning(@Nullable InputStream body) {
    if (body == null) {
      return Response.NO_RESPONSE_BODY;
    }
    byte[] read = new byte[MOST_BYTES];
    int length = 0;
    long began = Clocks.nanos();
    try {
      for (int n = body.read(read);
          n > 0 && Clocks.nanos() - began < TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
          n = body.read(read, length, read.length - length)) {
        length += n;
      }
    } catch (IOException e) {
      return Response.NO_RESPONSE_BODY; // the status says enough
    }
    return new String(read, 0, length, StandardCharsets.UTF_8);
  }
}
