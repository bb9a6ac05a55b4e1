package sluice.gateway.internode;

import sluice.gateway.metrics.LinkType;

/** Link that carries messages, for answers to messages of the opposite direction. */
interface ReturnLink {
  /** Queue of an event loop's answers. From any thread. */
  interface Queue {
    /** Adds an answer; returns false if too many wait already. */
    boolean offer(Rejected rejected);
  }

  /** Its purpose. From any thread. */
  LinkType type();

  /** Its event loop's queue of answers. From any thread. */
  Queue answers();

  /**
   * Whether its server does not take the bytes sent to it, so that further ones would accumulate.
   */
  boolean isFull();

  /** Sends an answer in the name of its initiator; returns false if it cannot any more. */
  boolean answer(Rejected rejected);
}
