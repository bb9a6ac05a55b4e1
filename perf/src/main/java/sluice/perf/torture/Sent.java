package sluice.perf.torture;

/**
 * A request as a recorder saw it go to a server.
 *
 * @param form what its reply looks like
 * @param write what it is to change; NOTHING of a read
 * @param key of a write, decoded; empty otherwise
 * @param flags of the value of a write that stores one
 * @param opaque of the binary protocol
 * @param nanos when its first line or header was there
 */
record Sent(Form form, Write write, String key, int flags, int opaque, long nanos) {
  /** How a reply ends. */
  enum Form {
    /** One line. */
    LINE,
    /** Values, each with a line before it, and END. */
    VALUES,
    /** A line, and a value where it begins with VA. */
    META,
    /** A packet. */
    PACKET
  }

  /** What changes. */
  enum Write {
    NOTHING,
    STORE,
    DELETE
  }

  static Sent read(Form form, int opaque) {
    return new Sent(form, Write.NOTHING, "", 0, opaque, 0);
  }
}
