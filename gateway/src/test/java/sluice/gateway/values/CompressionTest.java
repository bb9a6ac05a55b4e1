package sluice.gateway.values;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.values.Noise.noise;
import static sluice.gateway.values.Talk.found;
import static sluice.gateway.values.Talk.int32;
import static sluice.gateway.values.Talk.packet;
import static sluice.gateway.values.Talk.reply;
import static sluice.gateway.values.Talk.set;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients see what they would see without compression; servers hold less. */
class CompressionTest {
  private static final int FLAG = 0x10000;

  private static String text(int length) {
    Random random = new Random(length);
    StringBuilder text = new StringBuilder();
    while (text.length() < length) {
      text.append("{name: ").append(random.nextInt(1000)).append(", value: words},\r\n");
    }
    return text.substring(0, length);
  }

  @ParameterizedTest
  @CsvSource({
    "zstd, same",
    "lz4, same",
    "deflate, same",
    "zstd, text",
    "zstd, meta",
    "lz4, binary"
  })
  void shouldGiveValuesBackAsTheyWereStored(String algorithm, String dialect) throws Exception {
    String settings =
        "dialect: %s, compression: {algorithm: %s, above: 64B}".formatted(dialect, algorithm);
    try (ValuePool pool = new ValuePool(settings)) {
      Talk client = pool.client();
      Talk binary = pool.client();
      Talk server = pool.server();
      for (int length : new int[] {0, 1, 64, 65, 200, 5000, 70_000, 1_000_000}) {
        for (int flags : new int[] {0, 7, FLAG, FLAG | 5, 2, FLAG | 2, -1}) {
          for (String value : new String[] {text(length), noise(Math.min(length, 200_000))}) {
            client.expect(set("k", flags, value), "STORED\r\n");
            client.expect("get k\r\n", found("k", flags, value));
            String f = "f" + Integer.toUnsignedString(flags);
            String size = "s" + value.length();
            client.expect("mg k f s\r\n", "HD " + f + " " + size + "\r\n");
            client.expect("mg k s\r\n", "HD " + size + "\r\n");
            String head = "VA " + value.length() + " " + size + " " + f;
            client.expect("mg k s v f\r\n", head + "\r\n" + value + "\r\n");
            client.expect("mg k v\r\n", "VA " + value.length() + "\r\n" + value + "\r\n");
            binary.expectPacket(packet(0x00, "", "k", ""), reply(0x00, 0, int32(flags), value));
            boolean compresses = length >= 200 && value.equals(text(length)) && (flags & 2) == 0;
            int stored = server.value("k").length();
            assertThat(stored).matches(n -> compresses ? n < length : n <= value.length() + 5);
          }
        }
      }
    }
  }

  @Test
  void shouldCompressWhateverWritesAWholeValue() throws Exception {
    try (ValuePool pool = new ValuePool("compression: {above: 64B}")) {
      Talk client = pool.client();
      Talk server = pool.server();
      String value = text(1000);
      String block = "1000\r\n" + value + "\r\n";
      client.expect("add a 1 0 " + block, "STORED\r\n");
      client.expect("replace a 12 0 " + block, "STORED\r\n");
      String cas = client.line("mg a c\r\n").substring(4);
      client.expect("cas a 13 0 " + block.replaceFirst("\r", " " + cas + "\r"), "STORED\r\n");
      client.expect("cas a 4 0 " + block.replaceFirst("\r", " " + cas + "\r"), "EXISTS\r\n");
      client.expect("get a\r\n", found("a", 13, value));
      // the size of what was stored is told from 1.6.20 or so on
      assertThat(client.line("ms a 1000 F9 T100 s\r\n" + value + "\r\n")).isIn("HD", "HD s1000");
      assertLives(client.line("mg a v f t s\r\n"), "VA 1000 f9", 100, " s1000");
      client.expect("", value + "\r\n");
      client.expect("ms a 1000 F8 ME\r\n" + value + "\r\n", "NS\r\n");
      client.expect("set b 5 0 1000 noreply\r\n" + value + "\r\nmn\r\n", "MN\r\n");
      client.expect("get b\r\n", found("b", 5, value));
      String extras = int32(4) + int32(0);
      pool.client().expectPacket(packet(0x01, extras, "c", value), reply(0x01, 0, "", ""));
      client.expect("get c\r\n", found("c", 4, value));
      client.expect("gat 100 c\r\n", found("c", 4, value));
      assertLives(client.line("mg c t\r\n"), "HD", 100, "");
      for (String key : new String[] {"a", "b", "c"}) {
        assertThat(server.value(key)).hasSizeLessThan(600).startsWith("\u00f8SLz");
        assertThat(server.line("mg " + key + " f\r\n")).matches("HD f655(45|41|40)");
      }
    }
  }

