package sluice.codecs.ignite;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Packets of ignite-core 2.18.0: encoded by its parser, recorded from a node, written by it. */
public final class IgniteVectors {
  private static final String DIRECTORY = "/vectors/ignite/";
  private static final Map<String, Object> MANIFEST = read();

  private IgniteVectors() {}

  /** A response as the parser encoded it. */
  public record Encoded(
      String name, int opcode, int status, int opaque, String key, byte[] packet) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** What was sent to a node at once, and all that it sent back. */
  public record Step(String name, byte[] request, byte[] response, boolean closed) {
    @Override
    public String toString() {
      return name;
    }
  }

  /** All responses that the parser encoded. */
  public static List<Encoded> encoded() {
    return entries("encode", 32).stream()
        .map(
            e ->
                new Encoded(
                    (String) e.get("name"),
                    (int) e.get("opcode"),
                    (int) e.get("status"),
                    Integer.parseInt((String) e.get("opaqueHex"), 16),
                    (String) e.get("key"),
                    e.containsKey("hex") ? hex(e.get("hex")) : bytes((String) e.get("file"))))
        .toList();
  }

  /** All recorded steps whose request is given whole. */
  @SuppressWarnings("unchecked")
  public static List<Step> steps() {
    List<Step> all = new ArrayList<>();
    for (Map<String, Object> entry : entries("node", 47)) {
      for (Map<String, Object> step : (List<Map<String, Object>>) entry.get("steps")) {
        if (step.containsKey("requestHex")) {
          all.add(
              new Step(
                  entry.get("name") + " " + (all.size() + 1),
                  hex(step.get("requestHex")),
                  hex(step.get("responseHex")),
                  (boolean) step.get("closed")));
        }
      }
    }
    return all;
  }

  /** The fields of a message that DirectMessageWriter wrote, one of each kind. */
  public static byte[] primitives() {
    return hex(entries("direct", 3).get(0).get("hex"));
  }

  public static byte[] bytes(String file) {
    try (InputStream in = IgniteVectors.class.getResourceAsStream(DIRECTORY + file)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> entries(String kind, int expected) {
    List<Map<String, Object>> entries = (List<Map<String, Object>>) MANIFEST.get(kind);
    if (entries.size() != expected) {
      throw new IllegalStateException(entries.size() + " " + kind + ", expected " + expected);
    }
    return entries;
  }

  private static byte[] hex(Object text) {
    return ByteBufUtil.decodeHexDump((String) text);
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> read() {
    LoadSettings settings = LoadSettings.builder().setCodePointLimit(16 << 20).build();
    String json = new String(bytes("manifest.json"), UTF_8);
    return (Map<String, Object>) new Load(settings).loadFromString(json);
  }
}
