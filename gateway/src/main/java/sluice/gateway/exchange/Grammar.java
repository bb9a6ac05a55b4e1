package sluice.gateway.exchange;

/** How the end of a reply is found (protocols/memcached.md, 2.2 to 4). */
public enum Grammar {
  /** One line of any content. */
  LINE,
  /** One of the answers to a storage command, or an error line. */
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
   * As {@link #STATS}, of lines that may hold what clients have written: only for a connection that
   * is closed behind the reply, whose end such a line may forge.
   */
  LISTING,
  /** Lines up to {@code END} or {@code EN}; or one line of refusal. */
  DUMP,
  /** {@code OK} and then everything until the server closes; or one line of refusal. */
  STREAM,
  /** Whatever the reader of its {@link Bridged} makes of it. */
  BRIDGED,
  /** One binary packet. */
  PACKET,
  /** Binary packets up to one without a key, or with an error. */
  PACKETS
}
