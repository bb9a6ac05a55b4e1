package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import org.junit.jupiter.api.Test;
import sluice.testkit.Opcode;

class OpaqueWatchTest {
  private final OpaqueWatch watch = new OpaqueWatch();

  private String lines(String text) {
    return watch.arrived(text.getBytes(ISO_8859_1));
  }

  private String packets(int... opaques) {
    ByteArrayOutputStream packets = new ByteArrayOutputStream();
    for (int opaque : opaques) {
      packets.writeBytes(BinaryReply.request(Opcode.SET, new byte[8], "k", "v\r\n", opaque));
    }
    return watch.arrived(packets.toByteArray());
  }

  @Test
  void shouldFindAnOpaqueOfTwoLinesThatArriveTogether() {
    assertThat(lines("mg k v O7\r\nmd k O8\r\n")).isNull();
    assertThat(lines("mg k v O7\r\n")).as("the first may be answered").isNull();
    assertThat(lines("mg k v O7\r\nget k\r\nma k O7\r\n")).isEqualTo("7");
    assertThat(lines("mg k v\r\nmg O7 v\r\nmg k O7\r\n")).as("a key").isNull();
  }

  @Test
  void shouldFindAnOpaqueOfTwoPackets() {
    assertThat(packets(1, 2, 3)).isNull();
    assertThat(packets(1, 2, 1)).isEqualTo("1");
    ByteArrayOutputStream probe = new ByteArrayOutputStream();
    probe.writeBytes(BinaryReply.request(0x0b, new byte[0], "", "", 0));
    probe.writeBytes(BinaryReply.request(Opcode.NOOP, new byte[0], "", "", 0));
    assertThat(watch.arrived(probe.toByteArray())).as("a probe").isNull();
  }

  @Test
  void shouldPassOverValues() {
    assertThat(lines("set k 0 0 11\r\nmg k v O7\r\n\r\nmg k v O7\r\n")).isNull();
    assertThat(lines("ms k 11 O5\r\nmg k v O6\r\n\r\nmg k v O6\r\n")).isNull();
    String all = "ms k 11 O5\r\nmg k v O6\r\n\r\nmg k v O7\r\n";
    for (int cut = 1; cut < all.length(); cut++) {
      assertThat(lines(all.substring(0, cut))).as("cut at " + cut).isNull();
      assertThat(lines(all.substring(cut) + "mg k O7\r\n")).as("cut at " + cut).isEqualTo("7");
    }
  }

  @Test
  void shouldLeaveLongLinesAlone() {
    String line = "mg " + "k".repeat(1_200) + " O7\r\n";
    assertThat(lines(line + line)).isNull();
    assertThat(lines("mg k O7\r\nmg k O7\r\n")).isEqualTo("7");
  }
}
