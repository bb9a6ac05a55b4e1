package sluice.gateway.torture;

/** One request that was sent and what is known about its answer. */
final class Expectation {
  enum Kind {
    GET,
    STORE,
    DELETE,
    TOUCH,
    FENCE,
    VERSION
  }

  /** When a write is to be stored: always, on an empty key, on a full one. */
  enum Mode {
    SET,
    ADD,
    REPLACE
  }

  final Kind kind;

  /** What the reply will be known by: binary's opaque, meta's O; classic text has none. */
  final long token;

  /** A form that says nothing: text noreply at all, the quiet forms in their usual case. */
  final boolean quiet;

  KeyState[] keys = {};
  Write write;
  Mode mode = Mode.SET;

  /** Of the keys of a get: how many were answered. */
  int answered;

  /** Binary: the opcode as sent. */
  int opcode;

  /** Meta: the flags of the reply, in order; text: "gets" asks for the cas unique. */
  String flags = "";

  /** Meta: the key as it was written on the line. */
  String wireKey = "";

  Expectation(Kind kind, long token, boolean quiet) {
    this.kind = kind;
    this.token = token;
    this.quiet = quiet;
  }

  KeyState key() {
    return keys[0];
  }

  /** The request failed or was never answered: what it wanted to write may be there, or come. */
  void failed() {
    if (kind == Kind.STORE) {
      key().unknown(write);
    } else if (kind == Kind.DELETE) {
      key().unknown(Write.ABSENT);
    }
  }

  void stored(long cas) {
    if (mode == Mode.SET) {
      key().stored(write, cas);
    } else {
      key().storedIf(mode == Mode.ADD, write, cas);
    }
  }

  /** A conditional write was refused; a plain set never is. */
  void notStored() {
    if (mode == Mode.SET) {
      throw new WrongReply("a set of " + key().key + " answered not stored");
    }
    key().notStored(mode == Mode.REPLACE);
  }

  @Override
  public String toString() {
    return kind
        + (quiet ? " (quiet)" : "")
        + " #"
        + token
        + (keys.length > 0 ? " " + key().key : "");
  }
}
