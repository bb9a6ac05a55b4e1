package sluice.gateway.values;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.values.Noise.noise;
import static sluice.gateway.values.Talk.found;
import static sluice.gateway.values.Talk.int32;
import static sluice.gateway.values.Talk.packet;
import static sluice.gateway.values.Talk.reply;
import static sluice.gateway.values.Talk.set;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients see large values as they stored them; servers have chunks that they take. */
class SplitValuesTest {
  private static final int FLAG = SplitPool.FLAG;
  private static final String RULE = ", split: 900KiB";
  private static final int COMPRESSED = 0x10000;
  private static final int CHUNK = 900 << 10;
  private static final int LARGE = 5 << 20;

  private static String store(String word, String key, int flags, int ttl, String value) {
    return "%s %s %s %d %d\r\n"
            .formatted(word, key, Integer.toUnsignedString(flags), ttl, value.length())
        + value
        + "\r\n";
  }

  // --- values come back --------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"same", "text", "meta", "binary"})
  void shouldGiveValuesBackAsTheyWereStored(String dialect) throws Exception {
    try (SplitPool pool = new SplitPool(3, RULE, "dialect: " + dialect)) {
      Talk client = pool.client();
      Talk binary = pool.client();
      for (int length : new int[] {CHUNK, CHUNK + 1, 2 * CHUNK, LARGE}) {
        String value = noise(length);
        for (int flags : new int[] {0, 7 | FLAG, -1}) {
          String f = "f" + Integer.toUnsignedString(flags);
          String size = "s" + length;
          client.expect(set("k", flags, value), "STORED\r\n");
          client.expect("get k\r\n", found("k", flags, value));
          client.expect("mg k f s\r\n", "HD " + f + " " + size + "\r\n");
          client.expect("mg k v\r\n", "VA " + length + "\r\n" + value + "\r\n");
          binary.expectPacket(packet(0x00, "", "k", ""), reply(0x00, 0, int32(flags), value));
        }
        client.expect("ms k " + length + " F5 T0\r\n" + value + "\r\n", "HD\r\n");
        client.expect("get k\r\n", found("k", 5, value));
        binary.expectPacket(packet(0x01, int32(9) + int32(0), "b", value), reply(0x01, 0, "", ""));
        binary.expectPacket(packet(0x00, "", "b", ""), reply(0x00, 0, int32(9), value));
        client.expect("mg b s f\r\n", "HD s" + length + " f9\r\n");
      }
      pool.shouldHoldNothing();
    }
  }

  @Test
  void shouldSpreadChunksOverTheServersOfTheRing() throws Exception {
    String value = noise(SplitPool.MANY << 16);
    try (SplitPool pool = new SplitPool(3, ", split: 64KiB", "dialect: same")) {
      Talk client = pool.client();
      client.expect(set("k", 0, value), "STORED\r\n");
      client.expect(set("{tag}", 0, value), "STORED\r\n");
      pool.shouldBeSpread("k", 3);
      pool.shouldBeSpread("{tag}", 3); // no tag: the pool has none
    }
    String tagged = "hash: {tag: \"{}\"}";
    try (SplitPool pool = new SplitPool(3, ", split: 64KiB", tagged)) {
      pool.client().expect(set("{tag}", 0, value), "STORED\r\n");
      pool.shouldBeSpread("{tag}", 1);
    }
  }

