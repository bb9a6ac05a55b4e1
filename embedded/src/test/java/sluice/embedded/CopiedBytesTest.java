package sluice.embedded;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A session tells how many bytes of an old value its last request has copied. */
class CopiedBytesTest {
  private static final int LARGEST = 2048;

  private final EmbeddedStore store =
      new EmbeddedStore(1024 * 1024, LARGEST, new FakeClock(), new UnpooledByteBufAllocator(true));
  private final EmbeddedSession session = new EmbeddedSession(store);

  @AfterEach
  void close() {
    store.close();
  }

  private int copiedBy(String request) {
    ByteBuf bytes = Unpooled.copiedBuffer(request, ISO_8859_1);
    session.text(bytes, 0, bytes.writerIndex(), Unpooled.buffer());
    return session.copied();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "append k 0 0 2   | 1000",
        "prepend k 0 0 2  | 1000",
        "ms k 2 MA        | 1000",
        "ms k 2 MP N0     | 1000",
        "append none 0 0 2| 0",
        "ms none 2 MA N0  | 0",
        "set k 0 0 2      | 0",
        "add k 0 0 2      | 0",
        "cas k 0 0 2 1    | 0"
      })
  void shouldTellThemOfTheLastRequestOnly(String line, int copied) {
    copiedBy("set k 0 0 1000\r\n" + "x".repeat(1000) + "\r\n");
    assertThat(copiedBy(line + "\r\nab\r\n")).isEqualTo(copied);
    assertThat(copiedBy("get k\r\n")).isZero();
  }

  @Test
  void shouldTellThemOfAPacket() {
    copiedBy("set k 0 0 1000\r\n" + "x".repeat(1000) + "\r\n");
    String append = "\u0080\16\0\1" + "\0".repeat(7) + "\2" + "\0".repeat(12) + "ka";
    ByteBuf packet = Unpooled.copiedBuffer(append, ISO_8859_1);
    session.binary(packet, 0, packet.writerIndex(), Unpooled.buffer());
    assertThat(session.copied()).isEqualTo(1000);
    packet.setByte(1, 0); // a Get that is wrong
    session.binary(packet, 0, packet.writerIndex(), Unpooled.buffer());
    assertThat(session.copied()).isZero();
  }

  @Test
  void shouldTellOfNoneForAValueThatIsTooLarge() {
    copiedBy("set k 0 0 1000\r\n" + "x".repeat(1000) + "\r\n");
    assertThat(copiedBy("set k 0 0 3000\r\n" + "x".repeat(3000) + "\r\n")).isZero();
    copiedBy("set k 0 0 1000\r\n" + "x".repeat(1000) + "\r\n");
    assertThat(copiedBy("append k 0 0 1500\r\n" + "x".repeat(1500) + "\r\n")).isZero();
    assertThat(copiedBy("append k 0 0 2\r\nabcd\r\n")).isZero();
  }
}
