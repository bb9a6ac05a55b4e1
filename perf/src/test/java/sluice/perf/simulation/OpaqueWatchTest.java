package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import org.junit.jupiter.api.Test;
import sluice.testkit.Opcode;

class OpaqueWatchTest {
  private final OpaqueWatch watch = new OpaqueWatch();

  private String lines(String text) {
    return lines(text, false);
  }

  private String lines(String text, boolean retried) {
    return watch.arrived(text.getBytes(ISO_8859_1), retried);
  }

  private String packets(int... opaques) {
    ByteArrayOutputStream packets = new ByteArrayOutputStream();
    for (int opaque : opaques) {
      packets.writeBytes(BinaryReply.request(Opcode.SET, new byte[8], "k", "v\r\n", opaque));
    }
    return watch.arrived(packets.toByteArray(), false);
  }

  @Test
  void shouldFindAnOpaqueOfTwoLinesThatArriveTogether() {
    assertThat(lines("mg k v O7\r\nmd k O8\r\n")).isNull();
    assertThat(lines("mg k v O7\r\nget k\r\nma k O7\r\n")).isEqualTo("7");
    assertThat(lines("mg k v\r\nmg O9 v\r\nmg k O9\r\n")).as("a key").isNull();
  }

  @Test
  void shouldFindAnOpaqueOfOneOfTheLastLines() {
    assertThat(lines("mg k v O7\r\n")).isNull();
    assertThat(lines("mg k v O8\r\n")).isNull();
    assertThat(lines("mg k v O7\r\n")).isEqualTo("7");
    for (int i = 100; i < 200; i++) {
      assertThat(lines("mg k v O" + i + "\r\n")).isNull();
    }
    assertThat(lines("mg k v O7\r\n")).as("long answered").isNull();
  }

  @Test
  void shouldAllowThatARetriedLineHasTheOpaqueOfAnother() {
    assertThat(lines("mg k v O7\r\n")).isNull();
    assertThat(lines("mg k v O7\r\n", true)).isNull();
    assertThat(lines("mg k v O7\r\n")).isNull();
    assertThat(lines("mg k v O9\r\nmg k v O9\r\n", true)).as("together").isEqualTo("9");
  }

  @Test
  void shouldAllowThatLargeValuesHaveTheirClientsOpaques() {
    String value = "v".repeat(70_000);
    assertThat(lines("ms k 70000 O7\r\n" + value + "\r\n")).isNull();
    assertThat(lines("ms k 70000 O7\r\n" + value + "\r\n")).isNull();
    assertThat(lines("mg k v O7\r\n")).isNull();
  }

  @Test
  void shouldFindAnOpaqueOfTwoPackets() {
    assertThat(packets(1, 2, 3)).isNull();
    assertThat(packets(4, 5, 4)).isEqualTo("4");
    assertThat(packets(5)).isEqualTo("5");
    ByteArrayOutputStream probe = new ByteArrayOutputStream();
    probe.writeBytes(BinaryReply.request(0x0b, new byte[0], "", "", 0));
    probe.writeBytes(BinaryReply.request(Opcode.NOOP, new byte[0], "", "", 0));
    assertThat(watch.arrived(probe.toByteArray(), false)).as("a probe").isNull();
  }

  @Test
  void shouldPassOverValues() {
    assertThat(lines("set k 0 0 11\r\nmg k v O7\r\n\r\nmg k v O7\r\n", true)).isNull();
    assertThat(lines("ms k 11 O5\r\nmg k v O6\r\n\r\nmg k v O6\r\n", true)).isNull();
    String all = "ms k 11 O5\r\nmg k v O6\r\n\r\nmg k v O7\r\n";
    for (int cut = 1; cut < all.length(); cut++) {
      assertThat(lines(all.substring(0, cut), true)).as("cut at " + cut).isNull();
      assertThat(lines(all.substring(cut) + "mg k O7\r\n", true))
          .as("cut at " + cut)
          .isEqualTo("7");
    }
  }

  @Test
  void shouldLeaveLongLinesAlone() {
    String line = "mg " + "k".repeat(1_200) + " O7\r\n";
    assertThat(lines(line + line)).isNull();
    assertThat(lines("mg k O7\r\nmg k O7\r\n")).isEqualTo("7");
  }
}
