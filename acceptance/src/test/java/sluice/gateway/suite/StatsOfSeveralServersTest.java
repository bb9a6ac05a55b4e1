package sluice.gateway.suite;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.RealMemcached;

/** {@code stats} with arguments of a route to several servers, in text and binary. */
class StatsOfSeveralServersTest {
  private static final int STAT = 0x10;
  private static final int NOOP = 0x0a;
  private static final int KEYS = 40;

  private final RealMemcached first = RealMemcached.start();
  private final RealMemcached second = RealMemcached.start();
  private final InProcessGateway gateway = new InProcessGateway();

  @AfterEach
  void stop() {
    gateway.close();
    first.close();
    second.close();
  }

  private interface Asking {
    Map<String, String> stats(InetSocketAddress address, String arguments) throws Exception;
  }

  private static Map<String, String> text(InetSocketAddress address, String arguments)
      throws Exception {
    Map<String, String> stats = new LinkedHashMap<>();
    for (String line : lines(address, ("stats " + arguments).strip()).split("\r\n")) {
      String[] words = line.split(" ", 3);
      if (words[0].equals("STAT")) {
        assertThat(stats.put(words[1], words[2])).as(line).isNull();
      } else {
        assertThat(line).isEqualTo("END");
      }
    }
    return stats;
  }

  private static String lines(InetSocketAddress address, String line) throws Exception {
    try (Conversation client = new Conversation(address)) {
      String all = client.ask(line + "\r\nmn\r\n", "MN\r\n");
      return all.substring(0, all.length() - "MN\r\n".length());
    }
  }

  private static Map<String, String> binary(InetSocketAddress address, String name)
      throws Exception {
    byte[] last = ByteBuffer.allocate(24).put((byte) 0x81).put((byte) STAT).array();
    ByteBuffer.wrap(last).putInt(12, 0xCAFE);
    Map<String, String> stats = new LinkedHashMap<>();
    try (Conversation client = new Conversation(address)) {
      client.send(List.of(packet(STAT, name)));
      ByteBuffer all = ByteBuffer.wrap(client.hearUntil(last));
      while (all.remaining() > 24) {
        int at = all.position();
        int key = all.getShort(at + 2);
        int body = all.getInt(at + 8);
        assertThat(all.getInt(at)).as("the status").isEqualTo(0x81100000 | key);
        String both = new String(all.array(), at + 24, body, ISO_8859_1);
        assertThat(stats.put(both.substring(0, key), both.substring(key))).isNull();
        all.position(at + 24 + body);
      }
    }
    return stats;
  }

  private static byte[] packet(int opcode, String name) {
    return ByteBuffer.allocate(24 + name.length())
        .put((byte) 0x80)
        .put((byte) opcode)
        .putShort((short) name.length())
        .putInt(0)
        .putInt(name.length())
        .putInt(0xCAFE)
        .putLong(0)
        .put(name.getBytes(ISO_8859_1))
        .array();
  }

  private void store(String dialect) throws Exception {
    gateway.start(new Topology().servers("cache", dialect, first, second).yaml());
    for (int i = 0; i < KEYS; i++) {
      assertThat(lines(gateway.address("cache"), "set key:" + i + " 0 0 1\r\nx"))
          .isEqualTo("STORED\r\n");
    }
  }

  private long sum(String arguments, String name) throws Exception {
    return Long.parseLong(text(first.address(), arguments).getOrDefault(name, "0"))
        + Long.parseLong(text(second.address(), arguments).getOrDefault(name, "0"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"same", "text", "meta", "binary"})
  void shouldAddUpAmountsAndTellTheFirstServersSettings(String dialect) throws Exception {
    store(dialect);
    InetSocketAddress address = gateway.address("cache");
    for (Asking client :
        List.<Asking>of(StatsOfSeveralServersTest::text, StatsOfSeveralServersTest::binary)) {
      Map<String, String> items = client.stats(address, "items");
      assertThat(items.get("items:1:number")).isEqualTo("" + KEYS);
      assertThat(Long.parseLong(items.get("items:1:mem_requested")))
          .isEqualTo(sum("items", "items:1:mem_requested"));
      Map<String, String> slabs = client.stats(address, "slabs");
      assertThat(slabs.get("1:used_chunks")).isEqualTo("" + KEYS);
      assertThat(slabs.get("1:chunk_size")).isEqualTo("96");
      assertThat(slabs.get("1:total_pages")).isEqualTo("" + sum("slabs", "1:total_pages"));
      Map<String, String> settings = text(first.address(), "settings");
      assertThat(client.stats(address, "settings")).isEqualTo(settings);
      assertThat(client.stats(address, "sizes")).isNotEmpty();
    }
    if (!dialect.equals("binary")) { // memcached does not know it in binary
      assertThat(text(address, "conns")).isNotEmpty();
    }
  }

  @Test
  void shouldStartAndStopDetailsEverywhere() throws Exception {
    store("same");
    InetSocketAddress address = gateway.address("cache");
    for (String on : List.of("1", "0")) {
      assertThat(lines(address, "stats detail " + (on.equals("1") ? "on" : "off")))
          .isEqualTo("OK\r\n");
      for (RealMemcached server : List.of(first, second)) {
        assertThat(text(server.address(), "settings").get("detail_enabled"))
            .isEqualTo(on.equals("1") ? "yes" : "no");
      }
    }
  }

  @Test
  void shouldAnswerAsAServerWhatItDoesNotKnowAndRefuseWhatCannotBeOne() throws Exception {
    store("same");
    InetSocketAddress address = gateway.address("cache");
    assertThat(lines(address, "stats bogus")).isEqualTo(lines(first.address(), "stats bogus"));
    for (String arguments : List.of("cachedump 1 0", "detail dump")) {
      assertThat(lines(address, "stats " + arguments))
          .isEqualTo(
              "CLIENT_ERROR stats " + arguments.split(" ")[0] + " needs a route to one server\r\n");
    }
    byte[] end = packet(NOOP, "");
    end[0] = (byte) 0x81;
    for (String name : List.of("bogus", "conns", "cachedump 1 0")) {
      try (Conversation client = new Conversation(address)) {
        client.send(List.of(packet(STAT, name), packet(NOOP, "")));
        ByteBuffer all = ByteBuffer.wrap(client.hearUntil(end));
        assertThat(all.getShort(0)).isEqualTo((short) 0x8110);
        assertThat(all.getShort(6)).as("status of %s", name).isNotZero();
        assertThat(all.getInt(8)).as("one error alone").isEqualTo(all.limit() - 48);
        assertThat(all.getInt(12)).isEqualTo(0xCAFE);
      }
    }
  }
}
