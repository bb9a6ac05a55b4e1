package sluice.testkit.misbehaving;

/**
 * Fault that a {@link MisbehavingServer} makes instead of answering, chosen for each reply.
 *
 * <p>A proxy can notice each of them. A lie that looks exactly like the truth (a doubled STORED, a
 * length that swallows the next replies) would prove nothing about the proxy.
 */
public enum Fault {
  /** Says nothing for a while, then goes on: the reply, and all behind it, come late. */
  STALL,
  /** Never says anything again on that connection; reads on. */
  STALL_FOREVER,
  /** Part of the reply, perhaps none of it, then a reset. */
  CLOSE_MID_REPLY,
  /** Part of the reply, at least a byte of it, then an orderly end. */
  TRUNCATE_AND_CLOSE,
  /**
   * The reply twice. Only binary's opaque and meta's O distinguish a second reply from the next
   * request's. Without them (classic text, MN, meta without O) the second is a hit for a key that
   * was not requested. It is not the hit itself, because "VALUE k" and END is also the reply to a
   * read of k and of a missing key.
   */
  ANSWER_TWICE,
  /**
   * Bytes that are no reply to this request. They may be noise, an unknown line, a hit for a key
   * that was not requested, or a length beyond any limit. A value may have another end than CRLF,
   * and a binary packet a wrong magic, opcode or opaque. The connection stays open.
   */
  GARBAGE,
  /** The right reply in segments of one byte. */
  SINGLE_BYTES,
  /**
   * A reply for another connection. No proxy can repair this one: it shows that a judge notices.
   */
  MIX_UP
}
