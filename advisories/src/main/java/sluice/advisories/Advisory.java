package sluice.advisories;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.maven.artifact.versioning.ComparableVersion;

/**
 * One advisory in the form of the OSV schema, of which these fields matter here; the rest is not
 * kept.
 */
record Advisory(JsonObject osv) {
  private static final String NO_FIX = "a version that is not affected (the advisory names none)";

  String id() {
    return osv.getString("id");
  }

  /** As the database that published it says, {@code HIGH} and the like; empty where it does not. */
  String severity() {
    return osv.getJsonObject("database_specific", new JsonObject()).getString("severity", "");
  }

  /** Where to read on. */
  String url() {
    return objects(osv.getJsonArray("references"))
        .map(reference -> reference.getString("url"))
        .findFirst()
        .orElse("https://osv.dev/vulnerability/" + id());
  }

  boolean isNamed(String idOrAlias) {
    return id().equals(idOrAlias)
        || osv.getJsonArray("aliases", new JsonArray()).contains(idOrAlias);
  }

  /**
   * Whether dependency is affected: then the version that fixes it, or a remark that there is none.
   */
  Optional<String> fixFor(Dependency dependency) {
    return entries(dependency.name())
        .flatMap(
            entry ->
                Stream.concat(
                    objects(entry.getJsonArray("ranges"))
                        .filter(range -> !"GIT".equals(range.getString("type")))
                        .flatMap(range -> fixIn(range, dependency.version()).stream()),
                    entry.getJsonArray("versions", new JsonArray()).contains(dependency.version())
                        ? Stream.of(NO_FIX)
                        : Stream.empty()))
        .findFirst();
  }

  /** The facts of one advisory about the packages that answer {@code isOurs}; no text is kept. */
  static JsonObject factsOf(JsonObject osv, Predicate<String> isOurs) {
    JsonArray affected = new JsonArray();
    objects(osv.getJsonArray("affected"))
        .filter(entry -> isMaven(entry) && isOurs.test(name(entry)))
        .forEach(
            entry -> {
              JsonObject kept =
                  new JsonObject()
                      .put(
                          "package",
                          new JsonObject().put("ecosystem", "Maven").put("name", name(entry)));
              JsonArray ranges = entry.getJsonArray("ranges", new JsonArray());
              // The list of versions says the same again, unless it is all there is.
              affected.add(
                  ranges.isEmpty()
                      ? kept.put("versions", entry.getJsonArray("versions"))
                      : kept.put("ranges", ranges));
            });
    JsonObject facts =
        new JsonObject()
            .put("id", osv.getString("id"))
            .put("modified", osv.getString("modified"))
            .put("aliases", osv.getJsonArray("aliases", new JsonArray()));
    String severity = new Advisory(osv).severity();
    if (!severity.isEmpty()) {
      facts.put("database_specific", new JsonObject().put("severity", severity));
    }
    return facts
        .put(
            "references",
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("type", "ADVISORY")
                        .put("url", "https://osv.dev/vulnerability/" + osv.getString("id"))))
        .put("affected", affected);
  }

  private Stream<JsonObject> entries(String name) {
    return objects(osv.getJsonArray("affected"))
        .filter(entry -> isMaven(entry) && name(entry).equals(name));
  }

  /**
   * The evaluation that the OSV schema prescribes: events in the order of versions, the last one
   * before version decides.
   */
  private static Optional<String> fixIn(JsonObject range, String version) {
    ComparableVersion found = new ComparableVersion(version);
    List<JsonObject> events =
        objects(range.getJsonArray("events"))
            .sorted(Comparator.comparing(Advisory::versionOf))
            .toList();
    boolean affected = false;
    for (JsonObject event : events) {
      int order = found.compareTo(versionOf(event));
      if (event.containsKey("introduced") && order >= 0) {
        affected = true;
      } else if ((event.containsKey("fixed") && order >= 0)
          || (event.containsKey("last_affected") && order > 0)) {
        affected = false;
      }
    }
    return affected
        ? Optional.of(
            events.stream()
                .filter(
                    event -> event.containsKey("fixed") && versionOf(event).compareTo(found) > 0)
                .map(event -> event.getString("fixed"))
                .findFirst()
                .orElse(NO_FIX))
        : Optional.empty();
  }

  private static ComparableVersion versionOf(JsonObject event) {
    return Stream.of("introduced", "fixed", "last_affected")
        .filter(event::containsKey)
        .map(key -> new ComparableVersion(event.getString(key)))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "found the event "
                        + event.encode()
                        + ", expected introduced, fixed or last_affected"));
  }

  private static boolean isMaven(JsonObject entry) {
    return "Maven".equals(entry.getJsonObject("package", new JsonObject()).getString("ecosystem"));
  }

  private static String name(JsonObject entry) {
    return entry.getJsonObject("package").getString("name");
  }

  static Stream<JsonObject> objects(JsonArray array) {
    return array == null ? Stream.empty() : array.stream().map(JsonObject.class::cast);
  }
}
