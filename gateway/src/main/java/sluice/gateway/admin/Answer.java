package sluice.gateway.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Answer of the admin port.
 *
 * @param status the HTTP status code
 * @param contentType of the body
 * @param body all of it; not copied
 * @param headers in addition to those of every answer
 */
record Answer(int status, String contentType, byte[] body, Map<String, String> headers) {
  private static final String JSON = "application/json";
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

  /** The media type of RFC 9512. */
  private static final String YAML = "application/yaml";

  private Answer(int status, String contentType, String text) {
    this(status, contentType, text.getBytes(UTF_8), Map.of());
  }

  static Answer json(int status, JsonObject body) {
    return new Answer(status, JSON, body.encodePrettily() + "\n");
  }

  /** JSON on one line, for answers with many numbers. */
  static Answer compactJson(JsonObject body) {
    return new Answer(200, JSON, body.encode() + "\n");
  }

  static Answer json(int status, JsonArray body) {
    return new Answer(status, JSON, body.encodePrettily() + "\n");
  }

  static Answer error(int status, @Nullable String message) {
    return json(status, StateJson.error(message));
  }

  static Answer prometheus(String text) {
    return new Answer(200, PROMETHEUS, text);
  }

  static Answer yaml(String text) {
    return new Answer(200, YAML, text);
  }
}
