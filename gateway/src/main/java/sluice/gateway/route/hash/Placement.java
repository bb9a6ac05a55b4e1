package sluice.gateway.route.hash;

/** From a key's hash to a member. Immutable, hence safe for any thread. */
interface Placement {
  /**
   * The index of the member that owns hash: what the ring's function made of a key. All but {@link
   * Furc} look at its low 32 bits alone, which are all that the other functions make. Allocates
   * nothing.
   */
  int memberOf(long hash);
}
