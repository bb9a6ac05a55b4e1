package sluice.gateway.route.hash;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The rendezvous hash of pymemcache's {@code HashClient}: the member with the largest MurmurHash3
 * of {@code identity-key} owns the key. Costs a hash of the key per member.
 *
 * <p>Of equal hashes, the one whose identity is later in the alphabet counts. So members are
 * compared in alphabetical order, not in the list's.
 */
final class Pymemcache implements Placement {
  private static final int WORD = 4;

  private final int[] members; // in the order of their identities
  private final int[] states; // the hash of the whole words of "identity-"
  private final int[] tails; // the bytes after them, little-endian
  private final int[] tailLengths;
  private final int[] lengths;

  Pymemcache(List<Member> all) {
    // Python compares code points, as UTF-8 does.
    List<byte[]> begins =
        all.stream()
            .map(member -> (member.clientIdentity() + "-").getBytes(StandardCharsets.UTF_8))
            .toList();
    Comparator<Integer> byIdentity =
        Comparator.comparing(
            i -> Member.bytes(all.get(i).clientIdentity()), Arrays::compareUnsigned);
    members =
        IntStream.range(0, all.size())
            .boxed()
            .sorted(byIdentity)
            .mapToInt(Integer::intValue)
            .toArray();
    states = new int[members.length];
    tails = new int[members.length];
    tailLengths = new int[members.length];
    lengths = new int[members.length];
    for (int i = 0; i < members.length; i++) {
      ByteBuf begin = Unpooled.wrappedBuffer(begins.get(members[i]));
      lengths[i] = begin.readableBytes();
      tailLengths[i] = lengths[i] % WORD;
      int whole = lengths[i] - tailLengths[i];
      for (int at = 0; at < whole; at += WORD) {
        states[i] = BlockHashes.murmur3Word(states[i], begin.getIntLE(at));
      }
      for (int at = 0; at < tailLengths[i]; at++) {
        tails[i] |= begin.getUnsignedByte(whole + at) << (Byte.SIZE * at);
      }
    }
  }

  @Override
  public int memberOf(long hash) {
    throw new UnsupportedOperationException("this distribution reads the key");
  }

  @Override
  public int memberOf(long hash, ByteBuf key, int offset, int length) {
    int best = 0;
    int bestHash = 0;
    for (int i = 0; i < members.length; i++) {
      int each = hash(i, key, offset, length);
      if (Integer.compareUnsigned(each, bestHash) >= 0) {
        best = members[i];
        bestHash = each;
      }
    }
    return best;
  }

  /** The hash of "identity-" and the key, whose words are made of two words of the key. */
  private int hash(int i, ByteBuf key, int offset, int length) {
    int state = states[i];
    int shift = Byte.SIZE * tailLengths[i];
    int word = tails[i];
    int filled = tailLengths[i];
    int at = offset;
    int end = offset + length;
    for (; at + WORD <= end; at += WORD) {
      int next = key.getIntLE(at);
      state = BlockHashes.murmur3Word(state, word | (next << shift));
      word = shift == 0 ? 0 : next >>> (Integer.SIZE - shift);
    }
    for (; at < end; at++) {
      word |= key.getUnsignedByte(at) << (Byte.SIZE * filled);
      if (++filled == WORD) {
        state = BlockHashes.murmur3Word(state, word);
        word = 0;
        filled = 0;
      }
    }
    return BlockHashes.murmur3End(state, word, lengths[i] + length);
  }
}
