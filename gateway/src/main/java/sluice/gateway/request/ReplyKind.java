package sluice.gateway.request;

/**
 * Reply kind, which determines how the end of a reply is found (protocols/memcached.md, 2.2 to 4).
 */
public enum ReplyKind {
  /** One line of any content. */
  LINE,
  /** One of the replies to a storage command, or an error line. */
  STORED,
  DELETED,
  TOUCHED,
  /** A number, {@code NOT_FOUND}, or an error line. */
  NUMBER,
  /** {@code VALUE} lines with data, then {@code END}; or an error line. */
  VALUES,
  /** A meta return code, {@code VA} with data. */
  META,
  /** Lines up to {@code END}; or one line {@code OK}, {@code RESET} or an error. */
  STATS,
  /**
   * As {@link #STATS}, with lines that may contain bytes of clients, which could forge the end.
   * Only for a connection that is closed after the reply.
   */
  LISTING,
  /** Lines up to {@code END} or {@code EN}; or one line of refusal. */
  DUMP,
  /** {@code OK} and then all bytes until the server closes; or one line of refusal. */
  STREAM,
  /** Determined by the reader of its {@link Bridged}. */
  BRIDGED,
  /** One binary packet. */
  PACKET,
  /** Binary packets up to one without a key, or with an error. */
  PACKETS
}