  /** The line has these seconds between both ends, less what has passed. */
  private static void assertLives(String line, String begin, int seconds, String end) {
    assertThat(line).startsWith(begin + " t").endsWith(end);
    String left = line.substring(begin.length() + 2, line.length() - end.length());
    assertThat(Integer.parseInt(left)).as(line).isBetween(seconds - 15, seconds);
  }

  @ParameterizedTest
  @ValueSource(strings = {"same", "meta", "binary"})
  void shouldTellTheClientsFlagsOfWhatItTouches(String dialect) throws Exception {
    try (ValuePool pool = new ValuePool("dialect: " + dialect + ", compression: {above: 64B}")) {
      Talk client = pool.client();
      client.expect(set("k", 5, text(1000)), "STORED\r\n");
      pool.client().expectPacket(packet(0x1c, int32(100), "k", ""), reply(0x1c, 0, int32(5), ""));
      client.expect("mg k T100 f\r\n", "HD f5\r\n");
    }
  }

  @Test
  void shouldLeaveAloneWhatIsShortOrMarkedByTheClientOrBecomesNoSmaller() throws Exception {
    try (ValuePool pool = new ValuePool("compression: {above: 100B, keepIfUnder: 50%}")) {
      Talk client = pool.client();
      Talk server = pool.server();
      client.expect(set("short", 0, "a".repeat(100)), "STORED\r\n");
      client.expect(set("marked", 2, "a".repeat(1000)), "STORED\r\n");
      client.expect(set("noise", 0, noise(1000)), "STORED\r\n");
      client.expect(set("long", 0, "a".repeat(101)), "STORED\r\n");
      server.expect("get short\r\n", found("short", 0, "a".repeat(100)));
      server.expect("get marked\r\n", found("marked", 2, "a".repeat(1000)));
      server.expect("get noise\r\n", found("noise", 0, noise(1000)));
      assertThat(server.value("long")).hasSizeLessThan(50);
      assertThat(pool.compressed("plain")).isEqualTo(101);
      assertThat(pool.compressed("stored")).isEqualTo(server.value("long").length());
      assertThat(pool.compressed("passed")).isEqualTo(1000);
      client.expect("get long\r\n", found("long", 0, "a".repeat(101)));
      assertThat(pool.compressed("read")).isEqualTo(server.value("long").length());
      assertThat(pool.compressed("restored")).isEqualTo(101);
    }
  }

  @Test
  void shouldAppendAndPrependAsIfItWereNotCompressed() throws Exception {
    try (ValuePool pool = new ValuePool("compression: {above: 64B}")) {
      Talk client = pool.client();
      String value = text(1000);
      for (int flags : new int[] {5, FLAG | 5}) {
        client.expect("ms k 1000 T500 F" + flags + "\r\n" + value + "\r\n", "HD\r\n");
        client.expect("append k 0 0 4\r\ntail\r\n", "STORED\r\n");
        client.expect("prepend k 9 0 5\r\nfront\r\n", "STORED\r\n");
        client.expect("ms k 4 MA\r\nmore\r\n", "HD\r\n");
        pool.client().expectPacket(packet(0x0f, "", "k", "x".repeat(70)), reply(0x0f, 0, "", ""));
        String all = "x".repeat(70) + "front" + value + "tailmore";
        client.expect("get k\r\n", found("k", flags, all));
        String size = "s" + all.length();
        String head = "HD " + size + " f" + flags;
        assertLives(client.line("mg k s f t\r\n"), head, 500, "");
        // around the gateway
        pool.server().expect("append k 0 0 3\r\nend\r\n", "STORED\r\n");
        pool.server().expect("prepend k 0 0 1\r\n-\r\n", "STORED\r\n");
        client.expect("get k\r\n", found("k", flags, "-" + all + "end"));
      }
      client.expect(set("k", 0, value), "STORED\r\n");
      String raw = pool.server().value("k");
      client.expect("append k 0 0 " + raw.length() + "\r\n" + raw + "\r\n", "STORED\r\n");
      client.expect(
          "prepend k 0 0 " + raw.length() + "\r\n" + raw + "\r\n",
          "SERVER_ERROR value to be prepended contains the mark of compressed values\r\n");
      client.expect("get k\r\n", found("k", 0, value + raw));
      client.expect(set("raw", FLAG, raw), "STORED\r\n");
      client.expect("get raw\r\n", found("raw", FLAG, raw));
      client.expect("append nothing 0 0 1\r\nx\r\n", "NOT_STORED\r\n");
    }
  }

