package sluice.image;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** What build-tools/oci-layout makes of image files, and build-tools/sign of that. */
class OciLayoutTest {
  private static final Path TOOLS = Path.of("..", "build-tools").toAbsolutePath().normalize();
  private static final String INDEX = "application/vnd.oci.image.index.v1+json";
  private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";

  @TempDir Path directory;

  private Path layout;

  @BeforeEach
  void makeImages() throws IOException {
    layout = directory.resolve("sluice.oci");
    for (String architecture : List.of("amd64", "arm64")) {
      Path image = Files.createDirectory(directory.resolve(architecture));
      Files.writeString(image.resolve("one.tar.gz"), "the same for both");
      Files.writeString(image.resolve("two.tar.gz"), "of " + architecture);
      Files.writeString(
          image.resolve("config.json"),
          "{\"created\":\"2026-01-01T00:00:00Z\",\"architecture\":\"" + architecture + "\"}");
      Files.writeString(
          image.resolve("manifest.json"),
          "[{\"Config\":\"config.json\",\"RepoTags\":[\"sluice:7\"],"
              + "\"Layers\":[\"one.tar.gz\",\"two.tar.gz\"]}]");
      Command.of("tar", "-C", image.toString(), "-cf", image + ".tar", ".").succeeds();
    }
    Files.writeString(directory.resolve("amd64.sbom.json"), "{\"bomFormat\":\"CycloneDX\"}");
  }

  private String make(Path to) throws IOException {
    return Command.of(
            TOOLS.resolve("oci-layout").toString(),
            "-o",
            to.toString(),
            directory.resolve("amd64.tar").toString(),
            directory.resolve("arm64.tar").toString())
        .succeeds()
        .strip();
  }

  @SuppressWarnings("unchecked") // keys of JSON are text
  private static Map<String, Object> json(String text) {
    return (Map<String, Object>) new Load(LoadSettings.builder().build()).loadFromString(text);
  }

  @SuppressWarnings("unchecked") // as above
  private static List<Map<String, Object>> list(Map<String, Object> object, String key) {
    return (List<Map<String, Object>>) object.get(key);
  }

  @SuppressWarnings("unchecked") // as above
  private static Map<String, Object> map(Map<String, Object> object, String key) {
    return (Map<String, Object>) object.get(key);
  }

