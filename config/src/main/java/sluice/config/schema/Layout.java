package sluice.config.schema;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Layout of a section: its keys in the order of the reference page, and the record's value for
 * each. The table of keys and the printed configuration are made from it. Immutable.
 *
 * @param <R> the record that the section becomes
 */
public final class Layout<R> {
  /** One key and its printed value; empty where the record omits it. */
  private record Entry<R>(Key<?> key, Printed<R> printed) {}

  /** Accessor of the printed value of a key. */
  private interface Printed<R> {
    Optional<Object> of(R record, Predicate<Key<?>> shown);
  }

  private final List<Entry<R>> entries;
  private final BiPredicate<R, Key<?>> shown;

  private Layout(List<Entry<R>> entries, BiPredicate<R, Key<?>> shown) {
    this.entries = entries;
    this.shown = shown;
  }

  /** A layout without keys. */
  public static <R> Layout<R> of(Class<R> record) {
    return new Layout<>(List.of(), (each, key) -> true);
  }

  private Layout<R> with(Key<?> key, Printed<R> printed) {
    List<Entry<R>> more = new ArrayList<>(entries);
    more.add(new Entry<>(key, printed));
    return new Layout<>(more, shown);
  }

  /** The same layout with a condition on which keys are printed, also in the sections inside. */
  public Layout<R> showing(BiPredicate<R, Key<?>> which) {
    return new Layout<>(entries, which);
  }

  /** Adds a key that only people need: the record has no field for it. */
  public Layout<R> unprinted(Key<?> key) {
    return with(key, (record, shown) -> Optional.empty());
  }

  /** Adds a scalar that each record has. */
  public <T> Layout<R> key(Key<T> key, Function<R, T> value) {
    return optional(key, value.andThen(Optional::of));
  }

  /** Adds a scalar that a record may have. */
  public <T> Layout<R> optional(Key<T> key, Function<R, Optional<T>> value) {
    Type.Scalar<T> type = (Type.Scalar<T>) key.type();
    return with(key, (each, shown) -> value.apply(each).map(type.writer()));
  }

  /** Adds a list of scalars. */
  public <T> Layout<R> list(
      Key<List<Checked<T>>> key, Function<R, Optional<? extends Collection<T>>> values) {
    Type.Scalar<T> each = (Type.Scalar<T>) ((Type.Items<T>) key.type()).each();
    return with(
        key,
        (record, shown) ->
            values.apply(record).map(all -> all.stream().map(each.writer()).toList()));
  }

  /** Adds a map of the user's entries; not printed if it is empty. */
  public <K, V> Layout<R> pairs(Key<List<Type.Pair<K, V>>> key, Function<R, Map<K, V>> values) {
    Type.Pairs<K, V> type = (Type.Pairs<K, V>) key.type();
    return with(
        key,
        (record, shown) -> {
          Map<String, Object> written = new LinkedHashMap<>();
          values
              .apply(record)
              .forEach(
                  (k, v) ->
                      written.put(
                          type.key().writer().apply(k).toString(), type.value().writer().apply(v)));
          return Optional.<Object>of(written).filter(w -> !written.isEmpty());
        });
  }

  /** Adds a section with its own record. */
  public <S> Layout<R> section(Key<Fields> key, Layout<S> inside, Function<R, Optional<S>> value) {
    return with(key, (record, shown) -> value.apply(record).map(each -> inside.print(each, shown)));
  }

  /** Adds a section of the same record; not printed if it is empty. */
  public Layout<R> section(Key<Fields> key, Layout<R> inside) {
    return with(
        key,
        (record, shown) ->
            Optional.<Map<String, Object>>of(inside.print(record, shown))
                .filter(printed -> !printed.isEmpty())
                .map(printed -> printed));
  }

  /** Adds a list of sections; not printed if it is empty. */
  public <S> Layout<R> sections(
      Key<List<Checked<Fields>>> key, Layout<S> inside, Function<R, List<S>> values) {
    return with(
        key,
        (record, shown) ->
            Optional.<Object>of(inside.printAll(values.apply(record)))
                .filter(printed -> !values.apply(record).isEmpty()));
  }

  /** Adds sections by names that the user chose. */
  public <S> Layout<R> named(
      Key<Map<String, Checked<Fields>>> key, Layout<S> inside, Function<R, Map<String, S>> values) {
    return with(
        key,
        (record, shown) -> {
          Map<String, Object> printed = new LinkedHashMap<>();
          values.apply(record).forEach((name, each) -> printed.put(name, inside.print(each)));
          return Optional.of(printed);
        });
  }

  /** Adds lists of sections by names that the user chose. */
  public <S> Layout<R> namedLists(
      Key<Map<String, Checked<List<Checked<Fields>>>>> key,
      Layout<S> inside,
      Function<R, Map<String, List<S>>> values) {
    return with(
        key,
        (record, shown) -> {
          Map<String, Object> printed = new LinkedHashMap<>();
          values.apply(record).forEach((name, each) -> printed.put(name, inside.printAll(each)));
          return Optional.of(printed);
        });
  }

  /** The type of the section, for the table of keys. */
  public Type.Section type() {
    return new Type.Section(entries.stream().<Key<?>>map(Entry::key).toList());
  }

  /** The record as it would be written, every default filled in. */
  public Map<String, Object> print(R record) {
    return print(record, key -> true);
  }

  private List<Map<String, Object>> printAll(List<R> records) {
    return records.stream().map(this::print).toList();
  }

  private Map<String, Object> print(R record, Predicate<Key<?>> outer) {
    Predicate<Key<?>> both = key -> outer.test(key) && shown.test(record, key);
    Map<String, Object> printed = new LinkedHashMap<>();
    for (Entry<R> entry : entries) {
      if (both.test(entry.key())) {
        entry.printed().of(record, both).ifPresent(value -> printed.put(entry.key().name(), value));
      }
    }
    return printed;
  }
}
