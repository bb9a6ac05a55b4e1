package sluice.embedded;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLongArray;

/** Counts by the part of a key before its first colon, while {@code stats detail} is on. */
final class PrefixStats {
  /** Events that are counted. */
  enum Kind {
    GET,
    HIT,
    SET,
    DELETE;

    @SuppressWarnings("EnumOrdinal") // nothing outlives the process that depends on the order
    int index() {
      return ordinal();
    }
  }

  // Clients choose prefixes, so their number is bounded.
  private static final int MAX_PREFIXES = 10_000;

  private final ConcurrentMap<String, AtomicLongArray> counts = new ConcurrentHashMap<>();

  void count(Key key, Kind kind) {
    int end = key.start() + key.length();
    int colon = key.buffer().indexOf(key.start(), end, (byte) ':');
    if (colon < 0) {
      return;
    }
    String prefix =
        key.buffer().toString(key.start(), colon - key.start(), StandardCharsets.ISO_8859_1);
    if (counts.size() >= MAX_PREFIXES && !counts.containsKey(prefix)) {
      return;
    }
    counts
        .computeIfAbsent(prefix, p -> new AtomicLongArray(Kind.values().length))
        .incrementAndGet(kind.index());
  }

  void clear() {
    counts.clear();
  }

  /** The lines that {@code stats detail dump} prints, without the end. */
  String dump() {
    StringBuilder lines = new StringBuilder();
    counts.forEach(
        (prefix, count) ->
            lines
                .append("PREFIX ")
                .append(prefix)
                .append(" get ")
                .append(count.get(Kind.GET.index()))
                .append(" hit ")
                .append(count.get(Kind.HIT.index()))
                .append(" set ")
                .append(count.get(Kind.SET.index()))
                .append(" del ")
                .append(count.get(Kind.DELETE.index()))
                .append("\r\n"));
    return lines.toString();
  }
}
