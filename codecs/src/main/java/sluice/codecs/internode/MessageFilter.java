package sluice.codecs.internode;

/** Looks at every message of one direction of a link, in order. */
public interface MessageFilter {
  /**
   * Called when a message's header is there; of its payload nothing need be. Borrows the header,
   * which is good until the call returns, and must not change its buffer.
   *
   * @return whether the message goes on; if not, all of it is left out
   */
  boolean pass(MessageHeader header);
}
