package sluice.advisories;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.LocalDate;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The advisories that were known on a day, and the packages that were asked about.
 *
 * @param asOf what was published by this day is in here
 * @param source who said so
 * @param packages a package without an advisory is here as well: one that is not was not looked up
 */
record Snapshot(
    LocalDate asOf, String source, NavigableSet<String> packages, List<Advisory> advisories) {

  static Snapshot read(Path file) throws IOException {
    JsonObject json = new JsonObject(Files.readString(file));
    return new Snapshot(
        LocalDate.parse(json.getString("asOf")),
        json.getString("source"),
        json.getJsonArray("packages").stream()
            .map(String.class::cast)
            .collect(Collectors.toCollection(TreeSet::new)),
        Advisory.objects(json.getJsonArray("advisories")).map(Advisory::new).toList());
  }

  /**
   * Replaces file, whole or not at all; one line an advisory, so that a renewal is read as a change
   * of lines.
   */
  void write(Path file) throws IOException {
    String lines =
        advisories.stream()
            .sorted(Comparator.comparing(Advisory::id))
            .map(advisory -> "    " + advisory.osv().encode())
            .collect(Collectors.joining(",\n"));
    String text =
        "{\n  \"asOf\": \"%s\",\n  \"source\": %s,\n  \"packages\": [\n%s\n  ],\n  \"advisories\": [\n%s\n  ]\n}\n"
            .formatted(
                asOf,
                new JsonArray().add(source).encode().replaceAll("^\\[|]$", ""),
                packages.stream()
                    .map(name -> "    \"" + name + "\"")
                    .collect(Collectors.joining(",\n")),
                lines);
    Path next = Files.createTempFile(file.toAbsolutePath().getParent(), ".known", ".json");
    try {
      Files.writeString(next, text);
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(next);
    }
  }
}
