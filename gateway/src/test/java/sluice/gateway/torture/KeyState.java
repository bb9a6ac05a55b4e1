package sluice.gateway.torture;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * What a key of one connection can hold, as far as the replies tell.
 *
 * <p>With a healthy server that is always exactly one thing. A write that failed or was never
 * answered may have been applied, or may be applied at any time from now on: it stays possible for
 * as long as the key is used, beside whatever is acknowledged later ({@link #strays}). Such a key
 * is replaced by a fresh one after a few more requests, so that most of a run stays exact.
 */
final class KeyState {
  private static final int REQUESTS_WITH_STRAYS = 6;
  private static final int REQUESTS_FORGETFUL = 60;

  /** What no server gives in the time that a run takes. */
  private static final long NO_UNIQUE = 1L << 60;

  final String key;
  private final boolean checksCas;
  private final List<Write> strays = new ArrayList<>(0);
  private final List<Write> possible = new ArrayList<>(1);
  private final int lifetime;
  private int requestsWithStrays;

  /**
   * @param checksCas whether a write keeps the cas unique it was given: not so where a proxy may
   *     send it twice
   * @param forgetful whether all that is written may come and go
   */
  KeyState(String key, boolean checksCas, boolean forgetful) {
    this.key = key;
    this.lifetime = forgetful ? REQUESTS_FORGETFUL : REQUESTS_WITH_STRAYS;
    this.checksCas = checksCas;
    possible.add(Write.ABSENT);
  }

  /** Counts one more request for the key; true when a fresh key should take its place. */
  boolean isWornOut() {
    return !strays.isEmpty() && ++requestsWithStrays > lifetime;
  }

  /** A value was read: flags and the bytes [from, to) of array; cas 0 where none was told. */
  void read(int flags, byte[] array, int from, int to, long cas) {
    read((Integer) flags, array, from, to, cas);
  }

  /** The same where the reply told no flags. */
  void readWithoutFlags(byte[] array, int from, int to, long cas) {
    read(null, array, from, to, cas);
  }

  private void read(Integer flags, byte[] array, int from, int to, long cas) {
    for (Write candidate : possible) {
      if (candidate.matches(flags == null ? candidate.flags() : flags, array, from, to)) {
        learnCas(candidate, cas);
        become(candidate);
        return;
      }
    }
    String head =
        new String(
            array, from, Math.min(to - from, 80), java.nio.charset.StandardCharsets.ISO_8859_1);
    throw new WrongReply(
        "key " + key + " can hold " + possible + ", read " + (to - from) + " bytes: " + head);
  }

  /** A hit without its value: flags and size are compared where the reply told them, else null. */
  void hit(Integer flags, Integer length, long cas) {
    Write only = null;
    int count = 0;
    for (Write candidate : possible) {
      if (candidate != Write.ABSENT
          && (flags == null || flags == candidate.flags())
          && (length == null || length == candidate.length)) {
        only = candidate;
        count++;
      }
    }
    if (count == 0) {
      throw new WrongReply(
          "key " + key + " can hold " + possible + ", found flags " + flags + " length " + length);
    }
    if (count == 1) {
      learnCas(only, cas);
      become(only);
    } else {
      possible.remove(Write.ABSENT);
      addStrays();
    }
  }

  void missed() {
    if (!possible.contains(Write.ABSENT)) {
      throw new WrongReply("key " + key + " can hold " + possible + ", not found");
    }
    become(Write.ABSENT);
  }

  /** An unconditional set was acknowledged. */
  void stored(Write write, long cas) {
    learnCas(write, cas);
    become(write);
  }

  /**
   * A write that only an empty key (added) or only a full one (not added) takes was acknowledged.
   */
  void storedIf(boolean absentBefore, Write write, long cas) {
    require(absentBefore, "stored");
    stored(write, cas);
  }

  /** What to compare with: a unique that the key has, if one is known; else one that none has. */
  long unique() {
    for (Write candidate : possible) {
      if (candidate.cas != 0) {
        return candidate.cas;
      }
    }
    return NO_UNIQUE;
  }

  /** A write was stored because the key had this unique. */
  void exchanged(long compared, Write write, long cas) {
    requireAny(
        candidate ->
            candidate != Write.ABSENT
                && (!checksCas || candidate.cas == 0 || candidate.cas == compared),
        "stored for cas " + compared);
    stored(write, cas);
  }

  /** A write was refused because the key had another unique than this. */
  void different(long compared) {
    requireAny(
        candidate -> candidate != Write.ABSENT && (!checksCas || candidate.cas != compared),
        "exists with another cas than " + compared);
    possible.remove(Write.ABSENT);
    addStrays();
  }

  /** Such a write was refused. */
  void notStored(boolean absentBefore) {
    require(absentBefore, "not stored");
    if (absentBefore) {
      become(Write.ABSENT);
    } else {
      possible.remove(Write.ABSENT);
      addStrays();
    }
  }

  void deleted() {
    require(false, "deleted");
    become(Write.ABSENT);
  }

  /**
   * A write or, with {@link Write#ABSENT}, a delete of which nobody knows whether or when it is
   * applied.
   */
  void unknown(Write write) {
    if (!strays.contains(write)) {
      strays.add(write);
    }
    // memcached drops the old value where it cannot store the new one
    if (!strays.contains(Write.ABSENT)) {
      strays.add(Write.ABSENT);
    }
    addStrays();
  }

  private void require(boolean absent, String outcome) {
    requireAny(candidate -> (candidate == Write.ABSENT) == absent, outcome);
  }

  private void requireAny(Predicate<Write> condition, String outcome) {
    for (Write candidate : possible) {
      if (condition.test(candidate)) {
        return;
      }
    }
    throw new WrongReply("key " + key + " can hold " + possible + ", answered " + outcome);
  }

  private void learnCas(Write write, long cas) {
    if (cas == 0) {
      return;
    }
    if (checksCas && write.cas != 0 && write.cas != cas) {
      throw new WrongReply(
          "key " + key + ": cas was " + write.cas + " for " + write + ", is " + cas);
    }
    write.cas = cas;
  }

  /** Whether it can hold what was found in it; flags null where it was not found. */
  boolean allows(Integer flags, byte[] value) {
    for (Write candidate : possible) {
      if (flags == null
          ? candidate == Write.ABSENT
          : candidate.matches(flags, value, 0, value.length)) {
        return true;
      }
    }
    return false;
  }

  /** What it can hold, for a message. */
  @Override
  public String toString() {
    return key + ": " + possible;
  }

  private void become(Write write) {
    possible.clear();
    possible.add(write);
    addStrays();
  }

  private void addStrays() {
    for (Write stray : strays) {
      if (!possible.contains(stray)) {
        possible.add(stray);
      }
    }
  }
}
