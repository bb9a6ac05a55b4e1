package sluice.testkit.misbehaving;

/**
 * What {@link MisbehavingServer} can do instead of answering, decided for each reply.
 *
 * <p>Each is one that whoever stands between can notice: a lie that looks exactly like the truth (a
 * doubled STORED, a length that swallows the next replies) proves nothing about who passed it on.
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
   * The reply twice. Only binary's opaque and meta's O tell a second reply from the next request's:
   * without them (classic text, MN, meta without O) the second is a hit for a key that nobody asks
   * for. Not the hit itself: "VALUE k" and END is also what a read of k and of a missing key gets.
   */
  ANSWER_TWICE,
  /**
   * Something that is no reply to this request: noise, an unknown line, a hit for a key that nobody
   * asks for, a length beyond any limit, a value with another end than CRLF, and in binary a wrong
   * magic, opcode or opaque. The connection goes on.
   */
  GARBAGE,
  /** The right reply in segments of one byte. */
  SINGLE_BYTES,
  /**
   * A reply that was meant for another connection. Nobody can repair this one: it is there to show
   * that a judge notices.
   */
  MIX_UP
}
