package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import sluice.testkit.Opcode;

class IgniteProgramTest {
  private static final int FAILURE = 4;
  private static final int STRING = 0;
  private static final int BYTES = 0x0800;

  private final IgniteProgram program = new IgniteProgram();
  private final Program.Session session = program.connect(1);

  private BinaryReply ask(int opcode, byte[] extras, String value) {
    byte[] replies = session.receive(BinaryReply.request(opcode, extras, "k", value, 1));
    return Objects.requireNonNull(BinaryReply.first(ByteBuffer.wrap(replies)));
  }

  private void set(int types, String value) {
    byte[] extras = ByteBuffer.allocate(8).putInt(types).array();
    assertThat(ask(Opcode.SET, extras, value).status()).isZero();
  }

  private String held() {
    return new String(Objects.requireNonNull(program.value("k")), ISO_8859_1);
  }

  private long count(int opcode, long delta, long initial) {
    byte[] extras = ByteBuffer.allocate(20).putLong(delta).putLong(initial).array();
    byte[] number = ask(opcode, extras, "").value().getBytes(ISO_8859_1);
    return ByteBuffer.wrap(number).getLong();
  }

  @Test
  void shouldJoinStringsAlone() {
    assertThat(ask(Opcode.APPEND, new byte[0], "c").status()).isEqualTo(FAILURE);
    set(STRING, "b");
    assertThat(ask(Opcode.APPEND, new byte[0], "c").status()).isZero();
    assertThat(ask(Opcode.PREPEND, new byte[0], "a").status()).isZero();
    assertThat(held()).isEqualTo("abc");
    set(BYTES, "b");
    assertThat(ask(Opcode.APPEND, new byte[0], "c").status()).isEqualTo(FAILURE);
    assertThat(held()).isEqualTo("b");
  }

  @Test
  void shouldCountBesideTheItems() {
    assertThat(count(Opcode.INCREMENT, 5, 7)).isEqualTo(12);
    assertThat(count(Opcode.DECREMENT, 20, 7)).isEqualTo(-8);
    assertThat(program.value("k")).isNull();
    set(STRING, "1");
    assertThat(count(Opcode.INCREMENT, 1, 7)).isEqualTo(-7);
    assertThat(held()).isEqualTo("1");
    program.close();
    assertThat(count(Opcode.INCREMENT, 1, 7)).isEqualTo(8);
  }
}
