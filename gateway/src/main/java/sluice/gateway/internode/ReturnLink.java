package sluice.gateway.internode;

import sluice.gateway.metrics.LinkType;

/** A link that carries messages, for an answer to a message that came the other way. */
interface ReturnLink {
  /** An event loop's queue of answers. From any thread. */
  interface Queue {
    /** Queues an answer; false if too many wait already. */
    boolean offer(Rejected rejected);
  }

  /** What it is for. From any thread. */
  LinkType type();

  /** Where its event loop takes answers. From any thread. */
  Queue answers();

  /** Whether its server does not take what was sent to it: what else it carries would pile up. */
  boolean isFull();

  /** Carries an answer in the name of its initiator; false if it cannot any more. */
  boolean answer(Rejected rejected);
}
