package sluice.gateway.values;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.values.Noise.noise;
import static sluice.gateway.values.Talk.found;
import static sluice.gateway.values.Talk.int32;
import static sluice.gateway.values.Talk.packet;
import static sluice.gateway.values.Talk.reply;
import static sluice.gateway.values.Talk.set;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.split.ChunkKeys;
import sluice.codecs.split.SplitHead;

/** Chunks that are gone, that are somebody else's, or whose servers are. */
class SplitFailuresTest {
  private static final int FLAG = SplitPool.FLAG;
  private static final int CHUNK = 64 << 10;
  private static final String RULE = ", split: 64KiB";

  // --- chunks that are not what was cut
  // ------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"same", "text", "meta", "binary"})
  void shouldMissAValueOfWhichAChunkIsGone(String dialect) throws Exception {
    String value = noise(1, 4 * CHUNK + 9);
    try (SplitPool pool = new SplitPool(3, RULE, "dialect: " + dialect)) {
      Talk client = pool.client();
      Talk binary = pool.client();
      for (int i = 0; i < 5; i++) {
        String[] reads = {
          "get k\r\n", "mg k v\r\n", "mg k s\r\n", "get none k\r\n", "gat 100 k\r\n"
        };
        for (String read : reads) {
          client.expect("flush_all\r\n", "OK\r\n");
          client.expect(set("k", 1, value), "STORED\r\n");
          SplitPool.Placed chunk = last(pool, "k:split:" + i + ":");
          pool.server(chunk.server()).expect("delete " + chunk.key() + "\r\n", "DELETED\r\n");
          client.expect(read, read.startsWith("mg") ? "EN\r\n" : "END\r\n");
          client.expect("touch k 100\r\nget k\r\n", "NOT_FOUND\r\nEND\r\n");
        }
        client.expect("flush_all\r\n", "OK\r\n");
        client.expect(set("k", 1, value), "STORED\r\n");
        SplitPool.Placed chunk = last(pool, "k:split:" + i + ":");
        pool.server(chunk.server()).expect("delete " + chunk.key() + "\r\n", "DELETED\r\n");
        binary.expectPacket(packet(0x00, "", "k", ""), reply(0x00, 1, "", "Not found"));
        if (!dialect.equals("text")) {
          client.expect("add k 2 0 1\r\n!\r\nget k\r\n", "STORED\r\n" + found("k", 2, "!"));
        }
      }
      pool.shouldHoldNothing();
    }
  }

  /** The one chunk whose key begins so: earlier values' have been flushed. */
  private static SplitPool.Placed last(SplitPool pool, String start) throws Exception {
    return pool.find(start, 1).get(0);
  }

  @Test
  void shouldMissAValueWithAChunkThatIsSomebodyElses() throws Exception {
    String value = noise(1, 2 * CHUNK + 9);
    try (SplitPool pool = new SplitPool(1, RULE, "dialect: same")) {
      Talk client = pool.client();
      Talk server = pool.server(0);
      String[] changes = {
        "append %s 0 0 1\r\n!\r\n",
        "prepend %s 0 0 1\r\n!\r\n",
        set("%s", 0, value.substring(CHUNK, 2 * CHUNK)),
        set("%s", 7, "x"),
        set("%s", 0, ""),
      };
      for (String change : changes) {
        client.expect("flush_all\r\n", "OK\r\n");
        client.expect(set("k", 1, value), "STORED\r\n");
        String key = last(pool, "k:split:1:").key();
        server.expect(change.replaceFirst("%s", key), "STORED\r\n");
        client.expect("get k\r\nmg k v\r\n", "END\r\nEN\r\n");
        server.expect("get k\r\n", "END\r\n"); // the head is gone, too
      }
      // Chunks of two values of one key.
      client.expect("flush_all\r\n", "OK\r\n");
      client.expect(set("k", 1, value), "STORED\r\n");
      String older = last(pool, "k:split:0:").key();
      client.expect(set("k", 1, noise(2, 2 * CHUNK)), "STORED\r\n");
      String newer =
          pool.find("k:split:0:", 2).stream()
              .map(SplitPool.Placed::key)
              .filter(key -> !key.equals(older))
              .findFirst()
              .orElseThrow();
      String flags = server.line("mg " + older + " f\r\n").substring("HD f".length());
      server.expect(
          "set %s %s 0 %d\r\n".formatted(newer, flags, CHUNK) + value.substring(0, CHUNK) + "\r\n",
          "STORED\r\n");
      String got = client.line("get k\r\n");
      assertThat(got).startsWith("VALUE k 1 "); // its sum is right: whoever did that meant it
      pool.shouldHoldNothing();
    }
  }

