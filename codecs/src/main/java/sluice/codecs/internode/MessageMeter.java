package sluice.codecs.internode;

import sluice.names.Verb;

/** Counts every message of one direction of a link, in order: all go on. */
public interface MessageMeter {
  /**
   * Called when a message's header is there; of its payload nothing need be.
   *
   * @param verb see {@link Verb#of}
   * @param length of header and payload, in bytes
   */
  void count(int verb, long length);
}
