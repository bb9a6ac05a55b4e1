package sluice.perf.simulation;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Key that one client alone writes, and what it must hold. */
final class CheckedKey {
  /**
   * Uses of a key whose value is not known. A value that a fault has left behind is read by them.
   */
  private static final int MOST_UNCERTAIN_USES = 4;

  private static final long ALL_FLAGS = 0xFFFFFFFFL;
  private static final long GOLDEN_RATIO = 0x9E3779B1L; // times a small number: bits everywhere

  private final World world;
  private final String name;
  private final Scenario.Rule rule;
  private final boolean movable; // a fault moves it to another server
  private final int since; // the losses when it was new
  private final Map<String, Long> written = new HashMap<>(); // values, with their flags
  private @Nullable String value; // once all requests that were sent are carried out; null: none
  private boolean uncertain;
  private int uncertainUses;
  private int count;

  CheckedKey(World world, Scenario.Rule rule, String name) {
    this.world = world;
    this.name = rule.prefix() + name;
    this.rule = rule;
    movable = rule == Scenario.Rule.FAILOVER;
    since = world.losses(movable);
    uncertain = movable && world.isExcused(); // another server may have it when the fault is over
    if (!isInIgnite()) {
      world.journal().follow(this.name, rule.hasTwoPools() ? 2 : 1);
    }
  }

  String name() {
    return name;
  }

  /** Whether its server is an Ignite node, which has no cas and cannot touch. */
  boolean isInIgnite() {
    return rule == Scenario.Rule.IGNITE;
  }

  /** Whether it is known what it holds. */
  boolean isCertain() {
    return !uncertain
        && since == world.losses(movable)
        && !world.isMoving()
        && !(movable && world.isExcused());
  }

  /** Whether it was used often enough since it was not known what it holds. */
  boolean isWorn() {
    return !isCertain() && ++uncertainUses > MOST_UNCERTAIN_USES;
  }

  /** A write may have been carried out, or may be later. */
  void uncertain() {
    uncertain = true;
  }

  @Nullable String value() {
    return value;
  }

  /** A new value, which is written next. */
  String next(int length) {
    StringBuilder text = new StringBuilder(name).append('|').append(++count).append('|');
    while (text.length() < length) {
      text.append((char) ('a' + (text.length() + count) % 26));
    }
    written.put(text.toString(), flags());
    return text.toString();
  }

  /**
   * The flags of the last new value, which no other value of the key has. Some have a bit that
   * gateways use themselves. Ignite does not keep them.
   */
  long flags() {
    if (isInIgnite()) {
      return 0;
    }
    long flags = (count * GOLDEN_RATIO) & ALL_FLAGS & ~Journal.MARKS;
    return flags | (count % 10 == 0 ? Journal.MARKS & (0x10000L << count / 10 % 2) : 0);
  }

  void writes(@Nullable String next) {
    value = next;
  }

  /** Whether a server may have carried out the write with these flags. */
  boolean mayHold(long flags) {
    return world.journal().mayHold(name, flags);
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
      return "key " + name + ": found " + cut(found) + ", which this client never wrote there";
    }
    if (isCertain() && !java.util.Objects.equals(expected, found)) {
      return "key " + name + ": found " + cut(found) + ", expected " + cut(expected);
    }
    if (right != null && right != flags) {
      return "key " + name + ": found flags " + flags + ", expected " + right;
    }
    return null;
  }

  private static String cut(@Nullable String text) {
    return text == null ? "nothing" : text.substring(0, Math.min(60, text.length()));
  }
}
