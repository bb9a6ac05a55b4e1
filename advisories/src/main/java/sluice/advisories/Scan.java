package sluice.advisories;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What is wrong with what is shipped.
 *
 * @param failures nothing may be shipped with one of these
 * @param warnings what must be done, and how
 */
record Scan(List<String> failures, List<String> warnings) {
  static final int STALE_AFTER_DAYS = 30;

  /**
   * An advisory that is known and does not count for a package, why, and until when (that day
   * included).
   */
  record Exemption(String advisory, String name, String reason, LocalDate until) {

    static List<Exemption> read(Path file) throws IOException {
      List<Exemption> exemptions = new ArrayList<>();
      for (JsonObject json : Advisory.objects(new JsonArray(Files.readString(file))).toList()) {
        for (String key : List.of("advisory", "package", "reason", "until")) {
          if (json.getString(key, "").isBlank()) {
            throw new IOException(
                file + ": found " + json.encode() + ", expected '" + key + "' as well");
          }
        }
        exemptions.add(
            new Exemption(
                json.getString("advisory"),
                json.getString("package"),
                json.getString("reason"),
                LocalDate.parse(json.getString("until"))));
      }
      return exemptions;
    }
  }

  static Scan of(
      List<Dependency> shipped, Snapshot known, List<Exemption> exemptions, LocalDate today) {
    List<String> failures = new ArrayList<>();
    List<Exemption> unused = new ArrayList<>(exemptions);
    if (shipped.isEmpty()) {
      failures.add("found nothing that is shipped, expected the gateway's dependencies");
    }
    for (Dependency dependency : shipped) {
      if (!known.packages().contains(dependency.name())) {
        failures.add(
            dependency
                + ": its advisories were not looked up yet, expected it among the packages of"
                + " known.json; run ./sluice advisories --update");
      }
      for (Advisory advisory : known.advisories()) {
        Optional<String> fix = advisory.fixFor(dependency);
        if (fix.isEmpty()) {
          continue;
        }
        Optional<Exemption> exemption =
            exemptions.stream()
                .filter(
                    one -> advisory.isNamed(one.advisory()) && one.name().equals(dependency.name()))
                .findFirst();
        exemption.ifPresent(unused::remove);
        if (exemption.isPresent() && !today.isAfter(exemption.get().until())) {
          continue;
        }
        failures.add(
            "%s: found %s, expected %s: %s%s, %s%s"
                .formatted(
                    dependency.name(),
                    dependency.version(),
                    fix.get(),
                    advisory.id(),
                    advisory.severity().isEmpty() ? "" : " (" + advisory.severity() + ")",
                    advisory.url(),
                    exemption
                        .map(one -> "; exempt until " + one.until() + ", which is over")
                        .orElse("")));
      }
    }
    for (Exemption exemption : unused) {
      failures.add(
          "exceptions.json: %s exempts %s, which is not affected; expected no such entry"
              .formatted(exemption.advisory(), exemption.name()));
    }
    List<String> warnings = new ArrayList<>();
    long age = ChronoUnit.DAYS.between(known.asOf(), today);
    if (age > STALE_AFTER_DAYS) {
      warnings.add(
          "the advisories are as of %s, %d days ago; ./sluice advisories --update renews them"
              .formatted(known.asOf(), age));
    }
    return new Scan(List.copyOf(failures), List.copyOf(warnings));
  }
}
