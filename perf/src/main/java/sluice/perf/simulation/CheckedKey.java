package sluice.perf.simulation;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Key that one client alone writes, and what it must hold. */
final class CheckedKey {
  private final World world;
  private final String name;
  private final Scenario.Rule rule;
  private final boolean movable; // a fault moves it to another server
  private final int since; // the losses when it was new
  private final Set<String> written = new HashSet<>();
  private @Nullable String value; // once all requests that were sent are carried out; null: none
  private boolean uncertain;
  private int count;

  CheckedKey(World world, Scenario.Rule rule, String name) {
    this.world = world;
    this.name = rule.prefix() + name;
    this.rule = rule;
    movable = rule == Scenario.Rule.FAILOVER;
    since = world.losses(movable);
    uncertain = movable && world.isExcused(); // another server may have it when the fault is over
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
    written.add(text.toString());
    return text.toString();
  }

  void writes(@Nullable String next) {
    value = next;
  }

  /**
   * Judges what a read has found.
   *
   * @param expected what it must find, if that is certain
   * @return what is wrong; null if nothing is
   */
  @Nullable String judge(@Nullable String expected, @Nullable String found) {
    if (found != null && !written.contains(found)) {
      return "key " + name + ": found " + cut(found) + ", which this client never wrote there";
    }
    if (isCertain() && !java.util.Objects.equals(expected, found)) {
      return "key " + name + ": found " + cut(found) + ", expected " + cut(expected);
    }
    return null;
  }

  private static String cut(@Nullable String text) {
    return text == null ? "nothing" : text.substring(0, Math.min(60, text.length()));
  }
}
