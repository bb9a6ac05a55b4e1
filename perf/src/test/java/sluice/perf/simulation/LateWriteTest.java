package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import sluice.testkit.Opcode;

class LateWriteTest {
  private final AtomicInteger arrivals = new AtomicInteger();
  private final LateWrite write = new LateWrite("n:k1", 1, 2, arrivals::incrementAndGet);

  private boolean arrives(String text) {
    return write.arrives(text.getBytes(ISO_8859_1));
  }

  @Test
  void shouldFindTheFirstWriteOfItsKey() {
    assertThat(arrives("get n:k1\r\nmg n:k1 v\r\nset n:k11 0 0 1\r\na\r\n")).isFalse();
    assertThat(arrivals).hasValue(0);
    assertThat(arrives("get n:k1\r\nset n:k1 0 0 1\r\na\r\n")).isTrue();
    assertThat(arrives("set n:k1 0 0 1\r\na\r\n")).isFalse();
    assertThat(arrivals).hasValue(1);
  }

  @Test
  void shouldFindAMetaWrite() {
    assertThat(arrives("mg n:k1 v\r\nms n:k1 1\r\na\r\n")).isTrue();
  }

  @Test
  void shouldFindAPacket() {
    byte[] get = BinaryReply.request(Opcode.GET, new byte[0], "n:k1", "", 7);
    assertThat(write.arrives(get)).isFalse();
    byte[] set = BinaryReply.request(Opcode.SET, new byte[8], "n:k1", "v", 7);
    assertThat(write.arrives(set)).isTrue();
  }
}
