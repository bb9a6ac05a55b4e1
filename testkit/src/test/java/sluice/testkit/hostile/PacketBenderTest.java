package sluice.testkit.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PacketBenderTest {
  private static final int HEADER = 24;
  private static final int PACKETS = 60_000;

  private final PacketBender bender = new PacketBender(new Random(1), "h:");

  @Test
  void shouldMakeMostlyValidPacketsAndAllKindsOfBentOnes() {
    Set<Integer> magics = new HashSet<>();
    Set<Integer> opcodes = new HashSet<>();
    Set<Integer> keyLengths = new HashSet<>();
    Set<String> kinds = new HashSet<>();
    int right = 0;
    int opaque = 0;
    for (int i = 0; i < PACKETS; i++) {
      byte[] bytes = bender.next();
      if (bytes.length < HEADER) {
        kinds.add("text");
        continue;
      }
      ByteBuffer packet = ByteBuffer.wrap(bytes);
      int behind = bytes.length - HEADER;
      int body = packet.getInt(8);
      int keyLength = packet.getShort(2) & 0xFFFF;
      int extras = packet.get(4) & 0xFF;
      magics.add(packet.get(0) & 0xFF);
      opcodes.add(packet.get(1) & 0xFF);
      if (body == behind && keyLength + extras <= body) {
        right++;
        keyLengths.add(keyLength);
      } else {
        kinds.add(kind(body, behind, keyLength + extras));
      }
      kinds.add(opaque == packet.getInt(12) ? "opaque again" : "opaque");
      opaque = packet.getInt(12);
      kinds.add(packet.getLong(16) == 0 ? "no cas" : "cas");
      kinds.add("datatype " + (packet.get(5) != 0));
      kinds.add("vbucket " + (packet.getShort(6) != 0));
      if (packet.get(1) == 8 && extras == 4) {
        kinds.add("delay");
      }
    }
    assertThat(right).isBetween(PACKETS * 3 / 4, PACKETS * 19 / 20);
    assertThat(magics).contains(0x80, 0x81).hasSizeGreaterThan(100);
    assertThat(opcodes).hasSize(256);
    assertThat(keyLengths).contains(0, 249, 250, 251);
    assertThat(kinds)
        .contains("text", "short", "huge", "large", "lengths", "opaque again", "cas", "delay")
        .contains("datatype true", "vbucket true");
  }

  private static String kind(int body, int behind, int keyAndExtras) {
    if (Integer.toUnsignedLong(body) < keyAndExtras) {
      return "lengths";
    }
    if (body < 0 || body > 1 << 30) {
      return "huge";
    }
    return body < behind ? "short" : body > 1 << 16 ? "large" : "long";
  }
}
