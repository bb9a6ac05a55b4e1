package sluice.gateway.differential;

/** What a client hears of a request. */
enum Answer {
  /** One reply, whatever happens. */
  ALWAYS,
  /** One reply that names the request by its token or opaque, or none. */
  MAYBE,
  /** None. */
  NEVER,
  /** Anything; a fence is sent behind it to tell. */
  FENCED,
  /** Anything, and then the connection is closed. */
  CLOSES
}
