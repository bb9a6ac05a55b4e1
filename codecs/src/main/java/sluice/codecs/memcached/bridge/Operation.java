package sluice.codecs.memcached.bridge;

/** Operation that a request asks a server for, in any dialect. */
public enum Operation {
  /** Reads an item, and sets its time to live if the request has one. */
  GET,
  /** Sets an item's time to live, without reading its value. */
  TOUCH,
  SET,
  ADD,
  REPLACE,
  APPEND,
  PREPEND,
  DELETE,
  INCREMENT,
  DECREMENT,
  /** Removes all items. */
  FLUSH,
  /** Sets the server's log level. */
  VERBOSITY,
  VERSION,
  STATS;

  /** Whether a value follows the request. */
  public boolean isStorage() {
    return switch (this) {
      case SET, ADD, REPLACE, APPEND, PREPEND -> true;
      default -> false;
    };
  }

  /** Whether it has no key. */
  public boolean isKeyless() {
    return switch (this) {
      case FLUSH, VERBOSITY, VERSION, STATS -> true;
      default -> false;
    };
  }

  /** Whether the reply is a number. */
  public boolean isArithmetic() {
    return this == INCREMENT || this == DECREMENT;
  }
}
