package sluice.embedded;

/** Result of storing a value. */
enum StoreOutcome {
  STORED,
  NOT_STORED,
  EXISTS,
  NOT_FOUND,
  NO_MEMORY
}
