package sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests that nobody thought of. */
class RandomRequestsTest {
  private static final List<String> WORDS =
      List.of(
          "get",
          "gets",
          "gat",
          "set",
          "add",
          "cas",
          "append",
          "prepend",
          "replace",
          "incr",
          "decr",
          "touch",
          "delete",
          "flush_all",
          "verbosity",
          "stats",
          "items",
          "slabs",
          "cachedump",
          "detail",
          "on",
          "dump",
          "sizes",
          "lru",
          "mode",
          "tune",
          "temp_ttl",
          "lru_crawler",
          "all",
          "metadump",
          "mgdump",
          "crawl",
          "watch",
          "extstore",
          "item_size",
          "cache_memlimit",
          "mg",
          "ms",
          "md",
          "ma",
          "mn",
          "me",
          "b",
          "v",
          "t",
          "T30",
          "N30",
          "R30",
          "q",
          "k",
          "Oabc",
          "C2",
          "E9",
          "MA",
          "MD",
          "I",
          "x",
          "D5",
          "J7",
          "noreply",
          "-1",
          "0",
          "1",
          "2",
          "8",
          "-",
          "+1",
          "99999999999999999999",
          "18446744073709551615",
          "4294967296",
          "k",
          "key",
          "Zm9v",
          "====",
          "HTTP/1.1",
          "quit",
          "shutdown",
          "",
          "\0",
          "\u00ff",
          "1,2,3",
          "reassign",
          "automove",
          "window",
          "0.5",
          "K".repeat(251),
          "O".repeat(40));

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
  private final FakeClock clock = new FakeClock();
  private final EmbeddedStore store =
      new EmbeddedStore(1024 * 1024, EmbeddedStore.DEFAULT_ITEM_SIZE_LIMIT, clock, allocator);
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final ByteBuf out = Unpooled.buffer();

  @AfterEach
  void shouldGiveBackAllMemory() {
    store.close();
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  private void text(EmbeddedSession session, ByteBuf request) {
    out.clear();
    int from = request.readerIndex();
    int to = request.writerIndex();
    assertThatCode(() -> session.text(request, from, to, out))
        .as("seed %d, %s", seed, request.toString(StandardCharsets.ISO_8859_1))
        .doesNotThrowAnyException();
    assertThat(request.readerIndex()).isEqualTo(from);
  }

  @Test
  void shouldAnswerAnyLineOfWordsWithoutAnException() {
    EmbeddedSession session = new EmbeddedSession(store);
    for (int i = 0; i < 50_000; i++) {
      StringBuilder line = new StringBuilder();
      for (int words = random.nextInt(random.nextInt(20) == 0 ? 40 : 8); words >= 0; words--) {
        line.append(WORDS.get(random.nextInt(WORDS.size()))).append(' ');
      }
      line.setLength(line.length() - random.nextInt(2));
      line.append(random.nextInt(4) == 0 ? "\n" : "\r\n");
      line.append("vv\r\n", 0, random.nextInt(5));
      text(session, Unpooled.copiedBuffer(line, StandardCharsets.ISO_8859_1));
      clock.advanceMillis(random.nextInt(300));
    }
  }

  @Test
  void shouldAnswerAnyBytesWithoutAnException() {
    EmbeddedSession session = new EmbeddedSession(store);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(300)];
      random.nextBytes(bytes);
      text(session, Unpooled.wrappedBuffer(bytes));
    }
  }

  @Test
  void shouldAnswerAnyPacketWithoutAnException() {
    EmbeddedSession session = new EmbeddedSession(store);
    for (int i = 0; i < 50_000; i++) {
      byte[] packet = new byte[random.nextInt(120)];
      random.nextBytes(packet);
      if (packet.length >= 24) {
        packet[0] = (byte) 0x80;
        packet[1] = (byte) random.nextInt(0x26);
        packet[2] = 0;
        packet[3] = (byte) random.nextInt(12);
        packet[4] = (byte) List.of(0, 4, 8, 20, 5).get(random.nextInt(5)).intValue();
        packet[8] = 0;
        packet[9] = 0;
        packet[10] = 0;
        packet[11] = (byte) (packet.length - 24 + (random.nextInt(10) == 0 ? 1 : 0));
      }
      ByteBuf request = Unpooled.wrappedBuffer(packet);
      out.clear();
      assertThatCode(() -> session.binary(request, 0, packet.length, out))
          .as("seed %d, %s", seed, java.util.HexFormat.of().formatHex(packet))
          .doesNotThrowAnyException();
    }
  }

  @Test
  void shouldHoldWhatAMapHolds() {
    Client client = new Client(store);
    Map<String, String> model = new HashMap<>();
    for (int i = 0; i < 20_000; i++) {
      String key = "key" + random.nextInt(20) + "x".repeat(random.nextInt(2) * 100);
      String value = Integer.toString(random.nextInt(10)).repeat(random.nextInt(300));
      String old = model.get(key);
      String suffix = " 0 0 " + value.length() + "\r\n" + value + "\r\n";
      String reply;
      String expected;
      switch (random.nextInt(5)) {
        case 0 -> {
          reply = client.send("set " + key + suffix);
          expected = "STORED\r\n";
          model.put(key, value);
        }
        case 1 -> {
          boolean fits = old != null && old.length() < 5000;
          reply = fits ? client.send("append " + key + suffix) : "";
          expected = fits ? "STORED\r\n" : "";
          model.computeIfPresent(key, (k, v) -> fits ? v + value : v);
        }
        case 2 -> {
          boolean fits = old != null && old.length() < 5000;
          reply = fits ? client.send("prepend " + key + suffix) : "";
          expected = fits ? "STORED\r\n" : "";
          model.computeIfPresent(key, (k, v) -> fits ? value + v : v);
        }
        case 3 -> {
          reply = client.send("delete " + key + "\r\n");
          expected = model.remove(key) == null ? "NOT_FOUND\r\n" : "DELETED\r\n";
        }
        default -> {
          reply = client.send("mg " + key + " v\r\n");
          expected = old == null ? "EN\r\n" : "VA " + old.length() + "\r\n" + old + "\r\n";
        }
      }
      assertThat(reply).as("seed %d, step %d", seed, i).isEqualTo(expected);
    }
  }
}
