package sluice.gateway.suite;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import sluice.gateway.process.Gateway;

/**
 * The admin ports of gateways, asked by one HTTP client: one for each question would keep its
 * connection, and a port has no more than 128.
 */
public final class Admin {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private Admin() {}

  /** The body of what a GET is answered, whatever its status. */
  public static String get(Gateway gateway, String path) {
    return ask(gateway, path).body();
  }

  /** What a GET is answered. */
  public static HttpResponse<String> ask(Gateway gateway, String path) {
    return ask(gateway, path, HttpRequest.newBuilder());
  }

  /** What a POST without a body is answered. */
  public static HttpResponse<String> post(Gateway gateway, String path) {
    return ask(gateway, path, HttpRequest.newBuilder().POST(HttpRequest.BodyPublishers.noBody()));
  }

  /** What a request is answered that has everything but its address. */
  public static HttpResponse<String> ask(
      Gateway gateway, String path, HttpRequest.Builder request) {
    URI uri = URI.create("http://" + gateway.adminAddress() + path);
    try {
      return HTTP.send(request.uri(uri).build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UncheckedIOException(new InterruptedIOException(uri.toString()));
    }
  }
}
