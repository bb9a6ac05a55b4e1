package sluice.perf.simulation;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** A get of values that outlast faults: meanwhile, it may miss some of them. */
final class LastingRead extends Request {
  /** A value that a server has stored. */
  record Stored(CheckedKey key, String value, long flags) {
    String line() {
      return "VALUE " + key.name() + ' ' + flags + ' ' + value.length();
    }
  }

  private final List<Stored> items;
  private final BooleanSupplier mayMiss;

  /**
   * A read of items.
   *
   * @param mayMiss whether a fault may hide some of them, when the reply comes
   */
  LastingRead(List<Stored> items, BooleanSupplier mayMiss) {
    super(text(items), items.stream().map(Stored::key).toList(), false);
    this.items = items;
    this.mayMiss = mayMiss;
  }

  private static String text(List<Stored> items) {
    return items.stream()
        .map(item -> item.key().name())
        .collect(Collectors.joining(" ", "get ", "\r\n"));
  }

  @Override
  String judge(Replies replies) {
    Set<Stored> missing = new LinkedHashSet<>(items);
    while (true) {
      String line = replies.line();
      if (line == null) {
        return INCOMPLETE;
      }
      if (isFailure(line)) {
        return FINE;
      }
      if (line.equals("END")) {
        return missing.isEmpty() || mayMiss.getAsBoolean()
            ? FINE
            : "found nothing for " + missing.iterator().next().line() + " (" + line() + ")";
      }
      Stored found =
          missing.stream().filter(item -> item.line().equals(line)).findFirst().orElse(null);
      if (found == null) {
        return unexpected(line);
      }
      String value = replies.value(found.value().length());
      if (value == null) {
        return INCOMPLETE;
      }
      if (!value.equals(found.value())) {
        return "found another value for " + line + " (" + line() + ")";
      }
      missing.remove(found);
    }
  }
}
