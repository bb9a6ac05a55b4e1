package sluice.config.model;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Immutable copies that keep an order. */
public final class Ordered {
  private Ordered() {}

  static <E extends Enum<E>> Set<E> copyOf(Class<E> type, Collection<E> constants) {
    EnumSet<E> copy = EnumSet.noneOf(type);
    copy.addAll(constants);
    return Collections.unmodifiableSet(copy);
  }

  /** In the order of the map. */
  public static <K, V> Map<K, V> copyOf(Map<K, V> map) {
    return Collections.unmodifiableMap(new LinkedHashMap<>(map));
  }
}
