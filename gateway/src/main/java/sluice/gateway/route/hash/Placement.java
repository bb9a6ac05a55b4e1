package sluice.gateway.route.hash;

import io.netty.buffer.ByteBuf;

/** Mapping of a key's hash to a member. Immutable, hence safe for any thread. */
interface Placement {
  /**
   * The index of the member that owns hash, the result of the ring's function for a key. All but
   * {@link Furc} use only its low 32 bits, because the other functions give no more. Allocates
   * nothing.
   */
  int memberOf(long hash);

  /**
   * The same, for distributions that read the key again. Borrows key, moves no index, allocates
   * nothing.
   *
   * @param hash of the length bytes at offset
   */
  default int memberOf(long hash, ByteBuf key, int offset, int length) {
    return memberOf(hash);
  }
}
