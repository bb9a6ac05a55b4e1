package sluice.config.schema;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import sluice.config.model.PoolProtocol;

/**
 * Key of a section, declared once. The loader, the records, the printed configuration, the JSON
 * Schema and the reference page are all made from it.
 *
 * @param <T> its checked value
 */
public final class Key<T> {
  /** Whether a key may be left out. */
  public enum Kind {
    OPTIONAL,
    REQUIRED
  }

  private final String name;
  private final Type<T> type;
  private final String doc;
  private final Kind kind;
  private final String defaultDoc;
  private final Optional<Supplier<String>> defaultYaml;
  private final Set<PoolProtocol> protocols;

  private Key(
      String name,
      Type<T> type,
      String doc,
      Kind kind,
      String defaultDoc,
      Optional<Supplier<String>> defaultYaml,
      Set<PoolProtocol> protocols) {
    this.name = name;
    this.type = type;
    this.doc = doc;
    this.kind = kind;
    this.defaultDoc = defaultDoc;
    this.defaultYaml = defaultYaml;
    this.protocols = protocols;
  }

  /** A key that must be written. */
  public static <T> Key<T> required(String name, Type<T> type, String doc) {
    return new Key<>(name, type, doc, Kind.REQUIRED, "", Optional.empty(), everywhere());
  }

  /** A key that may be absent, without a default. */
  public static <T> Key<T> optional(String name, Type<T> type, String doc) {
    return new Key<>(name, type, doc, Kind.OPTIONAL, "", Optional.empty(), everywhere());
  }

  private static Set<PoolProtocol> everywhere() {
    return EnumSet.allOf(PoolProtocol.class);
  }

  /** The same key with a default. */
  public Key<T> or(String yaml) {
    return new Key<>(name, type, doc, kind, yaml, Optional.of(() -> yaml), protocols);
  }

  /** The same key with a default that depends on the machine. */
  public Key<T> or(String described, Supplier<String> yaml) {
    return new Key<>(name, type, doc, kind, described, Optional.of(yaml), protocols);
  }

  /** The same key with a default that depends on other keys, and that binding fills in. */
  public Key<T> orElse(String described) {
    return new Key<>(name, type, doc, kind, described, Optional.empty(), protocols);
  }

  /** The same key, with a meaning for these protocols only. */
  public Key<T> only(PoolProtocol first, PoolProtocol... others) {
    return new Key<>(name, type, doc, kind, defaultDoc, defaultYaml, EnumSet.of(first, others));
  }

  /** Its name, as written. */
  public String name() {
    return name;
  }

  /** The type of its value. */
  public Type<T> type() {
    return type;
  }

  /** Its meaning, in one line. */
  public String doc() {
    return doc;
  }

  /** Whether it must be written. */
  public Kind kind() {
    return kind;
  }

  /** The default in words; empty if there is none. */
  public String defaultDoc() {
    return defaultDoc;
  }

  /** The default as it would be written; empty if there is none, or if binding fills it in. */
  public Optional<Supplier<String>> defaultYaml() {
    return defaultYaml;
  }

  /** Whether the default is the same on every machine. */
  public boolean hasFixedDefault() {
    return defaultYaml.isPresent() && defaultYaml.get().get().equals(defaultDoc);
  }

  /** Whether it has a meaning for a protocol. A listener has the protocol of its pools. */
  public boolean isOf(PoolProtocol protocol) {
    return protocols.contains(protocol);
  }

  /** The only protocol that it has a meaning for; empty if there are several. */
  public Optional<PoolProtocol> onlyProtocol() {
    return protocols.size() == 1 ? protocols.stream().findFirst() : Optional.empty();
  }

  /** Its name. */
  @Override
  public String toString() {
    return name;
  }
}
