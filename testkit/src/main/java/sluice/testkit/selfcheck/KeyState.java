package sluice.testkit.selfcheck;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Possible values of a key of one connection, according to the replies.
 *
 * <p>With a healthy server there is always exactly one. A write that failed or was never answered
 * may have been applied, or may be applied at any later time. It stays possible for as long as the
 * key is used, besides later acknowledged values ({@link #strays}). Such a key is replaced by a
 * fresh one after a few more requests, so that most of a run stays exact.
 *
 * <p>Only its connection changes it; others may read it ({@link Witness}).
 */
class KeyState {
  /** What is known of the servers that hold a key. */
  enum Memory {
    /** They do what they are told, and a read says what there is. */
    EXACT,
    /**
     * Several servers, or a cache in front of them. Once a write has failed, the previous values
     * stay possible besides it, even after reads, until an unconditional change is acknowledged.
     */
    LINGERING,
    /** All that was ever written may come and go. */
    FORGETFUL
  }

  private static final int REQUESTS_WITH_STRAYS = 6;
  private static final int REQUESTS_FORGETFUL = 60;
  private static final int MOST_POSSIBLE = 64;

  /** What no server gives in the time that a run takes. */
  private static final long NO_UNIQUE = 1L << 60;

  final String key;

  /** Of the connection that writes it: text, meta or binary. */
  final String dialect;

  private final boolean checksCas;
  private final Memory memory;
  private final List<Write> strays = new ArrayList<>(0);
  private final List<Write> possible = new ArrayList<>(1);
  private final List<Witness> witnesses = new ArrayList<>(0);
  private int requestsWithStrays;

  /** What it holds is unknown; it is not asked for again. */
  private boolean lost;

  /**
   * @param checksCas whether a write keeps the cas unique it was given: not so where a proxy may
   *     send it twice
   */
  KeyState(String key, String dialect, boolean checksCas, Memory memory) {
    this.key = key;
    this.dialect = dialect;
    this.checksCas = checksCas;
    this.memory = memory;
    possible.add(Write.ABSENT);
  }

  /** The possible results of another connection's read that is sent now, until it is answered. */
  Witness witness() {
    witnesses.removeIf(Witness::isOver);
    Witness witness = new Witness(this, checksCas);
    possible.forEach(witness::mayRead);
    if (lost) {
      witness.lose();
    }
    witnesses.add(witness);
    return witness;
  }

  /** A write, or with {@link Write#ABSENT} a delete, is sent. */
  final void asked(Write write) {
    if (memory == Memory.FORGETFUL) {
      unknown(write);
    }
    tell(write);
  }

  private void tell(Write write) {
    witnesses.forEach(witness -> witness.mayRead(write));
  }

  /** Something is sent to be added in front of what is there, or behind. */
  final void askedToAdd(Write addition, boolean front) {
    witnesses.forEach(witness -> witness.mayReadWith(addition, front));
  }

  /** What may be read may have this added to it. */
  final void mayReadWith(Write addition, boolean front) {
    if (possible.size() > MOST_POSSIBLE) {
      lose();
    }
    for (Write base : List.copyOf(possible)) {
      if (base != Write.ABSENT) {
        possible.add(base.with(addition, front));
      }
    }
  }

  /** Something was added to what was there. */
  final void added(Write addition, boolean front) {
    require(false, "added");
    List<Write> before = List.copyOf(possible);
    if (isCertain()) {
      possible.clear();
      addStrays();
    }
    for (Write base : before) {
      if (base != Write.ABSENT) {
        possible.add(base.with(addition, front));
      }
    }
  }

  /** Nothing was added, because there was nothing. */
  final void notAdded() {
    require(true, "not added");
    if (isCertain()) {
      become(Write.ABSENT);
    } else {
      lose(); // another server may have had something
    }
  }

  /** What it holds cannot be told any more. */
  final void lose() {
    lost = true;
    witnesses.forEach(Witness::lose);
  }

  /** The length of the longest that it can hold. */
  final int longest() {
    return possible.stream().mapToInt(write -> write.length).max().orElse(0);
  }

  /** Of one more value a read may tell. */
  final void mayRead(Write write) {
    if (!possible.contains(write)) {
      possible.add(write);
    }
  }

  /** And never of this one. */
  final void mayNotRead(Write write) {
    possible.remove(write);
  }

  /** A read of it is over, without an answer that tells anything. */
  void unanswered() {}

  /** Counts one more request for the key; true when a fresh key should take its place. */
  boolean isWornOut() {
    if (lost) {
      return true;
    }
    return !strays.isEmpty()
        && ++requestsWithStrays
            > (memory == Memory.FORGETFUL ? REQUESTS_FORGETFUL : REQUESTS_WITH_STRAYS);
  }

  /** A value was read: flags and the bytes [from, to) of array; cas 0 where none was told. */
  void read(int flags, byte[] array, int from, int to, long cas) {
    read((Integer) flags, array, from, to, cas);
  }

  /** The same where the reply told no flags. */
  void readWithoutFlags(byte[] array, int from, int to, long cas) {
    read(null, array, from, to, cas);
  }

  private void read(@Nullable Integer flags, byte[] array, int from, int to, long cas) {
    if (lost) {
      unanswered();
      return;
    }
    // Without flags it can be one of several: something added to either of two empty values.
    List<Write> matching =
        possible.stream()
            .filter(it -> it.matches(flags == null ? it.flags() : flags, array, from, to))
            .toList();
    if (matching.size() == 1) {
      learnCas(matching.get(0), cas);
    }
    if (!matching.isEmpty()) {
      found(matching);
      return;
    }
    String head =
        new String(
            array, from, Math.min(to - from, 80), java.nio.charset.StandardCharsets.ISO_8859_1);
    throw new WrongReply(
        "key " + key + " can hold " + possible + ", read " + (to - from) + " bytes: " + head);
  }

  /** A hit without its value: flags and size are compared where the reply told them, else null. */
  void hit(@Nullable Integer flags, @Nullable Integer length, long cas) {
    if (lost) {
      unanswered();
      return;
    }
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
    if (only == null) {
      throw new WrongReply(
          "key " + key + " can hold " + possible + ", found flags " + flags + " length " + length);
    }
    if (count == 1) {
      learnCas(only, cas);
      found(List.of(only));
    } else {
      foundSomething();
    }
  }

  void missed() {
    if (lost) {
      unanswered();
      return;
    }
    if (!possible.contains(Write.ABSENT)) {
      throw new WrongReply("key " + key + " can hold " + possible + ", not found");
    }
    found(List.of(Write.ABSENT));
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
    storedSomewhere(write, cas);
  }

  /** Where servers may differ, some may have refused it. */
  private void storedSomewhere(Write write, long cas) {
    if (isCertain()) {
      stored(write, cas);
    } else {
      learnCas(write, cas);
      mayRead(write);
    }
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
    storedSomewhere(write, cas);
  }

  /** A write was refused because the key had another unique than this. */
  void different(long compared) {
    requireAny(
        candidate -> candidate != Write.ABSENT && (!checksCas || candidate.cas != compared),
        "exists with another cas than " + compared);
    foundSomething();
  }

  /** Such a write was refused. */
  void notStored(boolean absentBefore, Write write) {
    require(absentBefore, "not stored");
    if (!isCertain()) {
      unknown(write); // another server may have taken it
    } else if (absentBefore) {
      become(Write.ABSENT);
    } else {
      foundSomething();
    }
  }

  void deleted() {
    require(false, "deleted");
    become(Write.ABSENT);
  }

  /** A write or, with {@link Write#ABSENT}, a delete that may be applied now, later or never. */
  void unknown(Write write) {
    if (!strays.contains(write)) {
      strays.add(write);
    }
    // memcached drops the old value where it cannot store the new one
    if (!strays.contains(Write.ABSENT)) {
      strays.add(Write.ABSENT);
      tell(Write.ABSENT);
    }
    addStrays();
  }

  /** Whether a reply tells what all servers have, and will have. */
  private boolean isCertain() {
    return memory != Memory.LINGERING || strays.isEmpty();
  }

  private void require(boolean absent, String outcome) {
    requireAny(candidate -> (candidate == Write.ABSENT) == absent, outcome);
  }

  private void requireAny(Predicate<Write> condition, String outcome) {
    if (lost) {
      return;
    }
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
  boolean allows(@Nullable Integer flags, byte[] value) {
    if (lost) {
      return true;
    }
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

  /** A reply says that one of these is there. */
  void found(List<Write> writes) {
    if (isCertain()) {
      possible.clear();
      possible.addAll(writes);
      addStrays();
    }
  }

  /** A reply says that there is something. */
  void foundSomething() {
    if (isCertain()) {
      possible.remove(Write.ABSENT);
      addStrays();
    }
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
