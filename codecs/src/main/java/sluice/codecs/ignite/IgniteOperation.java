package sluice.codecs.ignite;

import sluice.codecs.memcached.binary.Opcode;

/** Meaning of an opcode to a node, as {@code GridTcpMemcachedNioListener} treats it. */
public enum IgniteOperation {
  GET,
  /** Put, put if absent, replace: flags and expiry are mandatory. */
  STORE,
  REMOVE,
  /**
   * Counters, which are stored outside the cache: delta, initial value and four bytes are
   * mandatory.
   */
  COUNT,
  /** Append and prepend. */
  CONCATENATE,
  QUIT,
  FLUSH,
  NOOP,
  VERSION,
  STAT,
  /** The node closes the connection. */
  UNKNOWN;

  /** The operation of an opcode, quiet or not: a node replies to quiet ones, too. */
  public static IgniteOperation of(int opcode) {
    return switch (opcode) {
      case Opcode.GET, Opcode.GETQ, Opcode.GETK, Opcode.GETKQ -> GET;
      case Opcode.SET, Opcode.SETQ, Opcode.ADD, Opcode.ADDQ, Opcode.REPLACE, Opcode.REPLACEQ ->
          STORE;
      case Opcode.DELETE, Opcode.DELETEQ -> REMOVE;
      case Opcode.INCREMENT, Opcode.INCREMENTQ, Opcode.DECREMENT, Opcode.DECREMENTQ -> COUNT;
      case Opcode.APPEND, Opcode.APPENDQ, Opcode.PREPEND, Opcode.PREPENDQ -> CONCATENATE;
      case Opcode.QUIT, Opcode.QUITQ -> QUIT;
      case Opcode.FLUSH, Opcode.FLUSHQ -> FLUSH;
      case Opcode.NOOP -> NOOP;
      case Opcode.VERSION -> VERSION;
      case Opcode.STAT -> STAT;
      default -> UNKNOWN;
    };
  }

  /** Bytes of extras that a request needs; with fewer, a node closes the connection. */
  public int mandatoryExtras() {
    return switch (this) {
      case STORE -> 8;
      case COUNT -> 20;
      default -> 0;
    };
  }

  /** Bytes of extras before a cache's name. */
  int extrasBeforeCacheName() {
    return Math.max(4, mandatoryExtras());
  }
}
