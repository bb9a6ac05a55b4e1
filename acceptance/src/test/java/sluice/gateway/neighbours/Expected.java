package sluice.gateway.neighbours;

import java.util.Arrays;
import java.util.BitSet;
import sluice.testkit.hostile.Bytes;

/**
 * A reply that is known, byte for byte but for those that are the server's own affair: cas uniques.
 */
record Expected(byte[] bytes, BitSet any) {

  static Expected text(String reply) {
    return new Expected(Bytes.of(reply), new BitSet());
  }

  /** A binary reply, in which the cas unique may be any. */
  static Expected packet(byte[] reply) {
    BitSet any = new BitSet();
    any.set(16, 24);
    return new Expected(reply, any);
  }

  boolean matches(byte found, int at) {
    return any.get(at) || bytes[at] == found;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Expected that
        && Arrays.equals(bytes, that.bytes)
        && any.equals(that.any);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public String toString() {
    return Bytes.escaped(bytes);
  }
}
