package sluice.gateway.metrics;

/** Reasons for which a request that was read is never carried out. */
public enum DropReason {
  /** Its client did not read, and held up servers or memory. */
  STALLED,
  /** There was no memory for what its client had sent before it closed. */
  MEMORY,
  /** Its client had closed, and it could not be carried out in time. */
  TIMEOUT,
  /** The gateway stops. */
  STOPPING;

  static final int COUNT = values().length;
}