  /** The bytes that a descriptor describes, which must be those. */
  private String blob(Map<String, Object> descriptor) throws Exception {
    String digest = (String) descriptor.get("digest");
    byte[] bytes = Files.readAllBytes(layout.resolve("blobs/" + digest.replace(':', '/')));
    assertThat(descriptor.get("size")).isEqualTo(bytes.length);
    assertThat(digest)
        .isEqualTo(
            "sha256:"
                + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes)));
    return new String(bytes, UTF_8);
  }

  @Test
  void shouldMakeOneImageForBothArchitectures() throws Exception {
    String digest = make(layout);
    assertThat(layout.resolve("oci-layout")).hasContent("{\"imageLayoutVersion\":\"1.0.0\"}\n");
    Map<String, Object> image =
        list(json(Files.readString(layout.resolve("index.json"))), "manifests").get(0);
    assertThat(image)
        .containsEntry("mediaType", INDEX)
        .containsEntry("digest", digest)
        .containsEntry("annotations", Map.of("org.opencontainers.image.ref.name", "7"));
    List<Map<String, Object>> manifests = list(json(blob(image)), "manifests");
    assertThat(manifests).hasSize(2);
    for (Map<String, Object> descriptor : manifests) {
      Map<String, Object> platform = map(descriptor, "platform");
      assertThat(descriptor).containsEntry("mediaType", MANIFEST);
      Map<String, Object> manifest = json(blob(descriptor));
      assertThat(blob(map(manifest, "config")))
          .contains("\"architecture\":\"" + platform.get("architecture") + "\"");
      List<String> layers = new ArrayList<>();
      for (Map<String, Object> layer : list(manifest, "layers")) {
        layers.add(blob(layer));
      }
      assertThat(layers).containsExactly("the same for both", "of " + platform.get("architecture"));
    }
    assertThat(manifests)
        .extracting(descriptor -> descriptor.get("platform"))
        .containsExactly(
            Map.of("architecture", "amd64", "os", "linux"),
            Map.of("architecture", "arm64", "os", "linux"));
  }

  /** As a registry finds them: by the subject of their manifests. */
  @Test
  void shouldLetSbomAndProvenanceReferToTheImage() throws Exception {
    String digest = make(layout);
    Map<String, String> references = new TreeMap<>();
    for (Map<String, Object> descriptor :
        list(json(Files.readString(layout.resolve("index.json"))), "manifests").subList(1, 3)) {
      Map<String, Object> manifest = json(blob(descriptor));
      assertThat(map(manifest, "subject").get("digest")).isEqualTo(digest);
      assertThat(manifest.get("artifactType")).isEqualTo(descriptor.get("artifactType"));
      references.put(
          (String) descriptor.get("artifactType"), blob(list(manifest, "layers").get(0)));
    }
    assertThat(references)
        .containsOnlyKeys("application/vnd.cyclonedx+json", "application/vnd.in-toto+json")
        .containsEntry("application/vnd.cyclonedx+json", "{\"bomFormat\":\"CycloneDX\"}");
    String provenance = references.get("application/vnd.in-toto+json");
    assertThat(directory.resolve("sluice.oci.provenance.json")).hasContent(provenance);
    assertThat(list(json(provenance), "subject"))
        .containsExactly(
            Map.of("name", "sluice", "digest", Map.of("sha256", digest.replace("sha256:", ""))));
    assertThat(provenance).contains("[\"linux/amd64\",\"linux/arm64\"]");
  }

  @Test
  void shouldMakeTheSameBytesAgain() throws Exception {
    make(layout);
    Path other = directory.resolve("other.oci");
    make(other);
    assertThat(files(other)).isEqualTo(files(layout)).hasSizeGreaterThan(10);
  }

  private static Map<String, String> files(Path root) throws IOException {
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> below = Files.walk(root)) {
      for (Path file : below.filter(Files::isRegularFile).toList()) {
        files.put(
            root.relativize(file).toString(),
            new BigInteger(1, Files.readAllBytes(file)).toString(16));
      }
    }
    return files;
  }

  @Test
  void shouldRefuseTwoImagesForOneArchitecture() {
    String image = directory.resolve("amd64.tar").toString();
    assertThatThrownBy(
            () ->
                Command.of(TOOLS.resolve("oci-layout").toString(), "-o", layout + "", image, image)
                    .succeeds())
        .hasMessageContaining("found two images for amd64");
  }

  /** A key, as {@code openssl} makes one. */
  private Path key(String name) throws IOException {
    Path key = directory.resolve(name + ".pem");
    Command.of("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key + "")
        .succeeds();
    Command.of("openssl", "ec", "-in", key + "", "-pubout", "-out", key + ".pub").succeeds();
    return key;
  }

  private String verify(Path key) throws IOException {
    return Command.of(TOOLS.resolve("sign").toString(), "--verify", key + ".pub", layout.toString())
        .succeeds();
  }

  @Test
  void shouldSignTheDigestOfTheImage() throws Exception {
    String digest = make(layout);
    Path key = key("ours");
    Command.of(
            "env", "SLUICE_SIGNING_KEY=" + key, TOOLS.resolve("sign").toString(), layout.toString())
        .succeeds();
    assertThat(Files.readString(directory.resolve("sluice.oci.payload.json"))).contains(digest);
    assertThat(verify(key)).contains(digest);
    Path other = key("theirs");
    assertThatThrownBy(() -> verify(other)).isInstanceOf(IOException.class);

    Path payload = directory.resolve("sluice.oci.payload.json");
    String signed = Files.readString(payload);
    Files.writeString(payload, signed.replace("sluice", "slyice"));
    assertThatThrownBy(() -> verify(key)).hasMessageContaining("is not of " + digest);
    Files.writeString(payload, signed);

    Path index = layout.resolve("blobs/" + digest.replace(':', '/'));
    Files.writeString(index, Files.readString(index) + " ");
    assertThatThrownBy(() -> verify(key)).hasMessageContaining("is damaged");
  }

  @Test
  void shouldSignNothingWithoutAKey() throws Exception {
    make(layout);
    assertThatThrownBy(
            () ->
                Command.of(
                        "env",
                        "-u",
                        "SLUICE_SIGNING_KEY",
                        TOOLS.resolve("sign").toString(),
                        layout.toString())
                    .succeeds())
        .hasMessageContaining("SLUICE_SIGNING_KEY: found nothing");
  }
}