  @Test
  void shouldLeaveOtherValuesAsTheyAre() throws Exception {
    try (SplitPool pool = new SplitPool(1, RULE, "dialect: same")) {
      Talk client = pool.client();
      Talk server = pool.server(0);
      client.expect(set("large", 0, noise(CHUNK + 1)), "STORED\r\n");
      String head = server.value("large"); // any bytes: ends of lines among them
      assertThat(head).hasSize(25);
      for (int flags : new int[] {0, 5, FLAG, FLAG | 1}) {
        for (String value : new String[] {"", "v", "12", "x".repeat(70_000), noise(CHUNK)}) {
          client.expect(set("k", flags, value), "STORED\r\n");
          server.expect("get k\r\n", found("k", flags, value));
          client.expect("get k\r\n", found("k", flags, value));
          server.expect(set("k", flags, value), "STORED\r\n");
          client.expect("get k\r\n", found("k", flags, value));
          client.expect("mg k s f\r\n", "HD s" + value.length() + " f" + flags + "\r\n");
        }
      }
      // What stands for a value, stored by a client for a value of its own.
      for (String value : new String[] {head, "before " + head, head + head}) {
        for (int flags : new int[] {0, FLAG}) {
          client.expect(set("copied", flags, value), "STORED\r\n");
          client.expect("get copied\r\n", found("copied", flags, value));
        }
      }
      pool.find("copied:split:", 3);
      String refused = "SERVER_ERROR data to be added contains the head of a chunked value\r\n";
      client.expect(store("append", "k", 0, 0, head), refused);
      client.expect(store("prepend", "k", 0, 0, "more" + head), refused);
      pool.shouldHoldNothing();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"same", "text", "meta", "binary"})
  void shouldStoreAsTheClientHasSaid(String dialect) throws Exception {
    String value = noise(2 * CHUNK + 5);
    String other = noise(CHUNK + 77);
    try (SplitPool pool = new SplitPool(2, RULE, "dialect: " + dialect)) {
      Talk client = pool.client();
      client.expect(store("replace", "k", 0, 0, value), "NOT_STORED\r\n");
      client.expect(store("add", "k", 1, 0, value), "STORED\r\n");
      client.expect(store("add", "k", 2, 0, other), "NOT_STORED\r\n");
      client.expect("get k\r\n", found("k", 1, value));
      client.expect(store("replace", "k", 3, 0, other), "STORED\r\n");
      client.expect("get k\r\n", found("k", 3, other));
      String[] words = client.line("gets k\r\n").split(" ", -1);
      client.expect("", other + "\r\nEND\r\n");
      String cas = "cas k 4 0 " + value.length() + " ";
      client.expect(cas + words[4] + "\r\n" + value + "\r\n", "STORED\r\n");
      client.expect("get k\r\n", found("k", 4, value));
      client.expect(cas + words[4] + "\r\n" + value + "\r\n", "EXISTS\r\n");
      client.expect(
          "set k 6 0 " + other.length() + " noreply\r\n" + other + "\r\nget k\r\n",
          found("k", 6, other));
      client.expect("ms k " + value.length() + " q T0\r\n" + value + "\r\nmn\r\n", "MN\r\n");
      client.expect("get k\r\n", found("k", 0, value));
      client.expect("ms k " + other.length() + " k Oab\r\n" + other + "\r\n", "HD kk Oab\r\n");
      Talk binary = pool.client();
      binary.expectPacket(
          packet(0x11, int32(8) + int32(0), "k", value) + packet(0x09, "", "k", ""),
          reply(0x09, 0, int32(8), value));
      binary.expectPacket(packet(0x02, int32(8) + int32(0), "k", value), exists());
      client.expect("delete k\r\nget k\r\n", "DELETED\r\nEND\r\n");
      client.expect("delete k\r\n", "NOT_FOUND\r\n");
      binary.expectPacket(
          packet(0x09, "", "k", "") + packet(0x0a, "", "", ""), reply(0x0a, 0, "", ""));
      pool.shouldHoldNothing();
    }
  }

