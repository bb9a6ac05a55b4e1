package sluice.config.schema;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Checked section: the value of each of its keys, absent ones included. */
public final class Fields {
  /** The fields of a section that is absent or refused: every key is absent. */
  public static final Fields NONE = new Fields(Map.of(), List.of());

  private static final Checked<?> ABSENT =
      new Checked<>("", 0, 0, false, "nothing", Optional.empty());

  private final Map<Key<?>, Checked<?>> byKey;
  private final List<Checked<?>> unknown;

  /**
   * @param byKey for each key the checked value
   * @param unknown values under names that are no keys
   */
  Fields(Map<Key<?>, Checked<?>> byKey, List<Checked<?>> unknown) {
    this.byKey = byKey;
    this.unknown = unknown;
  }

  /** These fields, and others. */
  Fields and(Map<Key<?>, Checked<?>> others) {
    Map<Key<?>, Checked<?>> all = new LinkedHashMap<>(byKey);
    all.putAll(others);
    return new Fields(all, unknown);
  }

  /** The keys of a section; {@link #NONE} if it is absent or refused. */
  public static Fields of(Checked<Fields> section) {
    return section.value().orElse(NONE);
  }

  /**
   * The checked value of a key.
   *
   * @throws IllegalArgumentException if the section has no such key
   */
  @SuppressWarnings("unchecked") // the validator stores under a key the result of the key's type
  public <T> Checked<T> get(Key<T> key) {
    Checked<?> checked = byKey.get(key);
    if (checked == null && this != NONE) {
      throw new IllegalArgumentException("no key of this section: " + key);
    }
    return (Checked<T>) (checked == null ? ABSENT : checked);
  }

  /** The keys that the section may have; none if it is absent or refused. */
  public Set<Key<?>> keys() {
    return Collections.unmodifiableSet(byKey.keySet());
  }

  /** Every part of the section, including values under unknown names. */
  public Collection<Checked<?>> all() {
    return Stream.concat(byKey.values().stream(), unknown.stream()).toList();
  }

  /** Whether the file has the key. */
  public boolean isWritten(Key<?> key) {
    return get(key).written();
  }

  /** The value of a key; empty if it is absent or refused. */
  public <T> Optional<T> optional(Key<T> key) {
    return get(key).value();
  }

  /**
   * The value of a key that is present.
   *
   * @throws java.util.NoSuchElementException if it is not
   */
  public <T> T value(Key<T> key) {
    return optional(key).orElseThrow();
  }

  /** The keys of a section; {@link #NONE} if it is absent or refused. */
  public Fields section(Key<Fields> key) {
    return of(get(key));
  }

  /** The keys of a section that the file has. */
  public Optional<Fields> written(Key<Fields> key) {
    return Optional.of(get(key)).filter(Checked::written).map(Fields::of);
  }

  /** The elements of a list; none if it is absent or refused. */
  public <T> List<T> items(Key<List<T>> key) {
    return optional(key).orElse(List.of());
  }

  /** The values of a list's elements, except refused ones. */
  public <T> List<T> values(Key<List<Checked<T>>> key) {
    return items(key).stream().flatMap(item -> item.value().stream()).toList();
  }

  /** The value under each name, in the order written; empty if the key is absent or refused. */
  public <T> Map<String, T> named(Key<Map<String, T>> key) {
    return optional(key).orElse(Map.of());
  }
}
