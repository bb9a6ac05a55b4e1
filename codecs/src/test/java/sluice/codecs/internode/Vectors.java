package sluice.codecs.internode;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Streams of real nodes, for the tests of all modules, and what Cassandra's own decoders found in
 * them.
 */
public final class Vectors {
  private static final String DIRECTORY = "/vectors/internode/";

  public static final List<Vector> ALL = read();

  private Vectors() {}

  /** One entry of the manifest. */
  public record Vector(Map<String, Object> entry) {
    public String file() {
      return (String) entry.get("file");
    }

    public byte[] bytes() {
      return Vectors.bytes(file());
    }

    public int version() {
      return entry.get("version") instanceof Integer version ? version : 0;
    }

    public boolean isOf(String kind) {
      return kind.equals(entry.get("kind"));
    }

    public boolean hasFrames() {
      return oracle().containsKey("frameList") && !oracle().containsKey("streamingBytes");
    }

    public Framing framing() {
      return Framing.valueOf((String) entry.get("framing"));
    }

    public String connectionType() {
      return (String) entry.get("connectionType");
    }

    @SuppressWarnings("unchecked")
    public Map<String, Object> oracle() {
      return entry.get("oracle") instanceof Map<?, ?> map ? (Map<String, Object>) map : Map.of();
    }

    @SuppressWarnings("unchecked")
    public Map<String, Object> initiate() {
      return oracle().get("initiate") instanceof Map<?, ?> map
          ? (Map<String, Object>) map
          : Map.of();
    }

    @SuppressWarnings("unchecked")
    public Map<String, Object> reply() {
      return (Map<String, Object>) entry.get("reply");
    }

    /** Plain bytes and whether it is self-contained, of each frame that is intact. */
    @SuppressWarnings("unchecked")
    public List<List<Object>> frames() {
      return (List<List<Object>>) oracle().get("frameList");
    }

    @SuppressWarnings("unchecked")
    public List<List<Object>> messages() {
      return (List<List<Object>>) oracle().get("messageList");
    }

    @Override
    public String toString() {
      return file();
    }
  }

  /** Whole streams with frames, all of them intact. */
  public static List<Vector> intact() {
    return ALL.stream().filter(v -> !v.isOf("negative") && v.hasFrames()).toList();
  }

  /** Streams with frames, damaged or not. */
  public static List<Vector> framed() {
    return ALL.stream().filter(Vector::hasFrames).toList();
  }

  public static Vector named(String file) {
    return ALL.stream().filter(v -> v.file().equals(file)).findFirst().orElseThrow();
  }

  public static byte[] bytes(String file) {
    try (InputStream in = Vectors.class.getResourceAsStream(DIRECTORY + file)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static ByteBuf buffer(String file) {
    return Unpooled.wrappedBuffer(bytes(file));
  }

  /** A JSON file beside the streams. */
  static Object json(String file) {
    LoadSettings settings = LoadSettings.builder().setCodePointLimit(16 << 20).build();
    return new Load(settings).loadFromString(new String(bytes(file), UTF_8));
  }

  @SuppressWarnings("unchecked")
  private static List<Vector> read() {
    Map<String, Object> manifest = (Map<String, Object>) json("manifest.json");
    List<Vector> vectors =
        ((List<Map<String, Object>>) manifest.get("vectors")).stream().map(Vector::new).toList();
    if (vectors.size() != 153) {
      throw new IllegalStateException(vectors.size() + " vectors, expected 153");
    }
    return vectors;
  }
}
