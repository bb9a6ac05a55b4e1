package sluice.gateway.metrics;

/** Reasons why a request that was read is never executed. */
public enum DropReason {
  /** Its client did not read, and blocked servers or memory. */
  STALLED,
  /** There was no memory for what its client had sent before closing. */
  MEMORY,
  /** Its client had closed, and the request could not be carried out in time. */
  TIMEOUT,
  /** The gateway is stopping. */
  STOPPING;

  static final int COUNT = values().length;
}