  /**
   * Anybody may store what looks like a head, and chunks for it: 25 bytes are not to ask for more.
   */
  @ParameterizedTest
  @CsvSource({"25165824, 1024", "2147483647, 1024", "2147483647, 65536"})
  void shouldNotAskForChunksThatNoGatewayHasCut(int length, int chunk) throws Exception {
    String bytes = noise(4, chunk);
    CRC32C sum = new CRC32C();
    sum.update(bytes.getBytes(StandardCharsets.ISO_8859_1));
    ByteBuf head = Unpooled.buffer();
    new SplitHead().write(head, false, length, chunk, 77);
    ChunkKeys keys = new ChunkKeys(Unpooled.copiedBuffer("k", StandardCharsets.US_ASCII), 0, 1, 77);
    try (SplitPool pool = new SplitPool(1, RULE, "dialect: same")) {
      Talk server = pool.server(0);
      for (int i = 0; i < 100; i++) {
        String key = keys.of(i).toString(StandardCharsets.US_ASCII);
        server.expect(set(key, (int) sum.getValue(), bytes), "STORED\r\n");
      }
      server.expect(set("k", FLAG, head.toString(StandardCharsets.ISO_8859_1)), "STORED\r\n");
      Talk client = pool.client();
      String refused = "SERVER_ERROR chunked value exceeds the item size limit\r\n";
      for (String request : List.of("get k", "mg k v", "gat 100 k", "touch k 100", "get x k")) {
        long asked = asked(server);
        client.expect(request + "\r\n", refused);
        assertThat(asked(server) - asked).as(request).isLessThanOrEqualTo(2);
      }
      pool.shouldHoldNothing();
    }
  }

  /** How many reads and touches a server has been asked for. */
  private static long asked(Talk server) throws Exception {
    long asked = 0;
    for (String line = server.line("stats\r\n"); !line.equals("END"); line = server.line("")) {
      if (line.startsWith("STAT cmd_get ") || line.startsWith("STAT cmd_touch ")) {
        asked += Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
      }
    }
    return asked;
  }

  @Test
  void shouldPassWhatOnlyLooksLikeAHead() throws Exception {
    try (SplitPool pool = new SplitPool(1, RULE, "dialect: same")) {
      Talk client = pool.client();
      Talk server = pool.server(0);
      client.expect(set("k", 0, noise(3, CHUNK + 1)), "STORED\r\n");
      String head = server.value("k"); // any bytes: ends of lines among them
      for (int i = 0; i < head.length(); i++) {
        String damaged =
            head.substring(0, i) + (char) (head.charAt(i) ^ 0x10) + head.substring(i + 1);
        server.expect(set("k", FLAG, damaged), "STORED\r\n");
        client.expect("get k\r\n", found("k", FLAG, damaged));
      }
      server.expect(set("k", 0, head), "STORED\r\n"); // without the flag nothing is looked at
      client.expect("get k\r\n", found("k", 0, head));
      pool.shouldHoldNothing();
    }
  }

  @Test
  void shouldRefuseAValueThatIsLongerThanItemsMayBe() throws Exception {
    try (SplitPool pool = new SplitPool(1, RULE, "dialect: same")) {
      Talk client = pool.client();
      Talk server = pool.server(0);
      io.netty.buffer.ByteBuf out = io.netty.buffer.Unpooled.buffer();
      new sluice.codecs.split.SplitHead().write(out, false, Integer.MAX_VALUE, 1024, 1);
      String head = out.toString(StandardCharsets.ISO_8859_1);
      server.expect(set("k", FLAG, head), "STORED\r\n");
      String error = "SERVER_ERROR chunked value exceeds the item size limit\r\n";
      client.expect("get k\r\n", error);
      client.expect("mg k v\r\n", error);
      client.expect("get none k\r\n", error);
      client.expect("delete k\r\n", "DELETED\r\n");
    }
  }

