package sluice.perf.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Key that one client alone writes, and what it must hold. */
final class CheckedKey extends JudgedKey {
  private final Map<String, Long> written = new HashMap<>(); // whole values, with their flags
  private final Set<String> added = new HashSet<>(); // what was appended and prepended
  private @Nullable String value; // once all requests that were sent are carried out; null: none
  private int changes; // that were sent
  private boolean warm; // the warm pool alone has the value
  private boolean used;

  CheckedKey(World world, Rule rule, String name) {
    super(world, rule, name);
  }

  @Nullable String value() {
    return value;
  }

  @Override
  String next(int length) {
    String next = super.next(length);
    written.put(next, flags());
    return next;
  }

  void writes(@Nullable String next) {
    value = next;
    changes++;
    warm = false;
  }

  /** Whether reads may remove its item, by a time to live that has passed. */
  boolean mayExpire() {
    return switch (rule()) {
      case WARMED -> false; // the warm pool would have it again
      case HEDGED -> false; // an mg goes to one of its two pools
      default -> rule().takesAll();
    };
  }

  /** The number of changes that were sent. */
  int changes() {
    return changes;
  }

  /** Whether it was never used before. */
  boolean isFirstUse() {
    boolean first = !used;
    used = true;
    return first;
  }

  /** Writes a value into the warm pool, and not into its own. */
  void warms(String next) {
    writes(next);
    warm = true;
  }

  /** Whether the warm pool alone has its value, as far as replies have told. */
  boolean isWarm() {
    return warm;
  }

  /** A reply has shown that its own pool has its value. */
  void isFilled() {
    warm = false;
  }

  /**
   * Something to append or prepend, which differs from everything else. If there is a value, it is
   * changed by that.
   */
  String addition(boolean append, int length) {
    StringBuilder text = new StringBuilder("[").append(added.size());
    while (text.length() < length) {
      text.append((char) ('a' + text.length() % 26));
    }
    String addition = text.append(']').toString();
    added.add(addition);
    changes++;
    if (value != null) {
      value = append ? value + addition : addition + value;
    }
    return addition;
  }

  // A value without what was appended and prepended; as it is if something is there twice.
  private String whole(String found) {
    Set<String> seen = new HashSet<>();
    int from = 0;
    int to = found.length();
    while (from < to && found.charAt(from) == '[') {
      int end = found.indexOf(']', from) + 1;
      if (!isAddition(found.substring(from, Math.max(from, end)), seen)) {
        return found;
      }
      from = end;
    }
    while (from < to && found.charAt(to - 1) == ']') {
      int begin = found.lastIndexOf('[', to - 1);
      if (begin < from || !isAddition(found.substring(begin, to), seen)) {
        return found;
      }
      to = begin;
    }
    return found.substring(from, to);
  }

  private boolean isAddition(String text, Set<String> seen) {
    return added.contains(text) && seen.add(text);
  }

  /**
   * Judges what a read has found.
   *
   * @param expected what it must find, if that is certain
   * @param before the number of changes that were sent before the read
   * @param flags of what it has found
   * @return what is wrong; null if nothing is
   */
  @Nullable String judge(
      @Nullable String expected, int before, @Nullable String found, long flags) {
    Long right = found == null ? null : written.get(whole(found));
    if (found != null && right == null) {
      return "key " + name() + ": found " + cut(found) + ", which this client never wrote there";
    }
    boolean later = rule().mayReadLater() && changes != before;
    if (isCertain() && !later && !Objects.equals(expected, found)) {
      return "key " + name() + ": found " + cut(found) + ", expected " + cut(expected);
    }
    if (right != null && right != flags) {
      return "key " + name() + ": found flags " + flags + ", expected " + right;
    }
    return null;
  }

  private static String cut(@Nullable String text) {
    return text == null ? "nothing" : text.substring(0, Math.min(60, text.length()));
  }
}
