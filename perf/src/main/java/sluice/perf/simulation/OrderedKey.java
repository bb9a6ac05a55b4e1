package sluice.perf.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Key of one client, which judges the replies to its requests in their order: what the key holds is
 * known when they are judged, and not yet when they are sent.
 */
final class OrderedKey extends JudgedKey {
  /**
   * What a key holds.
   *
   * @param value each character is one byte
   */
  record Item(String value, long flags) {
    private String shown() {
      return value.substring(0, Math.min(60, value.length())) + " with flags " + flags;
    }
  }

  /** Values up to that length may be numbers, which do not name their key. */
  private static final int NUMBER = 20;

  private static final long MILLIS = 1_000;

  private final World world;
  private final List<@Nullable Item> possible = new ArrayList<>(); // null: nothing
  private int expiryMillis;

  /** A key that is new. */
  OrderedKey(World world, Rule rule, String name) {
    super(world, rule, name);
    this.world = world;
    possible.add(null);
  }

  /** All its values live for that many milliseconds; 0 for ever. */
  void lives(int millis) {
    expiryMillis = millis;
    long seconds = (millis + MILLIS - 1) / MILLIS; // servers know no fractions
    long most = rule().mostTimeToLive() > 0 ? Math.min(seconds, rule().mostTimeToLive()) : seconds;
    long least = rule().mostTimeToLive() > 0 ? most * 9 / 10 - 1 : most; // at random, up to 10 %
    if (millis > 0) {
      follow(rule().hasTwoPools() ? 2 : 1, least, most);
    }
  }

  /** How long its values live, in milliseconds. */
  int expiryMillis() {
    return expiryMillis;
  }

  /** Servers may store the same flags again and again, as for a number that they have lost. */
  void repeats() {
    follow(Integer.MAX_VALUE, rule().leastTimeToLive(), rule().mostTimeToLive());
  }

  private void follow(int most, long leastTimeToLive, long mostTimeToLive) {
    world.journal().follow(rule().stored(name()), most, leastTimeToLive, mostTimeToLive);
  }

  /** The only thing that it may hold, or the first of several. */
  @Nullable Item item() {
    return possible.get(0);
  }

  /** Whether one thing alone is possible. */
  boolean isKnown() {
    return isCertain() && possible.size() == 1;
  }

  /** It holds that now, or nothing. */
  void holds(@Nullable Item item) {
    possible.clear();
    possible.add(item);
  }

  /** It may hold that now, or what it held before. */
  void mayHold(@Nullable Item item) {
    possible.add(item);
  }

  /** Judges whether it holds anything, as a reply tells. */
  @Nullable String judge(boolean something) {
    boolean allowed =
        !isCertain() || possible.stream().anyMatch(item -> (item != null) == something);
    return allowed ? null : "key " + name() + ": found " + something + ", expected " + expected();
  }

  /** Judges what a read has found. */
  @Nullable String judge(@Nullable Item found) {
    if (!isCertain()) {
      return found != null && found.value().length() > NUMBER && !found.value().contains(name())
          ? "key " + name() + ": found " + found.shown() + ", not its own"
          : null;
    }
    if (possible.stream().noneMatch(item -> Objects.equals(item, found))) {
      String shown = found == null ? "nothing" : found.shown();
      return "key " + name() + ": found " + shown + ", expected " + expected();
    }
    holds(found);
    return null;
  }

  private String expected() {
    List<String> expected = new ArrayList<>();
    for (Item item : possible) {
      expected.add(item == null ? "nothing" : item.shown());
    }
    return String.join(", or ", expected);
  }
}
