package sluice.gateway.differential;

/** What a client speaks; {@link #META} clients use a classic command now and then. */
enum Dialect {
  TEXT,
  META,
  BINARY
}
