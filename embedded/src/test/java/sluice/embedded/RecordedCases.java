package sluice.embedded;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** The byte streams recorded from memcached servers (vectors/memcached/manifest.json). */
final class RecordedCases {
  private static final String FOLDER = "/vectors/memcached/";

  private RecordedCases() {}

  /** One recorded conversation: requests sent before, and steps with their replies by 1.6.45. */
  record Case(
      String name,
      String protocol,
      String profile,
      boolean isVolatile,
      List<String> setup,
      int delayAfterSetupMillis,
      List<Step> steps) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** One request, or several, and the reply, a char a byte. */
  record Step(String request, String reply, boolean closed, int delayBeforeMillis) {}

  static List<Case> all() {
    JsonArray cases =
        new JsonObject(new String(read("manifest.json"), StandardCharsets.UTF_8))
            .getJsonArray("cases");
    List<Case> all = new ArrayList<>();
    for (int i = 0; i < cases.size(); i++) {
      all.add(readCase(cases.getJsonObject(i)));
    }
    return all;
  }

  private static Case readCase(JsonObject json) {
    List<String> setup = new ArrayList<>();
    for (Object request : json.getJsonArray("setup", new JsonArray())) {
      setup.add(request((JsonObject) request));
    }
    List<Step> steps = new ArrayList<>();
    for (Object step : json.getJsonArray("steps")) {
      steps.add(readStep((JsonObject) step));
    }
    return new Case(
        json.getString("name"),
        json.getString("protocol"),
        json.getString("profile", "default"),
        json.getBoolean("volatile", false),
        setup,
        json.getInteger("delayAfterSetupMs", 0),
        steps);
  }

  private static Step readStep(JsonObject json) {
    JsonObject responses = json.getJsonObject("response");
    JsonObject response = responses.getJsonObject("1.6.45", responses.getJsonObject("both"));
    String reply =
        response.containsKey("file")
            ? text(read(response.getString("file")))
            : text(HexFormat.of().parseHex(response.getString("hex")));
    return new Step(
        request(json),
        reply,
        response.getBoolean("closed", false),
        json.getInteger("delayBeforeMs", 0));
  }

  private static String request(JsonObject json) {
    if (json.containsKey("requestHex")) {
      return text(HexFormat.of().parseHex(json.getString("requestHex")));
    }
    StringBuilder request = new StringBuilder();
    for (Object element : json.getJsonArray("requestParts")) {
      JsonObject part = (JsonObject) element;
      String hex = part.getString("hex", part.getString("repeatHex", ""));
      request.append(text(HexFormat.of().parseHex(hex)).repeat(part.getInteger("count", 1)));
    }
    return request.toString();
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static byte[] read(String file) {
    try (InputStream in = RecordedCases.class.getResourceAsStream(FOLDER + file)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
