package sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testkit.SteadyState;

/** The data path leaves nothing for the collector. */
class AllocationTest {
  private static final int ROUNDS = 20_000;

  private static String value(int length) {
    return "v".repeat(length);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "set key 5 0 1000\r\n{1000}\r\n",
        "set key 0 60 5 noreply\r\n{5}\r\n",
        "get key other missing\r\n",
        "gets key\r\n",
        "mg key v c f t s k q Oabc\r\n",
        "ms key 3000 T60 c\r\n{3000}\r\n",
        "ms a2V5 5 b c\r\n{5}\r\n",
        "incr number 1\r\n",
        "delete key\r\n"
      })
  void shouldAllocateNothingForATextRequest(String template) {
    String line = template;
    for (int length : new int[] {5, 1000, 3000}) {
      line = line.replace("{" + length + "}", value(length));
    }
    ByteBuf request = Unpooled.copiedBuffer(line, StandardCharsets.ISO_8859_1);
    ByteBuf out = Unpooled.buffer(64 * 1024);
    try (EmbeddedStore store = store()) {
      EmbeddedSession session = new EmbeddedSession(store);
      new Client(store).send("set key 0 0 1\r\nv\r\nset number 0 0 9\r\n100000000\r\n");
      Runnable execute = () -> session.text(request, 0, request.writerIndex(), out.clear());
      assertThat(allocatedInSteadyState(execute)).isLessThan(ROUNDS);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "80010003080000000000000c00000000000000000000000000000000000000006b657976",
        "8000000300000000000000030000000000000000000000006b6579",
        "800d000300000000000000030000000000000000000000006b6579"
      })
  void shouldAllocateNothingForABinaryRequest(String hex) {
    ByteBuf request = Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex));
    ByteBuf out = Unpooled.buffer(64 * 1024);
    try (EmbeddedStore store = store()) {
      EmbeddedSession session = new EmbeddedSession(store);
      new Client(store).send("set key 0 0 1\r\nv\r\n");
      Runnable execute = () -> session.binary(request, 0, request.writerIndex(), out.clear());
      assertThat(allocatedInSteadyState(execute)).isLessThan(ROUNDS);
    }
  }

  private static EmbeddedStore store() {
    return new EmbeddedStore(
        16L * 1024 * 1024,
        EmbeddedStore.DEFAULT_ITEM_SIZE_LIMIT,
        InstantSource.system(),
        new UnpooledByteBufAllocator(true, true)); // leak detection records each access
  }

  /** Bytes that many rounds allocate together: less than one a round is none. */
  private static long allocatedInSteadyState(Runnable execute) {
    return SteadyState.leastAllocated(
        ROUNDS,
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            execute.run();
          }
        });
  }
}
