package sluice.perf.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import sluice.testkit.Opcode;

class PacketsTest {
  private final List<String> values = new ArrayList<>();

  private static byte[] packets(String... values) {
    ByteArrayOutputStream packets = new ByteArrayOutputStream();
    for (String value : values) {
      packets.writeBytes(BinaryReply.request(Opcode.SET, new byte[8], "k", value, 1));
    }
    return packets.toByteArray();
  }

  private @Nullable String judge(BinaryReply reply) {
    values.add(reply.value());
    return reply.value().equals("wrong") ? "it is wrong" : null;
  }

  @Test
  void shouldJudgeEachPacketWhereverTheStreamIsCut() {
    byte[] all = packets("first", "", "third");
    for (int cut = 0; cut <= all.length; cut++) {
      Packets packets = new Packets();
      values.clear();
      assertThat(packets.receive(Arrays.copyOf(all, cut), this::judge)).isNull();
      assertThat(packets.receive(Arrays.copyOfRange(all, cut, all.length), this::judge)).isNull();
      assertThat(values).as("cut at %d", cut).containsExactly("first", "", "third");
    }
  }

  @Test
  void shouldStopAtTheFirstThatIsWrong() {
    assertThat(new Packets().receive(packets("right", "wrong", "right"), this::judge))
        .startsWith("it is wrong, packet: opcode 0x01")
        .contains("\"wrong\"");
    assertThat(values).containsExactly("right", "wrong");
  }
}
