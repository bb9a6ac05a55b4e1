package sluice.gateway.differential;

/** Which cas unique a request names. */
enum Cas {
  NONE,
  /** 0, which no item has. */
  ZERO,
  /** The last that its key's replies told. */
  LATEST,
  /** One that its key had before. */
  EARLIER,
  /** One that no server gives. */
  UNHEARD_OF
}
