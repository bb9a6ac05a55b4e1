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
 * Layout of a section: its keys in the order of the reference page, and where a record has the
 * value of each. The table of keys and the printed configuration are made from it. Immutable.
 *
 * @param <R> the record that the section becomes
 */
public final class Layout<R> {
  /** One key, and what is printed for it; nothing where a record leaves it out. */
  private record Entry<R>(Key<?> key, Printed<R> printed) {}

  /** What a record has for a key, as it is written in a file. */
  private interface Printed<R> {
    Optional<Object> of(R record, Predicate<Key<?>> shown);
  }

  private final List<Entry<R>> entries;
  private final BiPredicate<R, Key<?>> shown;

  private Layout(List<Entry<R>> entries, BiPredicate<R, Key<?>> shown) {
    this.entries = entries;
    this.shown = shown;
  }

  /** A layout without keys so far. */
  public static <R> Layout<R> of(Class<R> record) {
    return new Layout<>(List.of(), (each, key) -> true);
  }

  private Layout<R> with(Key<?> key, Printed<R> printed) {
    List<Entry<R>> more = new ArrayList<>(entries);
    more.add(new Entry<>(key, printed));
    return new Layout<>(more, shown);
  }

  /** The same with which keys are printed, here and in the sections inside. */
  public Layout<R> showing(BiPredicate<R, Key<?>> which) {
    return new Layout<>(entries, which);
  }

  /** A scalar that each record has. */
  public <T> Layout<R> key(Key<T> key, Function<R, T> value) {
    return optional(key, value.andThen(Optional::of));
  }

  /** A scalar that a record may have. */
  public <T> Layout<R> optional(Key<T> key, Function<R, Optional<T>> value) {
    Type.Scalar<T> type = (Type.Scalar<T>) key.type();
    return with(key, (each, shown) -> value.apply(each).map(type.writer()));
  }

  /** A list of scalars. */
  public <T> Layout<R> list(
      Key<List<Checked<T>>> key, Function<R, Optional<? extends Collection<T>>> values) {
    Type.Scalar<T> each = (Type.Scalar<T>) ((Type.Items<T>) key.type()).each();
    return with(
        key,
        (record, shown) ->
            values.apply(record).map(all -> all.stream().map(each.writer()).toList()));
  }

  /** What a user maps to what; not printed if it is nothing. */
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

  /** A section inside, with a record of its own. */
  public <S> Layout<R> section(Key<Fields> key, Layout<S> inside, Function<R, Optional<S>> value) {
    return with(key, (record, shown) -> value.apply(record).map(each -> inside.print(each, shown)));
  }

  /** A section inside, of the same record; not printed if it is empty. */
  public Layout<R> section(Key<Fields> key, Layout<R> inside) {
    return with(
        key,
        (record, shown) ->
            Optional.<Map<String, Object>>of(inside.print(record, shown))
                .filter(printed -> !printed.isEmpty())
                .map(printed -> printed));
  }

  /** A list of sections; not printed if it is empty. */
  public <S> Layout<R> sections(
      Key<List<Checked<Fields>>> key, Layout<S> inside, Function<R, List<S>> values) {
    return with(
        key,
        (record, shown) ->
            Optional.<Object>of(inside.printAll(values.apply(record)))
                .filter(printed -> !values.apply(record).isEmpty()));
  }

  /** Sections by names that the user chose. */
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

  /** Lists of sections by names that the user chose. */
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

  /** The keys, for the table. */
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
