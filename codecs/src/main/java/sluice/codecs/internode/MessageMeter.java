package sluice.codecs.internode;

import sluice.names.Verb;

/** Counter of the messages of one direction of a link, called for each message in order. */
public interface MessageMeter {
  /**
   * Called when a message's header has arrived; its payload may be missing.
   *
   * @param verb see {@link Verb#of}
   * @param length of header and payload, in bytes
   */
  void count(int verb, long length);
}
