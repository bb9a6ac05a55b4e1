package sluice.gateway.route.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The search for the point at or after a hash, beside a sorted map that is asked for it. */
class ContinuumTest {
  @ParameterizedTest(name = "{0} members")
  @ValueSource(ints = {2, 3, 4, 10, 97, 1000})
  void shouldFindTheOwnerOfThePointAtOrAfterAHash(int count) throws NoSuchAlgorithmException {
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      members.add(new Member("m" + i, "10.0.0.1", 1 + i, 1));
    }
    TreeMap<Long, Integer> points = new TreeMap<>();
    for (int i : Continuum.twemproxyOrder(members)) { // who is first keeps a point that two have
      for (int n = 0; n < 40; n++) { // of four points each: members weigh the same
        String text = members.get(i).twemproxyIdentity() + '-' + n;
        ByteBuffer digest =
            ByteBuffer.wrap(MessageDigest.getInstance("MD5").digest(Member.bytes(text)))
                .order(ByteOrder.LITTLE_ENDIAN);
        while (digest.hasRemaining()) {
          points.putIfAbsent(Integer.toUnsignedLong(digest.getInt()), i);
        }
      }
    }
    Placement continuum = Continuum.twemproxy(members);
    List<Long> hashes = new ArrayList<>(List.of(0L, 0x7FFFFFFFL, 0x80000000L, 0xFFFFFFFFL));
    for (long point : points.keySet()) {
      hashes.addAll(List.of(Math.max(0, point - 1), point, Math.min(point + 1, 0xFFFFFFFFL)));
    }
    for (long hash : hashes) {
      Map.Entry<Long, Integer> at = points.ceilingEntry(hash);
      int expected = at == null ? points.firstEntry().getValue() : at.getValue();
      assertThat(continuum.memberOf(hash)).as("member of %08x", hash).isEqualTo(expected);
    }
  }
}
