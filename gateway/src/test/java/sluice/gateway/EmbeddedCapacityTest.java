package sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.config.rules.EmbeddedCapacity;
import sluice.embedded.EmbeddedSession;
import sluice.embedded.EmbeddedStore;

/** The largest item that {@code check} accepts for an embedded store, and the store itself. */
class EmbeddedCapacityTest {
  private static final int KIB = 1024;

  /** What memcached counts beside the value, with a key of one letter and without flags. */
  private static final int OVERHEAD = 60;

  /** The store's own header is shorter than memcached's, and its blocks have 64 bytes. */
  private static final int MARGIN = 11 + 64;

  @ParameterizedTest
  @ValueSource(ints = {1024, 1317, 1318, 2048, 4096, 5000, 16_384, 20_000})
  void shouldBeWhatTheStoreCanHold(int kibibytes) {
    long size = (long) kibibytes * KIB;
    long largest = EmbeddedCapacity.largestItem(size);
    assertThat(set(size, largest, largest)).isEqualTo("STORED\r\n");
    assertThat(set(size, largest + MARGIN, largest + MARGIN))
        .isEqualTo("SERVER_ERROR out of memory storing object\r\n");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 64, 255, 256, 257, 512, 700, 1024, 1025, 2048, 5000, 10_000})
  void shouldFitIntoEachOfTheStoresSegments(int kibibytes) {
    long item = (long) kibibytes * KIB;
    for (long size = KIB * KIB; size <= 64L * KIB * KIB; size += size / 3) {
      if (item <= EmbeddedCapacity.largestItem(size)) {
        assertThat(set(size, item, item)).as("%d bytes", size).isEqualTo("STORED\r\n");
      }
    }
  }

  /** Reply to a set of an item of a size, as memcached counts it. */
  private static String set(long storeSize, long limit, long item) {
    ByteBuf request = Unpooled.buffer();
    ByteBuf reply = Unpooled.buffer();
    int length = (int) item - OVERHEAD;
    request.writeCharSequence("set k 0 0 " + length + "\r\n", StandardCharsets.US_ASCII);
    request.writeZero(length).writeCharSequence("\r\n", StandardCharsets.US_ASCII);
    try (EmbeddedStore store =
        new EmbeddedStore(
            storeSize, limit, Clock.systemUTC(), new UnpooledByteBufAllocator(true))) {
      new EmbeddedSession(store).text(request, 0, request.writerIndex(), reply);
    }
    return reply.toString(StandardCharsets.US_ASCII);
  }
}
