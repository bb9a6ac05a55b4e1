package sluice.gateway.suite;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import sluice.gateway.fixtures.Vector;

/**
 * A list of recorded cases that are not answered as recorded, each with its reason: lines {@code
 * case-name: reason}. A line {@code profile NAME: reason} leaves out every case that was recorded
 * on servers with these arguments. Lines with {@code #} are remarks.
 *
 * @param answers what each case is answered instead; a reply that is null is as recorded
 */
record VectorExceptions(
    Map<String, String> cases,
    Map<String, String> profiles,
    Map<String, List<Vector.Reply>> answers) {
  private static final String PROFILE = "profile ";

  /** How the reason starts of a case whose answer is not known before. */
  static final String SOMETIMES = "sometimes, ";

  /** Reads a list of the vectors' directory; it may name only cases and profiles that are there. */
  static VectorExceptions read(String file, Vector.Manifest manifest) {
    Map<String, String> cases = new LinkedHashMap<>();
    Map<String, String> profiles = new LinkedHashMap<>();
    String text = new String(Vector.resource(file), StandardCharsets.UTF_8);
    for (String line : text.lines().toList()) {
      int colon = line.indexOf(": ");
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      if (colon < 0 || line.substring(colon + 2).isBlank()) {
        throw new IllegalStateException(file + ": found '" + line + "', expected 'case: reason'");
      }
      String name = line.substring(0, colon);
      boolean isProfile = name.startsWith(PROFILE);
      if ((isProfile ? profiles : cases)
              .put(isProfile ? name.substring(PROFILE.length()) : name, line.substring(colon + 2))
          != null) {
        throw new IllegalStateException(file + " names " + name + " twice");
      }
    }
    Map<String, List<Vector.Reply>> answers =
        VectorAnswers.read(file.replace("exceptions-", "answers-"), cases.keySet());
    VectorExceptions exceptions = new VectorExceptions(cases, profiles, answers);
    exceptions.checkNames(file, manifest);
    return exceptions;
  }

  /** The cases to replay: those of the profiles that are not left out. */
  List<Vector> replayable(Vector.Manifest manifest) {
    return manifest.vectors().stream()
        .filter(vector -> !profiles.containsKey(vector.profile()))
        .toList();
  }

  private void checkNames(String file, Vector.Manifest manifest) {
    Set<String> unknown = new TreeSet<>(cases.keySet());
    unknown.removeAll(replayable(manifest).stream().map(Vector::name).collect(Collectors.toSet()));
    profiles.keySet().stream()
        .filter(name -> !manifest.profiles().containsKey(name))
        .forEach(unknown::add);
    if (!unknown.isEmpty()) {
      throw new IllegalStateException(file + " names what is not replayed: " + unknown);
    }
  }
}
