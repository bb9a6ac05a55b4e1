package sluice.testkit.misbehaving;

/**
 * Fault that a {@link MisbehavingServer} makes instead of answering, chosen for each reply.
 *
 * <p>A proxy can notice each of them. A wrong reply that looks exactly like a right one (a second
 * STORED, a length that includes the next replies) would prove nothing about the proxy.
 */
public enum Fault {
  /** Pauses for a while and then continues: the reply, and all later ones, are late. */
  STALL,
  /** Never sends anything again on that connection, but continues to read. */
  STALL_FOREVER,
  /** Part of the reply, perhaps no byte of it, then a reset. */
  CLOSE_MID_REPLY,
  /** Part of the reply, at least one byte of it, then an orderly close. */
  TRUNCATE_AND_CLOSE,
  /**
   * The reply twice. Only binary's opaque and meta's O distinguish a second reply from the next
   * request's. Without them (classic text, MN, meta without O) the second is a hit for a key that
   * was not requested. It is not the hit itself, because "VALUE k" and END is also the reply to a
   * read of k and a missing key.
   */
  ANSWER_TWICE,
  /**
   * Bytes that are no reply to this request. They may be noise, an unknown line, a hit for a key
   * that was not requested, or a length beyond any limit. A value may end in other bytes than CRLF,
   * and a binary packet may have a wrong magic, opcode or opaque. The connection stays open.
   */
  GARBAGE,
  /** The right reply in segments of one byte. */
  SINGLE_BYTES,
  /** A reply for another connection. No proxy can repair this: it shows that a check notices it. */
  MIX_UP
}
