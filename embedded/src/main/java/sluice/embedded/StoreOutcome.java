package sluice.embedded;

/** What became of a value that was put. */
enum StoreOutcome {
  STORED,
  NOT_STORED,
  EXISTS,
  NOT_FOUND,
  NO_MEMORY
}
