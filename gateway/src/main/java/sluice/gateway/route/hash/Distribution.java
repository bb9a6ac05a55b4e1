package sluice.gateway.route.hash;

/** From a key's hash to a member. Immutable, hence safe for any thread. */
interface Distribution {
  /** The index of the member that owns hash, an unsigned 32-bit value. Allocates nothing. */
  int memberOf(int hash);
}
