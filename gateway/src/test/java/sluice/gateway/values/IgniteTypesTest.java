package sluice.gateway.values;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.memcached.bridge.Failure;
import sluice.codecs.memcached.bridge.IgniteRequestWriter;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Request;

class IgniteTypesTest {
  private static final long NOW = 1_800_000_000L;

  private final IgniteTypes types =
      new IgniteTypes(new IgniteRequestWriter(new byte[0], false, () -> NOW));
  private final Request request = new Request();
  private final SliceList value = new SliceList();

  private String store(Operation operation, int flags, long exptime, String... pieces) {
    request.clear(operation);
    request.flags = flags;
    request.timeToLive.exptime = exptime;
    for (String piece : pieces) {
      value.add(Unpooled.copiedBuffer(piece, ISO_8859_1));
    }
    request.valueLength = value.length();
    Failure failure = types.outbound(request, value);
    return failure == null ? null : failure.line();
  }

  @ParameterizedTest
  @CsvSource({
    "0,abc,0", "0,\u00c3|\u00a9,0", "0,\u00ff,2048", "0,a|\u00c3,2048", "2048,\u00ff,2048",
        "256,1,256",
    "256,0,256", "512,abcd,512", "512,a,512", "768,12345678,768", "1024,1,1024", "1280,1,1280",
    "1536,1234,1536", "1792,12|345678,1792"
  })
  void shouldGiveAValueTheTypeThatKeepsIt(int flags, String bytes, int type) {
    assertThat(store(Operation.SET, flags, 0, bytes.split("\\|"))).isNull();
    assertThat(request.flags).isEqualTo(type);
    assertThat(value.length()).isEqualTo(bytes.replace("|", "").length());
    value.clear();
  }

  @ParameterizedTest
  @CsvSource({
    "1,abc",
    "2,abc",
    "514,1234",
    "131072,a",
    "256,2",
    "256,11",
    "512,12345",
    "768,123456789",
    "1280,12",
    "1536,123",
    "1792,1234567",
    "2049,a",
    "2304,a",
    "-1,a"
  })
  void shouldRefuseWhatWouldComeBackAsSomethingElse(int flags, String bytes) {
    assertThat(store(Operation.SET, flags, 0, bytes)).startsWith("SERVER_ERROR ");
    value.clear();
  }

  /** A node takes appended bytes for text. It ignores the flags of the request. */
  @ParameterizedTest
  @CsvSource({"APPEND,0", "APPEND,2048", "PREPEND,0", "PREPEND,2048"})
  void shouldRefuseToAppendWhatIsNoText(Operation operation, int flags) {
    assertThat(store(operation, flags, 0, "\u00ff\u00fe")).contains("appends only UTF-8");
    assertThat(types.gathers(request)).isTrue();
    value.clear();
  }

  @Test
  void shouldRefuseAnEmptyValueAndTextThatIsNone() {
    assertThat(store(Operation.SET, 0, 0)).isEqualTo("SERVER_ERROR Ignite stores no empty values");
    assertThat(store(Operation.APPEND, 0, 0, "\u00ff")).startsWith("SERVER_ERROR ");
    value.clear();
    assertThat(store(Operation.PREPEND, 0, 0, "\u00c3", "\u00a9")).isNull();
    value.clear();
  }

  @Test
  void shouldDeleteWhatHasExpiredButForAdd() {
    for (Operation operation : new Operation[] {Operation.SET, Operation.REPLACE}) {
      for (long expired : new long[] {-1, NOW}) {
        assertThat(store(operation, 0, expired, "abc")).isNull();
        assertThat(request.operation).isEqualTo(Operation.DELETE);
        assertThat(value.length()).isZero();
      }
    }
    assertThat(store(Operation.ADD, 0, -1, "abc")).isNull();
    assertThat(request.operation).isEqualTo(Operation.ADD);
    value.clear();
  }

  @Test
  void shouldLetALargeArrayPassInPieces() {
    request.clear(Operation.SET);
    request.flags = 0x0800;
    request.valueLength = 1_000_000;
    assertThat(types.gathers(request)).isFalse();
    request.timeToLive.exptime = -1;
    assertThat(types.gathers(request)).isTrue();
    request.timeToLive.exptime = 0;
    request.flags = 0;
    assertThat(types.gathers(request)).isTrue();
    request.clear(Operation.GET);
    assertThat(types.gathers(request)).isFalse();
  }
}