  // --- servers
  // -------------------------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"same", "meta", "binary"})
  void shouldFailWhereAChunkWouldBeAndNowhereElse(String dialect) throws Exception {
    String value = noise(1, SplitPool.MANY * CHUNK);
    try (SplitPool pool = new SplitPool(2, RULE, "dialect: " + dialect)) {
      Talk client = pool.client();
      String key = keyOf(pool, client, 0);
      client.expect(set(key, 1, value), "STORED\r\n");
      pool.shouldBeSpread(key, 2);
      pool.kill(1);
      for (int i = 0; i < 3; i++) {
        assertThat(client.line("get " + key + "\r\n")).startsWith("SERVER_ERROR server 127.0.0.1:");
        assertThat(client.line(set(key, 2, value))).startsWith("SERVER_ERROR server 127.0.0.1:");
        assertThat(client.line("touch " + key + " 10\r\n")).startsWith("SERVER_ERROR server 127");
        client.expect(
            set(key + "x", 2, value)
                    .replace("0 " + value.length(), "0 " + value.length() + " noreply")
                + "mn\r\n",
            "MN\r\n");
      }
      client.expect(set(key, 2, "small"), "STORED\r\n");
      client.expect("get " + key + "\r\n", found(key, 2, "small"));
      client.expect("delete " + key + "\r\n", "DELETED\r\n");
      pool.shouldHoldNothing();
    }
  }

  /** A key that is on a server. */
  private static String keyOf(SplitPool pool, Talk client, int server) throws Exception {
    for (int i = 0; ; i++) {
      client.expect(set("where" + i, 0, "v"), "STORED\r\n");
      if (pool.server(server).line("mg where" + i + "\r\n").equals("HD")) {
        return "where" + i;
      }
    }
  }

  @Test
  void shouldGoElsewhereWhereThereIsAnElsewhere() throws Exception {
    String value = noise(1, SplitPool.MANY * CHUNK);
    String rule = RULE + ", failover: {pools: [other], maxTtl: 50s}";
    try (SplitPool pool = new SplitPool(2, rule, "dialect: same")) {
      Talk client = pool.client();
      String key = keyOf(pool, client, 0);
      client.expect(set(key, 1, value), "STORED\r\n");
      pool.shouldBeSpread(key, 2);
      assertThat(pool.keys(2)).isEmpty();
      pool.kill(1);
      String line = client.line("get " + key + "\r\n");
      assertThat(line.startsWith("SERVER_ERROR") || line.equals("END")).isTrue();
      for (int i = 0; i < 200 && !line.equals("END"); i++) {
        TimeUnit.MILLISECONDS.sleep(20);
        line = client.line("get " + key + "\r\n");
      }
      assertThat(line).isEqualTo("END");
      // the head stays, because the server may come back with the chunks
      assertThat(pool.server(0).line("mg " + key + "\r\n")).isEqualTo("HD");
      for (int i = 0; i < 200 && !line.equals("STORED"); i++) {
        line = client.line(set(key, 2, value));
        TimeUnit.MILLISECONDS.sleep(20);
      }
      client.expect("get " + key + "\r\n", found(key, 2, value));
      List<String> moved = pool.keys(2);
      assertThat(moved).isNotEmpty().allMatch(each -> each.startsWith(key + ":split:"));
      String ttl = pool.server(2).line("mg " + moved.get(0) + " t\r\n");
      assertThat(Integer.parseInt(ttl.substring("HD t".length()))).isBetween(10, 50);
      client.expect("gat 1000 " + key + "\r\n", found(key, 2, value));
      pool.shouldHoldNothing();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"same", "text", "meta", "binary"})
  void shouldSayWhatAServerSaysThatTakesNoSuchChunks(String dialect) throws Exception {
    String value = noise(1, 3 << 20);
    try (SplitPool pool = new SplitPool(2, ", split: 2MiB", "dialect: " + dialect)) {
      Talk client = pool.client();
      client.expect(set("k", 1, "old"), "STORED\r\n");
      client.expect(set("k", 2, value), "SERVER_ERROR object too large for cache\r\n");
      client.expect("get k\r\n", "END\r\n"); // as memcached does with a value that it refuses
      client.expect(set("k", 1, "old"), "STORED\r\n");
      client.expect(
          "replace" + set("k", 2, value).substring(3),
          "SERVER_ERROR object too large for cache\r\n");
      client.expect("get k\r\n", found("k", 1, "old"));
      Talk binary = pool.client();
      binary.expectPacket(
          packet(0x01, int32(9) + int32(0), "b", value), reply(0x01, 3, "", "Too large."));
      pool.shouldHoldNothing();
    }
  }

