package sluice.config.schema;

import java.util.Optional;
import java.util.function.Supplier;

/**
 * One key of the file: the loader, the JSON Schema and the reference page are all made from it.
 *
 * @param name as written
 * @param type what its value may be
 * @param doc what it means, as one line
 * @param kind whether it must, may or cannot be written yet
 * @param defaultDoc the default as people read it
 * @param defaultYaml the default as it would be written; empty if leaving the key out means nothing
 *     at all
 */
public record Key(
    String name,
    Type type,
    String doc,
    Kind kind,
    String defaultDoc,
    Optional<Supplier<String>> defaultYaml) {
  /** Whether a key may be left out. */
  public enum Kind {
    OPTIONAL,
    REQUIRED
  }

  /** A key that must be written. */
  public static Key required(String name, Type type, String doc) {
    return new Key(name, type, doc, Kind.REQUIRED, "", Optional.empty());
  }

  /** A key that may be left out; so far that means nothing at all. */
  public static Key optional(String name, Type type, String doc) {
    return new Key(name, type, doc, Kind.OPTIONAL, "", Optional.empty());
  }

  /** The same, with what leaving it out means. */
  public Key or(String yaml) {
    return new Key(name, type, doc, kind, yaml, Optional.of(() -> yaml));
  }

  /** The same, with a default that depends on the machine. */
  public Key or(String described, Supplier<String> yaml) {
    return new Key(name, type, doc, kind, described, Optional.of(yaml));
  }

  /** Whether the default is the same on every machine. */
  public boolean hasFixedDefault() {
    return defaultYaml.isPresent() && defaultYaml.get().get().equals(defaultDoc);
  }
}
