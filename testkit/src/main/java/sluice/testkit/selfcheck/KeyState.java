package sluice.testkit.selfcheck;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Possible values of a key of one connection, according to the replies.
 *
 * <p>With a healthy server, there is always exactly one. A write that failed or was never answered
 * may have been applied, or may be applied at any later time. Its value stays possible for as long
 * as the key is used, in addition to later acknowledged values ({@link #strays}). Such a key is
 * replaced by a new one after a few more requests, so that most of a run stays exact.
 *
 * <p>Only its connection changes it; others may read it ({@link Witness}).
 */
class KeyState {
  /** What is known about the servers that have a key. */
  enum Memory {
    /** They carry out every request, and a read shows the current value. */
    EXACT,
    /**
     * Several servers, or a cache in front of them. Once a write has failed, its value and the
     * previous values stay possible, even after reads, until an unconditional change is
     * acknowledged.
     */
    LINGERING,
    /** Any value that was ever written may appear and disappear. */
    FORGETFUL
  }

  private static final int REQUESTS_WITH_STRAYS = 6;
  private static final int REQUESTS_FORGETFUL = 60;
  private static final int MOST_POSSIBLE = 64;

  /** A cas unique that no server reaches in the time of a run. */
  private static final long NO_UNIQUE = 1L << 60;

  final String key;

  /** Dialect of the connection that writes it: text, meta or binary. */
  final String dialect;

  private final boolean checksCas;
  private final Memory memory;
  private final List<Write> strays = new ArrayList<>(0);
  private final List<Write> possible = new ArrayList<>(1);
  private final List<Witness> witnesses = new ArrayList<>(0);
  private int requestsWithStrays;

  /** Its value is unknown, and it is not requested again. */
  private boolean lost;

  /**
   * @param checksCas whether a write keeps the cas unique that it was given, which is not so if a
   *     proxy may send it twice
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

  /** A request to append or prepend is sent. */
  final void askedToAdd(Write addition, boolean front) {
    witnesses.forEach(witness -> witness.mayReadWith(addition, front));
  }

  /** This may have been appended or prepended to any possible value. */
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

  /** Bytes were appended or prepended to the value. */
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

  /** Nothing was appended or prepended, because there was no value. */
  final void notAdded() {
    require(true, "not added");
    if (isCertain()) {
      become(Write.ABSENT);
    } else {
      lose(); // another server may have had something
    }
  }

  /** Its value can no longer be determined. */
  final void lose() {
    lost = true;
    witnesses.forEach(Witness::lose);
  }

  /** The length of the longest possible value. */
  final int longest() {
    return possible.stream().mapToInt(write -> write.length).max().orElse(0);
  }

  /** A read may now return one more value. */
  final void mayRead(Write write) {
    if (!possible.contains(write)) {
      possible.add(write);
    }
  }

  /** A read may not return this value. */
  final void mayNotRead(Write write) {
    possible.remove(write);
  }

  /** A read of it has ended without a meaningful reply. */
  void unanswered() {}

  /** Counts one more request for the key; true if a new key should replace it. */
  boolean isWornOut() {
    if (lost) {
      return true;
    }
    return !strays.isEmpty()
        && ++requestsWithStrays
            > (memory == Memory.FORGETFUL ? REQUESTS_FORGETFUL : REQUESTS_WITH_STRAYS);
  }

  /** A value was read: flags and the bytes [from, to) of array; cas is 0 if none was reported. */
  void read(int flags, byte[] array, int from, int to, long cas) {
    read((Integer) flags, array, from, to, cas);
  }

  /** The same for a reply without flags. */
  void readWithoutFlags(byte[] array, int from, int to, long cas) {
    read(null, array, from, to, cas);
  }

  private void read(@Nullable Integer flags, byte[] array, int from, int to, long cas) {
    if (lost) {
      unanswered();
      return;
    }
    // Without flags, it can be one of several: bytes added to either of two empty values.
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

  /**
   * A hit without its value: flags and size are compared if the reply reported them, and are null
   * otherwise.
   */
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

  /** A write that requires a missing key (absentBefore) or an existing one was acknowledged. */
  void storedIf(boolean absentBefore, Write write, long cas) {
    require(absentBefore, "stored");
    storedSomewhere(write, cas);
  }

  /** If servers may differ, some may have refused it. */
  private void storedSomewhere(Write write, long cas) {
    if (isCertain()) {
      stored(write, cas);
    } else {
      learnCas(write, cas);
      mayRead(write);
    }
  }

  /** The unique to compare: one that the key has, if one is known; else one that no key has. */
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
    // memcached drops the old value if it cannot store the new one
    if (!strays.contains(Write.ABSENT)) {
      strays.add(Write.ABSENT);
      tell(Write.ABSENT);
    }
    addStrays();
  }

  /** Whether a reply shows what all servers have, and will have. */
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

  /** Whether this value is possible; flags are null if the key was not found. */
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

  /** The possible values, for a message. */
  @Override
  public String toString() {
    return key + ": " + possible;
  }

  /** A reply shows that one of these is the value. */
  void found(List<Write> writes) {
    if (isCertain()) {
      possible.clear();
      possible.addAll(writes);
      addStrays();
    }
  }

  /** A reply shows that there is a value. */
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