  // --- others at the same time
  // ---------------------------------------------------------------------

  @Test
  void shouldGiveOneWritersValueOrNone() throws Exception {
    int clients = 4;
    int rounds = 60;
    AtomicInteger hits = new AtomicInteger();
    try (SplitPool pool = new SplitPool(3, RULE, "dialect: same")) {
      String[] values = new String[clients];
      for (int i = 0; i < clients; i++) {
        values[i] = ("writer " + i + ";").repeat((3 + i) * CHUNK / 9);
      }
      ExecutorService threads = Executors.newFixedThreadPool(2 * clients);
      List<CompletableFuture<Void>> running = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        Talk writer = pool.client();
        Talk reader = pool.client();
        String value = values[i];
        int flags = i;
        running.add(
            CompletableFuture.runAsync(
                () -> {
                  try {
                    for (int round = 0; round < rounds; round++) {
                      writer.expect(set("k", flags, value), "STORED\r\n");
                      if (round % 7 == flags) {
                        String deleted = writer.line("delete k\r\n");
                        assertThat(deleted).isIn("DELETED", "NOT_FOUND");
                      }
                    }
                  } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                  }
                },
                threads));
        running.add(
            CompletableFuture.runAsync(
                () -> {
                  try {
                    for (int round = 0; round < rounds; round++) {
                      String line = reader.line("get k\r\n");
                      if (line.equals("END")) {
                        continue;
                      }
                      int by = Integer.parseInt(line.split(" ", -1)[2]);
                      String all = values[by];
                      assertThat(line).isEqualTo("VALUE k " + by + " " + all.length());
                      reader.expect("", all + "\r\nEND\r\n");
                      hits.incrementAndGet();
                    }
                  } catch (java.io.IOException e) {
                    throw new java.io.UncheckedIOException(e);
                  }
                },
                threads));
      }
      running.forEach(CompletableFuture::join);
      threads.shutdown();
      assertThat(hits).hasPositiveValue();
      pool.shouldHoldNothing();
    }
  }

  @Test
  void shouldHoldNothingForClientsThatLeave() throws Exception {
    String value = noise(1, 40 * CHUNK);
    try (SplitPool pool = new SplitPool(3, RULE, "dialect: same")) {
      Talk client = pool.client();
      client.expect(set("k", 1, value), "STORED\r\n");
      byte[] write = set("w", 1, value).getBytes(StandardCharsets.ISO_8859_1);
      byte[] reads =
          "get k\r\nget k k\r\nmg k v\r\ntouch k 0\r\n".getBytes(StandardCharsets.US_ASCII);
      Random random = new Random(5);
      for (int i = 0; i < 60; i++) {
        try (Socket socket = new Socket(pool.address().getAddress(), pool.address().getPort())) {
          if (i % 3 == 0) {
            socket.getOutputStream().write(write, 0, random.nextInt(write.length + 1));
          } else {
            socket.getOutputStream().write(i % 2 == 0 ? write : reads);
            socket.getOutputStream().write(reads);
            TimeUnit.MILLISECONDS.sleep(random.nextInt(30));
          }
          socket.setSoLinger(i % 4 < 2, 0);
        } catch (java.io.IOException e) {
          assertThat(e).hasMessageContaining("onnection"); // reset: it was closed for not reading
        }
      }
      client.expect("get k\r\n", found("k", 1, value));
      pool.shouldHoldNothing();
    }
  }

  // --- the scenarios of mcrouter's own tests, in our words
  // -------------------------------------------

  /** What is short goes as it is: one request, the client's key. */
  @Test
  void shouldPassASmallValueAlone() throws Exception {
    try (SplitPool pool = new SplitPool(1, RULE, "dialect: same")) {
      Talk client = pool.client();
      client.expect(set("smallvalue_set", 0, "value"), "STORED\r\n");
      client.expect("get smallvalue_set\r\n", found("smallvalue_set", 0, "value"));
      assertThat(pool.find("smallvalue_set", 1).get(0).key()).isEqualTo("smallvalue_set");
      pool.server(0).expect("get smallvalue_set\r\n", found("smallvalue_set", 0, "value"));
    }
  }

  /** Ten chunks, five of each letter, are stored under keys of one stamp, and then the head. */
  @ParameterizedTest
  @ValueSource(strings = {"set", "add"})
  void shouldStoreChunksUnderTheKeyTheStampAndTheirNumbers(String word) throws Exception {
    String value = "t".repeat(5 * CHUNK) + "s".repeat(5 * CHUNK);
    try (SplitPool pool = new SplitPool(1, RULE, "dialect: same")) {
      Talk client = pool.client();
      client.expect(word + set("bigvalue_set", 0, value).substring(3), "STORED\r\n");
      List<String> keys =
          pool.find("bigvalue_set", 11).stream().map(SplitPool.Placed::key).toList();
      assertThat(keys).contains("bigvalue_set");
      String stamp =
          keys.stream()
              .filter(key -> key.contains(":split:0:"))
              .findFirst()
              .orElseThrow()
              .substring("bigvalue_set:split:0:".length());
      for (int i = 0; i < 10; i++) {
        String key = "bigvalue_set:split:" + i + ":" + stamp;
        assertThat(keys).contains(key);
        String chunk = (i < 5 ? "t" : "s").repeat(CHUNK);
        assertThat(pool.server(0).value(key).equals(chunk)).isTrue();
      }
      // All chunks come back, in order; the flag that marks the head does not show.
      client.expect("get bigvalue_set\r\n", found("bigvalue_set", 0, value));
    }
  }

  /** 21,000,015 bytes, whose last chunk is shorter. */
  @Test
  void shouldStoreTwentyOneMillionBytes() throws Exception {
    String value = "abc".repeat(7 * 1000 * 1000 + 5);
    try (SplitPool pool = new SplitPool(1, ", split: 5000B", "dialect: same")) {
      Talk client = pool.client();
      client.expect(set("key", 0, value), "STORED\r\n");
      client.expect("get key\r\n", found("key", 0, value));
      pool.shouldHoldNothing();
    }
  }

  /** A head that names what is not there, or was deleted, is a miss; the next writer is let in. */
  @Test
  void shouldLetTheNextWriterInWhenAChunkIsMissingOrTheValueWasDeleted() throws Exception {
    String value = "a".repeat(CHUNK + 1);
    try (SplitPool pool = new SplitPool(1, RULE, "dialect: same")) {
      Talk client = pool.client();
      client.expect(set("key", 0, value), "STORED\r\n");
      client.expect("get key\r\n", found("key", 0, value));
      String chunk = last(pool, "key:split:1:").key();
      client.expect("delete " + chunk + "\r\n", "DELETED\r\n");
      client.expect("mg key v N30\r\n", "EN\r\n"); // and the head goes
      client.expect("mg key v N30\r\n", "VA 0 W\r\n\r\n");
      client.expect("mg key v N30\r\n", "VA 0 Z\r\n\r\n");
      client.expect(set("key", 0, value), "STORED\r\n");
      client.expect("mg key v N30\r\n", "VA " + value.length() + "\r\n" + value + "\r\n");
      client.expect("delete key\r\n", "DELETED\r\n");
      client.expect("mg key v N30\r\n", "VA 0 W\r\n\r\n");
    }
  }
}
