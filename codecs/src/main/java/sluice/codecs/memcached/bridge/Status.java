package sluice.codecs.memcached.bridge;

/** How a request ended, whatever the dialect calls it. */
public enum Status {
  /** Done; a read has found its item. */
  OK,
  /** There is no such item. */
  NOT_FOUND,
  /** The item that is there, or is not, forbids what was asked: add, replace, append, prepend. */
  NOT_STORED,
  /** The item's cas is another one. */
  EXISTS,
  TOO_LARGE,
  OUT_OF_MEMORY,
  /** The item to be counted is no number. */
  NON_NUMERIC,
  /** The server does not allow this to anybody. */
  NOT_ALLOWED,
  /** The server does not know the command. */
  UNKNOWN_COMMAND,
  /** The server finds the request wrong. */
  CLIENT_ERROR,
  /** The server cannot. */
  SERVER_ERROR;

  /** Whether the request failed, as opposed to having found, or not found, an item. */
  public boolean isError() {
    return compareTo(TOO_LARGE) >= 0;
  }
}
