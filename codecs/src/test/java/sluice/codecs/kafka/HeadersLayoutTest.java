package sluice.codecs.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import sluice.codecs.ProtocolException;
import sluice.codecs.SliceLists;
import sluice.codecs.buffer.SliceList;

/** Values that Kafka Streams 4.3.1 has written and read back. */
class HeadersLayoutTest {
  private static final String DIRECTORY = "/vectors/kafka/";
  private static final HexFormat HEX = HexFormat.of();

  record Case(String name, byte[] headers, byte[] timestamped, byte[] value) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static byte[] resource(String file) {
    try (InputStream in = HeadersLayoutTest.class.getResourceAsStream(DIRECTORY + file)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new AssertionError(file, e);
    }
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> manifest(String list) {
    LoadSettings settings = LoadSettings.builder().setCodePointLimit(16 << 20).build();
    Object manifest =
        new Load(settings).loadFromString(new String(resource("manifest.json"), UTF_8));
    return (List<Map<String, Object>>) ((Map<String, Object>) manifest).get(list);
  }

  private static byte[] bytes(Map<String, Object> entry, String inline, String suffix) {
    return entry.get(inline) instanceof String hex
        ? HEX.parseHex(hex)
        : resource(entry.get("name") + suffix);
  }

  static Stream<Case> cases() {
    List<Map<String, Object>> entries = manifest("cases");
    assertThat(entries).hasSize(17);
    return entries.stream()
        .map(
            entry -> {
              byte[] timestamped = bytes(entry, "valueTimestampHex", "-vth.bin");
              int length = (Integer) entry.get("valueLength");
              byte[] end =
                  Arrays.copyOfRange(timestamped, timestamped.length - length, timestamped.length);
              if (entry.get("valueHex") instanceof String hex) {
                assertThat(end).isEqualTo(HEX.parseHex(hex));
              }
              return new Case(
                  (String) entry.get("name"),
                  bytes(entry, "aggregationHex", "-agg.bin"),
                  timestamped,
                  end);
            });
  }

  @ParameterizedTest
  @MethodSource("cases")
  void shouldFindThePlainValueHoweverItIsCut(Case c) {
    for (int size : new int[] {1, 2, 3, 4, 5, 7, 1000, 100_000}) {
      assertPlain(HeadersLayout.HEADERS, c.headers(), size, c.value());
      assertPlain(HeadersLayout.TIMESTAMPED_HEADERS, c.timestamped(), size, c.value());
    }
  }

  private static void assertPlain(HeadersLayout layout, byte[] bytes, int size, byte[] plain) {
    SliceList value = SliceLists.of(bytes, size);
    value.skip(layout.plainOffset(value));
    assertThat(SliceLists.drain(value)).isEqualTo(plain);
    assertThat(layout.plain(bytes)).isEqualTo(plain);
  }

  @Test
  void shouldReadSizesAsKafkaWritesThem() {
    List<Map<String, Object>> entries = manifest("varint");
    assertThat(entries).hasSize(18);
    for (Map<String, Object> entry : entries) {
      long size = ((Number) entry.get("value")).longValue();
      byte[] varint = HEX.parseHex((String) entry.get("hex"));
      if (size < 0 || size > 10_000) {
        assertThatThrownBy(() -> offset(varint, HeadersLayout.HEADERS))
            .isInstanceOf(ProtocolException.class)
            .hasMessageContaining("header size of " + size + ",");
      } else {
        byte[] value = Arrays.copyOf(varint, varint.length + (int) size + 3);
        assertThat(offset(value, HeadersLayout.HEADERS)).isEqualTo(value.length - 3);
      }
    }
  }

  @Test
  void shouldRefuseWithOneErrorWhatKafkaRefusesWithMany() {
    List<Map<String, Object>> entries = manifest("malformed");
    assertThat(entries).hasSize(8);
    for (Map<String, Object> entry : entries) {
      byte[] value = HEX.parseHex((String) entry.get("hex"));
      String kafka = (String) entry.get("rawAggregation");
      if (kafka.startsWith("ok:") && value[0] == 0) {
        assertThat(offset(value, HeadersLayout.HEADERS)).isEqualTo(1);
      } else {
        // among them 01, a size of -1, by which Kafka steps back
        assertThatThrownBy(() -> offset(value, HeadersLayout.HEADERS))
            .isInstanceOf(ProtocolException.class);
      }
      assertThatThrownBy(() -> offset(value, HeadersLayout.TIMESTAMPED_HEADERS))
          .isInstanceOf(ProtocolException.class)
          .hasMessageContaining("expected");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, 8})
  void shouldWantATimestampWhole(int timestampBytes) {
    byte[] value = new byte[1 + timestampBytes];
    if (timestampBytes < Long.BYTES) {
      assertThatThrownBy(() -> offset(value, HeadersLayout.TIMESTAMPED_HEADERS))
          .isInstanceOf(ProtocolException.class)
          .hasMessage(
              "value of %d bytes has a header size of 0, expected a size that leaves 9 other bytes",
              value.length);
    } else {
      assertThat(offset(value, HeadersLayout.TIMESTAMPED_HEADERS)).isEqualTo(9);
    }
  }

  /** All ways in, which must agree. */
  private static int offset(byte[] bytes, HeadersLayout layout) {
    SliceList cut = SliceLists.of(bytes, 1);
    try {
      int offset = layout.plainOffset(cut);
      ByteBuf whole = Unpooled.wrappedBuffer(bytes);
      assertThat(layout.plainOffset(whole, 0, bytes.length)).isEqualTo(offset);
      assertThat(layout.plain(bytes)).isEqualTo(Arrays.copyOfRange(bytes, offset, bytes.length));
      return offset;
    } catch (ProtocolException e) {
      ByteBuf whole = Unpooled.wrappedBuffer(bytes);
      assertThatThrownBy(() -> layout.plainOffset(whole, 0, bytes.length))
          .hasMessage(e.getMessage());
      assertThatThrownBy(() -> layout.plain(bytes)).hasMessage(e.getMessage());
      throw e;
    } finally {
      cut.clear();
    }
  }

  @FuzzTest(maxDuration = "60s")
  void shouldReadAnyValue(byte[] bytes) {
    for (HeadersLayout layout : HeadersLayout.values()) {
      try {
        assertThat(offset(bytes, layout)).isBetween(1, bytes.length);
      } catch (ProtocolException e) {
        assertThat(e).hasMessageContaining("expected");
      }
    }
  }

  @Test
  void shouldReadRandomValues() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    try {
      for (int round = 0; round < 200; round++) {
        byte[] bytes = new byte[random.nextInt(12)];
        random.nextBytes(bytes);
        shouldReadAnyValue(bytes);
      }
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("seed " + seed, e);
    }
  }
}
