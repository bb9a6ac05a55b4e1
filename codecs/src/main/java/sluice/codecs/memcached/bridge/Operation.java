package sluice.codecs.memcached.bridge;

/** What a request asks a server to do, whatever the dialect calls it. */
public enum Operation {
  /** Reads an item, and sets its time to live if the request has one. */
  GET,
  /** Sets an item's time to live; its value is not asked for. */
  TOUCH,
  SET,
  ADD,
  REPLACE,
  APPEND,
  PREPEND,
  DELETE,
  INCREMENT,
  DECREMENT,
  /** Forgets all items. */
  FLUSH,
  /** Sets how much a server logs. */
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

  /** Whether it is about no item. */
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