  @Test
  void shouldCountWithNumbersHoweverLong() throws Exception {
    try (ValuePool pool = new ValuePool("compression: {above: 1B}")) {
      Talk client = pool.client();
      String number = "0".repeat(500) + "9";
      for (int flags : new int[] {0, FLAG}) {
        client.expect(set("n", flags, number), "STORED\r\n");
        client.expect("get n\r\n", found("n", flags, number));
        client.expect("incr n 1\r\n", "10\r\n");
        client.expect("get n\r\n", found("n", flags, "10" + " ".repeat(499)));
        client.expect("decr n 3\r\n", "7\r\n");
        client.expect("ma n D5 v\r\n", "VA 2\r\n12\r\n");
      }
      for (String end : new String[] {" ", "\0"}) { // a number, as memcached reads it
        String begins = "12" + end + text(500);
        for (int flags : new int[] {0, FLAG}) {
          client.expect(set("n", flags, begins), "STORED\r\n");
          client.expect("get n\r\n", found("n", flags, begins));
          client.expect("decr n 3\r\n", "9\r\n");
          client.expect("get n\r\n", found("n", flags, "9" + " ".repeat(502)));
        }
      }
      client.expect(set("n", 0, text(500)), "STORED\r\n");
      client.expect(
          "incr n 1\r\n", "CLIENT_ERROR cannot increment or decrement non-numeric value\r\n");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldNeverGiveOutGarbage(boolean pass) throws Exception {
    String settings = "compression: {above: 64B, onCorrupt: %s}".formatted(pass ? "pass" : "error");
    try (ValuePool pool = new ValuePool(settings)) {
      Talk client = pool.client();
      Talk server = pool.server();
      client.expect(set("k", 0, text(1000)), "STORED\r\n");
      String stored = server.value("k");
      String damaged = stored.substring(0, 40) + "????" + stored.substring(44);
      server.expect(set("k", FLAG, damaged), "STORED\r\n");
      server.expect(set("f", FLAG | 1, "of others"), "STORED\r\n");
      String bomb = stored.substring(0, 5) + "\u00ff\u00ff\u00ff" + stored.substring(8);
      server.expect(set("b", FLAG, bomb), "STORED\r\n");
      if (pass) {
        client.expect("get k\r\n", found("k", FLAG, damaged));
        client.expect("get f\r\n", found("f", FLAG | 1, "of others"));
        client.expect("get b\r\n", found("b", FLAG, bomb));
      } else {
        client.expect("get k\r\n", "SERVER_ERROR compressed value is damaged\r\n");
        String foreign = "value was marked as compressed by another program";
        client.expect("get f\r\n", "SERVER_ERROR " + foreign + "\r\n");
        client.expect("mg f s\r\n", "SERVER_ERROR " + foreign + "\r\n");
        client.expect(
            "mg b v\r\n", "SERVER_ERROR compressed value exceeds the item size limit\r\n");
        pool.client()
            .expectPacket(
                packet(0x00, "", "f", ""), reply(0x00, 0x84, "", "SERVER_ERROR " + foreign));
      }
      client.expect("get missing\r\nmn\r\n", "END\r\nMN\r\n");
      server.expect(set("k", 0, stored), "STORED\r\n");
      client.expect("get k\r\n", found("k", 0, stored));
    }
  }

  /** Its length stands in its head: to restore it for that costs far more than the request. */
  @Test
  void shouldDescribeAValueThatItDoesNotRestore() throws Exception {
    try (ValuePool pool = new ValuePool("compression: {above: 64B}")) {
      Talk client = pool.client();
      Talk server = pool.server();
      for (int flags : new int[] {0, 1 | FLAG}) {
        client.expect(set("k", flags, text(1000)), "STORED\r\n");
        String stored = server.value("k");
        String damaged = stored.substring(0, 40) + "????" + stored.substring(44);
        String added = "more" + damaged + "behind";
        server.expect(set("k", flags | FLAG, added), "STORED\r\n");
        client.expect("mg k s f\r\n", "HD s1010 f" + flags + "\r\n");
        client.expect("mg k f\r\n", "HD f" + flags + "\r\n");
        client.expect("mg k s v\r\n", "SERVER_ERROR compressed value is damaged\r\n");
        String bomb = stored.substring(0, 5) + "\u00ff\u00ff\u00ff" + stored.substring(8);
        server.expect(set("k", flags | FLAG, bomb), "STORED\r\n");
        client.expect(
            "mg k s\r\n", "SERVER_ERROR compressed value exceeds the item size limit\r\n");
        server.expect(set("k", FLAG, stored.substring(0, 8)), "STORED\r\n");
        client.expect("mg k s\r\n", "SERVER_ERROR compressed value is damaged\r\n");
      }
      client.expect(set("n", FLAG, "17"), "STORED\r\n");
      client.expect("mg n s f\r\n", "HD s2 f" + FLAG + "\r\n");
    }
  }

  /** A value that counts is stored as it is, unless it contains what marks a stored form. */
  @Test
  void shouldReturnANumberWithAMark() throws Exception {
    try (ValuePool pool = new ValuePool("compression: {above: 64B}")) {
      Talk client = pool.client();
      for (String value : new String[] {"5 \u00f8SLz\u008fhello", "5 \u00f8SLz\u0001" + text(90)}) {
        for (int flags : new int[] {0, FLAG}) {
          client.expect(set("k", flags, value), "STORED\r\n");
          client.expect("get k\r\n", found("k", flags, value));
          client.expect("mg k s f\r\n", "HD s" + value.length() + " f" + flags + "\r\n");
        }
      }
    }
  }

  @Test
  void shouldTakeValuesThatArriveInPieces() throws Exception {
    try (ValuePool pool = new ValuePool("compression: {above: 64B}")) {
      Talk client = pool.client();
      String value = text(300_000);
      String request = set("k", 1, value);
      for (int at = 0; at < request.length(); at += 50_000) {
        client.expect(request.substring(at, Math.min(at + 50_000, request.length())), "");
        Thread.onSpinWait();
      }
      client.expect("", "STORED\r\n");
      StringBuilder gets = new StringBuilder();
      StringBuilder all = new StringBuilder();
      for (int i = 0; i < 20; i++) {
        gets.append("get k\r\nget missing\r\n");
        all.append(found("k", 1, value)).append("END\r\n");
      }
      client.expect(gets.toString(), all.toString());
      client.expect(set("k", 1, text(1 << 20) + "x").substring(0, 20), "");
    }
  }

  @Test
  void shouldReadManyKeysOfSeveralServers() throws Exception {
    try (ValuePool pool = new ValuePool(3, "compression: {above: 64B}")) {
      Talk client = pool.client();
      StringBuilder keys = new StringBuilder("get");
      StringBuilder values = new StringBuilder();
      for (int i = 0; i < 60; i++) {
        String value = i % 3 == 0 ? "short" : text(100 * i);
        client.expect(set("key" + i, i, value), "STORED\r\n");
        keys.append(" key").append(i).append(" missing").append(i);
        values.append(found("key" + i, i, value).replaceAll("END\r\n$", ""));
      }
      client.expect(keys + "\r\n", values + "END\r\n");
    }
  }
}
