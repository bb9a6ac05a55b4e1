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
    /** A counter is given its first value. */
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
    /** While the cas unique is the one compared with. */
    CAS,
    /** Behind what a full one has. */
    APPEND,
    /** In front of it. */
    PREPEND
  }

  final Kind kind;

  /** What the reply will be known by: binary's opaque, meta's O; classic text has none. */
  final long token;

  /** A form that says nothing: text noreply at all, the quiet forms in their usual case. */
  final boolean quiet;

  KeyState[] keys = {};

  /** Of a store: what it stores. */
  Write write = Write.ABSENT;

  Mode mode = Mode.SET;

  /** Of the keys of a get: how many were answered. */
  int answered;

  /** Binary: the opcode as sent. */
  int opcode;

  /** What a conditional write compares with, which the key had or never had. */
  long compared;

  /** What is counted, and by how much: {@code delta} is its first value where it is created. */
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

  /** Who sent it, just now. */
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

  /** The request failed or was never answered: what it wanted to write may be there, or come. */
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

  /** Whether it adds to what is there. */
  boolean isAddition() {
    return mode == Mode.APPEND || mode == Mode.PREPEND;
  }

  /** It is stored, and its reply or the silence in its place says so. */
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

  /** It is stored: nothing that goes wrong was expected. */
  void applied(long cas) {
    switch (mode) {
      case SET -> key().stored(write, cas);
      case CAS -> key().exchanged(compared, write, cas);
      case APPEND, PREPEND -> key().added(write, mode == Mode.PREPEND);
      default -> key().storedIf(mode == Mode.ADD, write, cas);
    }
  }

  /** A counter has its first value, or became or is this number. */
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

  /** A write that compared cas uniques met another one. */
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
