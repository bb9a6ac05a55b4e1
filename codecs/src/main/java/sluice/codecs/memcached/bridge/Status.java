package sluice.codecs.memcached.bridge;

/** Outcome of a request, in any dialect. */
public enum Status {
  /** Done; a read has found its item. */
  OK,
  /** There is no such item. */
  NOT_FOUND,
  /** The item's presence or absence forbids the operation: add, replace, append, prepend. */
  NOT_STORED,
  /** The item has another cas unique. */
  EXISTS,
  TOO_LARGE,
  OUT_OF_MEMORY,
  /** The item to be counted is not a number. */
  NON_NUMERIC,
  /** The server forbids this to every client. */
  NOT_ALLOWED,
  /** The server does not know the command. */
  UNKNOWN_COMMAND,
  /** The server considers the request invalid. */
  CLIENT_ERROR,
  /** The server failed. */
  SERVER_ERROR;

  /** Whether the request failed, as opposed to having found or missed an item. */
  public boolean isError() {
    return compareTo(TOO_LARGE) >= 0;
  }
}