  private static String exists() {
    return reply(0x02, 2, "", "Data exists for key.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"same", "meta", "binary"})
  void shouldReadWhatWasAddedOnTheServersToo(String dialect) throws Exception {
    String value = noise(2 * CHUNK);
    try (SplitPool pool = new SplitPool(2, RULE, "dialect: " + dialect)) {
      Talk client = pool.client();
      client.expect(set("k", 3, value), "STORED\r\n");
      client.expect(store("append", "k", 0, 0, " behind"), "STORED\r\n");
      client.expect(store("prepend", "k", 0, 0, "before "), "STORED\r\n");
      String all = "before " + value + " behind";
      client.expect("get k\r\n", found("k", 3, all));
      client.expect(
          "mg k s v f\r\n", "VA " + all.length() + " s" + all.length() + " f3\r\n" + all + "\r\n");
      client.expect(
          "incr k 1\r\n", "CLIENT_ERROR cannot increment or decrement non-numeric value\r\n");
      client.expect("get k\r\n", found("k", 3, all));
      pool.shouldHoldNothing();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"same", "text", "meta", "binary"})
  void shouldLetChunksLiveAsLongAsTheItem(String dialect) throws Exception {
    String value = noise(CHUNK + 1);
    try (SplitPool pool = new SplitPool(2, RULE, "dialect: " + dialect)) {
      Talk client = pool.client();
      Talk binary = pool.client();
      client.expect(store("set", "k", 3, 1000, value), "STORED\r\n");
      assertLives(pool, 1000);
      client.expect("touch k 2000\r\n", "TOUCHED\r\n");
      assertLives(pool, 2000);
      client.expect("gat 3000 k\r\n", found("k", 3, value));
      assertLives(pool, 3000);
      client.expect("mg k v T4000\r\n", "VA " + value.length() + "\r\n" + value + "\r\n");
      assertLives(pool, 4000);
      binary.expectPacket(packet(0x1c, int32(5000), "k", ""), reply(0x1c, 0, int32(3), ""));
      assertLives(pool, 5000);
      binary.expectPacket(packet(0x1d, int32(6000), "k", ""), reply(0x1d, 0, int32(3), value));
      assertLives(pool, 6000);
      client.expect("mg k T7000\r\n", "HD\r\n");
      assertLives(pool, 7000);
      client.expect("touch none 1\r\n", "NOT_FOUND\r\n");
      client.expect("touch k 0 noreply\r\nmn\r\n", "MN\r\n");
      client.expect("touch k -1\r\nget k\r\n", "TOUCHED\r\nEND\r\n");
      client.expect(set("small", 5, "v"), "STORED\r\n");
      client.expect("touch small 100\r\n", "TOUCHED\r\n");
      binary.expectPacket(packet(0x1c, int32(50), "small", ""), reply(0x1c, 0, int32(5), ""));
      pool.shouldHoldNothing();
    }
  }

  private static void assertLives(SplitPool pool, int seconds) throws Exception {
    List<SplitPool.Placed> items = pool.find("k", 3);
    for (SplitPool.Placed item : items) {
      String ttl = pool.server(item.server()).line("mg " + item.key() + " t\r\n");
      assertThat(Integer.parseInt(ttl.substring("HD t".length()))).isBetween(seconds - 15, seconds);
    }
  }

  @Test
  void shouldTellOfItemsWhatTheirServerTells() throws Exception {
    try (SplitPool pool = new SplitPool(1, RULE, "dialect: same")) {
      Talk client = pool.client();
      client.expect("mg n h l N20000 t k u T0\r\n", "HD h0 l0 t20000 kn W\r\n");
      client.expect("mg n t k v T0\r\n", "VA 0 t-1 kn Z\r\n\r\n");
      client.expect("mg m N100 v\r\n", "VA 0 W\r\n\r\n");
      client.expect("mg m\r\nmg none T0\r\n", "HD Z\r\nEN\r\n");
    }
  }

  @Test
  void shouldNameChunksOfKeysThatLeaveNoRoom() throws Exception {
    String value = noise(CHUNK + 1);
    try (SplitPool pool = new SplitPool(2, RULE, "dialect: same")) {
      Talk client = pool.client();
      String key = "k".repeat(250);
      client.expect(set(key, 1, value), "STORED\r\n");
      client.expect("get " + key + "\r\n", found(key, 1, value));
      client.expect("ms AAECIA== " + value.length() + " b F2\r\n" + value + "\r\n", "HD\r\n");
      client.expect("mg AAECIA== b v f\r\n", "VA " + value.length() + " f2\r\n" + value + "\r\n");
      pool.find(":split:", 4);
      assertThat(pool.find("kkk:split:")).isEmpty();
    }
  }

  // --- with other things that a rule and a pool say ----------------------------------------------

  @ParameterizedTest
  @CsvSource({"same", "text", "meta", "binary"})
  void shouldCompressFirst(String dialect) throws Exception {
    String compression = "dialect: " + dialect + ", compression: {above: 1KiB}";
    String text = "0123456789abcdef".repeat(LARGE / 16);
    String noise = noise(2 * CHUNK);
    try (SplitPool pool = new SplitPool(2, RULE, compression.replace(", ", "\n    "))) {
      Talk client = pool.client();
      for (int flags : new int[] {0, FLAG, 0x10000 | FLAG, -1 & ~2}) {
        client.expect(set("text", flags, text), "STORED\r\n");
        client.expect("get text\r\n", found("text", flags, text));
        assertThat(pool.find("text:split:")).isEmpty();
        client.expect(set("k", flags, noise + text), "STORED\r\n");
        client.expect("get k\r\n", found("k", flags, noise + text));
        String both = noise + text + "behind";
        client.expect(store("append", "k", 0, 0, "behind"), "STORED\r\n");
        String f = " f" + Integer.toUnsignedString(flags);
        client.expect("mg k s f\r\n", "HD s" + both.length() + f + "\r\n");
        // the chunks are not read, so the client's own bit is not known
        client.expect(
            "mg k f\r\n", "HD f" + Integer.toUnsignedString(flags & ~COMPRESSED) + "\r\n");
        client.expect("mg text f\r\n", "HD" + f + "\r\n");
        pool.client()
            .expectPacket(
                packet(0x1c, int32(5000), "text", ""),
                reply(0x1c, 0, int32(flags & ~COMPRESSED), ""));
        client.expect("get k\r\n", found("k", flags, both));
        client.expect(set("k2", flags, noise), "STORED\r\n");
        client.expect("get k2\r\n", found("k2", flags, noise));
      }
      pool.find("k:split:", 4 * 3);
      pool.shouldHoldNothing();
    }
  }

  @Test
  void shouldRewriteKeysAndBoundTimesToLive() throws Exception {
    String value = noise(CHUNK + 1);
    String rule =
        ", match: {prefix: \"a:\"}"
            + RULE
            + ", key: {strip: \"a:\", add: \"b:\"}, ttl: {max: 100s, jitter: 50%}";
    try (SplitPool pool = new SplitPool(2, rule, "dialect: same")) {
      Talk client = pool.client();
      client.expect(store("set", "a:k", 1, 0, value), "STORED\r\n");
      client.expect("get a:k\r\n", found("a:k", 1, value));
      client.expect("gets a:none a:k\r\n", "VALUE a:k 1 " + value.length() + " ");
      List<SplitPool.Placed> items = pool.find("b:k", 3);
      String first = "";
      for (SplitPool.Placed item : items) {
        String ttl = pool.server(item.server()).line("mg " + item.key() + " t\r\n");
        int seconds = Integer.parseInt(ttl.substring("HD t".length()));
        first = first.isEmpty() ? ttl : first;
        assertThat(seconds).isBetween(35, 100);
        assertThat(seconds - Integer.parseInt(first.substring("HD t".length()))).isBetween(-10, 10);
      }
    }
  }

  @Test
  void shouldGetManyAtOnceInOrder() throws Exception {
    try (SplitPool pool = new SplitPool(3, ", split: 64KiB", "dialect: same")) {
      Talk client = pool.client();
      StringBuilder expected = new StringBuilder();
      StringBuilder single = new StringBuilder();
      StringBuilder keys = new StringBuilder("get");
      StringBuilder pipeline = new StringBuilder();
      for (int i = 0; i < 30; i++) {
        String value = noise(i % 3 == 0 ? 20 + i : i % 3 == 1 ? 64 * 1024 + i : 700_000 + i);
        client.expect(set("k" + i, i, value), "STORED\r\n");
        String hit = found("k" + i, i, value);
        expected.append(hit, 0, hit.length() - "END\r\n".length());
        single.append(hit).append("END\r\n");
        keys.append(" k").append(i).append(" none").append(i);
        pipeline.append("get k").append(i).append("\r\nget none\r\n");
      }
      client.expect(keys + "\r\n", expected + "END\r\n");
      client.expect(pipeline.toString(), single.toString());
      client.expect(keys + "\r\n" + pipeline, expected + "END\r\n" + single);
      pool.shouldHoldNothing();
    }
  }

  @Test
  void shouldDoOneClientsRequestsInOrder() throws Exception {
    String one = noise(300_000);
    String two = noise(200_001);
    try (SplitPool pool = new SplitPool(3, ", split: 64KiB", "dialect: same")) {
      Talk client = pool.client();
      for (int i = 0; i < 20; i++) {
        client.expect(
            set("k", 1, one)
                + "get k\r\n"
                + set("k", 2, two)
                + "get k\r\ndelete k\r\nget k\r\n"
                + store("add", "k", 3, 0, one)
                + "append k 0 0 1\r\n!\r\nget k\r\ntouch k 100\r\n"
                + set("k", 5, two)
                + "get k\r\ngat 100 k\r\ntouch k -1\r\nget k\r\n"
                + set("k", 5, two)
                + "get k\r\nflush_all\r\nget k\r\n"
                + set("k", 4, "small")
                + "get k\r\n",
            "STORED\r\n"
                + found("k", 1, one)
                + "STORED\r\n"
                + found("k", 2, two)
                + "DELETED\r\nEND\r\nSTORED\r\nSTORED\r\n"
                + found("k", 3, one + "!")
                + "TOUCHED\r\nSTORED\r\n"
                + found("k", 5, two)
                + found("k", 5, two)
                + "TOUCHED\r\nEND\r\nSTORED\r\n"
                + found("k", 5, two)
                + "OK\r\nEND\r\nSTORED\r\n"
                + found("k", 4, "small"));
      }
      pool.shouldHoldNothing();
    }
  }
}
