package sluice.perf.simulation;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Key that one client alone writes, and what it must hold. */
final class CheckedKey extends JudgedKey {
  private final Map<String, Long> written = new HashMap<>(); // values, with their flags
  private @Nullable String value; // once all requests that were sent are carried out; null: none

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
  }

  /**
   * Judges what a read has found.
   *
   * @param expected what it must find, if that is certain
   * @param flags of what it has found
   * @return what is wrong; null if nothing is
   */
  @Nullable String judge(@Nullable String expected, @Nullable String found, long flags) {
    Long right = found == null ? null : written.get(found);
    if (found != null && right == null) {
      return "key " + name() + ": found " + cut(found) + ", which this client never wrote there";
    }
    if (isCertain() && !java.util.Objects.equals(expected, found)) {
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
