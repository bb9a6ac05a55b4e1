package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Base64;
import java.util.regex.Pattern;

/** Key whose replies clients judge, and whether it is known what it may hold. */
abstract class JudgedKey {
  /**
   * Uses of a key whose value is not known. A value that a fault has left behind is read by them.
   */
  private static final int MOST_UNCERTAIN_USES = 4;

  private static final long ALL_FLAGS = 0xFFFFFFFFL;
  private static final long GOLDEN_RATIO = 0x9E3779B1L; // times a small number: bits everywhere

  private final World world;
  private final Rule rule;
  private final String name;
  private final String stored; // its name on servers
  private final int since; // the losses when it was new
  private boolean uncertain;
  private int uncertainUses;
  private int count;

  /** A key that is new. */
  JudgedKey(World world, Rule rule, String name) {
    this.world = world;
    this.rule = rule;
    this.name = rule.prefix() + name;
    since = world.losses(rule);
    uncertain = rule.isMovable() && world.isExcused(); // another server may have it afterwards
    stored = rule.stored(this.name);
    if (rule.hasJournal()) {
      int most = rule.hasTwoPools() ? 2 : 1;
      world.journal().follow(stored, most, rule.leastTimeToLive(), rule.mostTimeToLive());
    }
  }

  final String name() {
    return name;
  }

  /** Its name in base64, as meta requests may have it. */
  final String encoded() {
    return Base64.getEncoder().encodeToString(name().getBytes(ISO_8859_1));
  }

  /** Pattern of a flag that repeats its name, as a client has written it. */
  final String repeated() {
    return " k(?:" + Pattern.quote(name()) + '|' + Pattern.quote(encoded()) + "(?: b)?)";
  }

  final Rule rule() {
    return rule;
  }

  /** Whether it is known what it may hold: no fault of a server concerns it. */
  final boolean isCertain() {
    return !uncertain
        && since == world.losses(rule)
        && !world.isMoving()
        && !(rule.isMovable() && world.isExcused());
  }

  /** Whether it was used often enough since it was not known what it holds. */
  boolean isWorn() {
    return !isCertain() && ++uncertainUses > MOST_UNCERTAIN_USES;
  }

  /** From now on, it is not known what it holds. */
  final void uncertain() {
    uncertain = true;
  }

  /** A new value, which is written next. */
  String next(int length) {
    StringBuilder text = new StringBuilder(name).append('|').append(++count).append('|');
    while (text.length() < length) {
      text.append((char) ('a' + (text.length() + count) % 26));
    }
    return text.toString();
  }

  /**
   * The flags of the last new value, which no other value of the key has. Some have a bit that
   * gateways use themselves. Ignite does not keep them.
   */
  final long flags() {
    if (rule == Rule.IGNITE) {
      return 0;
    }
    long flags = (count * GOLDEN_RATIO) & ALL_FLAGS & ~Journal.MARKS;
    return flags | (count % 10 == 0 ? Journal.MARKS & (0x10000L << count / 10 % 2) : 0);
  }

  /** Whether a server may have carried out the write with these flags. */
  final boolean mayHold(long flags) {
    return world.journal().mayHold(stored, flags);
  }

  /** Whether a server has told that it carried out the write with these flags. */
  final boolean isCarriedOut(long flags) {
    return world.journal().isCarriedOut(stored, flags);
  }

  /** Whether a server may have appended or prepended something. */
  final boolean mayHold(String addition) {
    return world.journal().mayHold(stored, addition);
  }
}
