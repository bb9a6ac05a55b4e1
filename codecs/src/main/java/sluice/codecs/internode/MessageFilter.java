package sluice.codecs.internode;

/** Filter of the messages of one direction of a link, called for each message in order. */
public interface MessageFilter {
  /**
   * Called when a message's header has arrived; its payload may be missing. Borrows the header,
   * which is valid until the call returns. The filter must not change the header's buffer.
   *
   * @return whether the message passes; if not, all of it is left out
   */
  boolean pass(MessageHeader header);
}
