package sluice.testkit.selfcheck;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Request that was sent, with the known facts about its reply. */
final class Expectation {
  enum Kind {
    GET,
    STORE,
    DELETE,
    TOUCH,
    FENCE,
    VERSION,
    /** A counter is set to its first value. */
    CREATE,
    /** It is counted up or down. */
    COUNT,
    /** It is read. */
    NUMBER
  }

  /** Condition for storing: always, for a missing key, for an existing one. */
  enum Mode {
    SET,
    ADD,
    REPLACE,
    /** If the cas unique is the given one. */
    CAS,
    /** Appended to an existing value. */
    APPEND,
    /** Prepended to an existing value. */
    PREPEND
  }

  final Kind kind;

  /** Token that identifies the reply: binary's opaque, meta's O; classic text has none. */
  final long token;

  /** A form without a reply: text noreply in all cases, the quiet forms in their usual case. */
  final boolean quiet;

  KeyState[] keys = {};

  /** For a store: the value. */
  Write write = Write.ABSENT;

  Mode mode = Mode.SET;

  /** For a get: the number of keys that were answered. */
  int answered;

  /** Binary: the opcode as sent. */
  int opcode;

  /** The unique that a conditional write compares, which the key had or never had. */
  long compared;

  /** The counter, and the change: {@code delta} is the first value if it is created. */
  @Nullable Counter counter;

  long delta;

  @SuppressWarnings("NullAway.Init") // set by sent, before there can be a reply
  private CheckedConnection sender;

  private long sentNanos;

  /** Meta: the flags of the reply, in order; text: "gets" asks for the cas unique. */
  String flags = "";

  /** Meta: the key as it was written on the line. */
  String wireKey = "";

  Expectation(Kind kind, long token, boolean quiet) {
    this.kind = kind;
    this.token = token;
    this.quiet = quiet;
  }

  /** Sets the connection that sent it, just now. */
  void sent(CheckedConnection connection) {
    sender = connection;
    sentNanos = System.nanoTime();
  }

  long sentNanos() {
    return sentNanos;
  }

  KeyState key() {
    return keys[0];
  }

  /** The counter that it creates, counts or reads. */
  Counter counter() {
    return Objects.requireNonNull(counter, "no counter");
  }

  /** Whether it may change this key. */
  boolean changes(KeyState key) {
    return (kind == Kind.STORE || kind == Kind.DELETE) && key() == key;
  }

  /** The request failed or was never answered: its value may be stored, now or later. */
  void failed() {
    for (KeyState key : keys) {
      key.unanswered();
    }
    if (kind == Kind.CREATE) {
      counter().lose();
    } else if (kind == Kind.COUNT) {
      counter().unknown(delta);
    } else if (isAddition()) {
      key().lose();
    } else if (kind == Kind.STORE) {
      key().unknown(write);
    } else if (kind == Kind.DELETE) {
      key().unknown(Write.ABSENT);
    }
  }

  /** Whether it appends or prepends to a value. */
  boolean isAddition() {
    return mode == Mode.APPEND || mode == Mode.PREPEND;
  }

  /** It is stored, according to its reply or to the silence in place of one. */
  void stored(long cas) {
    applied(cas);
    if (isAddition()) {
      return; // other values are unknown
    }
    sender
        .plan
        .acknowledgements()
        .stored(sender.dialect(), key().key, write.flags(), sentNanos, System.nanoTime());
  }

  /** It is stored, and no failure was expected. */
  void applied(long cas) {
    switch (mode) {
      case SET -> key().stored(write, cas);
      case CAS -> key().exchanged(compared, write, cas);
      case APPEND, PREPEND -> key().added(write, mode == Mode.PREPEND);
      default -> key().storedIf(mode == Mode.ADD, write, cas);
    }
  }

  /** A counter was set to its first value, or became or is this number. */
  void counted(long number) {
    switch (kind) {
      case CREATE -> counter().created(delta);
      case COUNT -> counter().counted(delta, number);
      default -> counter().read(number);
    }
  }

  void deleted() {
    key().deleted();
    sender
        .plan
        .acknowledgements()
        .deleted(sender.dialect(), key().key, sentNanos, System.nanoTime());
  }

  /** A write that compared cas uniques found another one. */
  void exists() {
    if (mode != Mode.CAS) {
      throw new WrongReply("a " + mode + " of " + key().key + " answered that it exists");
    }
    key().different(compared);
  }

  /** A conditional write was refused; a plain set never is. */
  void notStored() {
    if (mode == Mode.SET || mode == Mode.CAS) {
      throw new WrongReply("a " + mode + " of " + key().key + " answered not stored");
    }
    if (isAddition()) {
      key().notAdded();
    } else {
      key().notStored(mode == Mode.REPLACE, write);
    }
  }

  @Override
  public String toString() {
    return kind
        + (quiet ? " (quiet)" : "")
        + " #"
        + token
        + (keys.length > 0 ? " " + key().key : "")
        + (counter == null ? "" : " of " + delta + " to " + counter);
  }
}
