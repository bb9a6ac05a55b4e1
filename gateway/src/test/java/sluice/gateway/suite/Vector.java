package sluice.gateway.suite;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * One recorded case of {@code vectors/memcached/manifest.json}: requests that prepare the server,
 * each sent on a connection of its own, and then the steps on one connection.
 *
 * @param profile the server's arguments, by name
 * @param isVolatile whether the replies hold times, ports, pids or the outcome of a race
 */
public record Vector(
    String name,
    String protocol,
    String profile,
    boolean isVolatile,
    int delayAfterSetupMillis,
    List<byte[]> setup,
    List<Step> steps) {

  /**
   * One request and what comes back for it.
   *
   * @param writes the request, cut as it was cut when it was recorded
   * @param replies by server version
   */
  public record Step(List<byte[]> writes, int delayBeforeMillis, Map<String, Reply> replies) {}

  /** All bytes until the connection was idle or closed, and whether the server closed it. */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares replies by equals
  public record Reply(byte[] bytes, boolean closed) {}

  private static final String DIRECTORY = "/vectors/memcached/";
  private static final HexFormat HEX = HexFormat.of();

  /** The recorded cases and the arguments of the servers they were recorded on. */
  public record Manifest(List<Vector> vectors, Map<String, List<String>> profiles) {

    /** Reads the manifest of the test resources. */
    public static Manifest read() {
      byte[] json = resource("manifest.json");
      JsonObject manifest = new JsonObject(new String(json, StandardCharsets.UTF_8));
      Map<String, List<String>> profiles = new HashMap<>();
      JsonObject written = manifest.getJsonObject("profiles");
      for (String name : written.fieldNames()) {
        profiles.put(name, strings(written.getJsonObject(name).getJsonArray("args")));
      }
      List<Vector> vectors =
          objects(manifest.getJsonArray("cases")).stream().map(Vector::of).toList();
      if (vectors.size() != manifest.getInteger("count")) {
        throw new IllegalStateException("the manifest holds " + vectors.size() + " cases");
      }
      return new Manifest(vectors, profiles);
    }
  }

  @Override
  public String toString() {
    return name;
  }

  private static Vector of(JsonObject written) {
    return new Vector(
        written.getString("name"),
        written.getString("protocol"),
        written.getString("profile", "default"),
        written.getBoolean("volatile", false),
        written.getInteger("delayAfterSetupMs", 0),
        objects(written.getJsonArray("setup")).stream().map(Vector::request).toList(),
        objects(written.getJsonArray("steps")).stream().map(Vector::step).toList());
  }

  private static Step step(JsonObject written) {
    Map<String, Reply> replies = new HashMap<>();
    JsonObject response = written.getJsonObject("response");
    for (String version : response.fieldNames()) {
      Reply reply = reply(response.getJsonObject(version));
      for (String each : version.equals("both") ? List.of("1.6.18", "1.6.45") : List.of(version)) {
        replies.put(each, reply);
      }
    }
    return new Step(
        cut(request(written), written.getValue("chunking")),
        written.getInteger("delayBeforeMs", 0),
        replies);
  }

  private static Reply reply(JsonObject written) {
    byte[] bytes =
        written.containsKey("file")
            ? resource(written.getString("file"))
            : HEX.parseHex(written.getString("hex"));
    return new Reply(bytes, written.getBoolean("closed", false));
  }

  private static byte[] request(JsonObject written) {
    if (written.containsKey("requestHex")) {
      return HEX.parseHex(written.getString("requestHex"));
    }
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    for (JsonObject part : objects(written.getJsonArray("requestParts"))) {
      if (part.containsKey("hex")) {
        request.writeBytes(HEX.parseHex(part.getString("hex")));
      } else {
        byte[] repeated = HEX.parseHex(part.getString("repeatHex"));
        IntStream.range(0, part.getInteger("count")).forEach(i -> request.writeBytes(repeated));
      }
    }
    return request.toByteArray();
  }

  // "one byte per write", or the lengths of the first writes; what is left is one more.
  private static List<byte[]> cut(byte[] request, Object chunking) {
    int[] lengths = new int[0];
    if (chunking instanceof JsonArray array) {
      lengths = array.stream().mapToInt(each -> (Integer) each).toArray();
    } else if (chunking != null) {
      lengths = IntStream.range(0, request.length).map(i -> 1).toArray();
    }
    List<byte[]> writes = new ArrayList<>();
    int from = 0;
    for (int length : lengths) {
      int to = Math.min(from + length, request.length);
      writes.add(Arrays.copyOfRange(request, from, to));
      from = to;
    }
    if (from < request.length) {
      writes.add(Arrays.copyOfRange(request, from, request.length));
    }
    return writes;
  }

  private static List<String> strings(JsonArray array) {
    return array.stream().map(String.class::cast).toList();
  }

  private static List<JsonObject> objects(JsonArray array) {
    return array == null
        ? List.of()
        : IntStream.range(0, array.size()).mapToObj(array::getJsonObject).toList();
  }

  /** A file of the vectors' directory. */
  static byte[] resource(String name) {
    try (InputStream in = Vector.class.getResourceAsStream(DIRECTORY + name)) {
      if (in == null) {
        throw new IllegalStateException("the test resources have no " + DIRECTORY + name);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
