package sluice.gateway.dispatch.chunks;

import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.dispatch.policy.SocketlessServer.found;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import sluice.gateway.dispatch.policy.ScriptedPools;
import sluice.gateway.dispatch.policy.SocketlessClient;
import sluice.gateway.dispatch.policy.SocketlessServer;

/** Large values in chunks: what is stored first, and what a read finds out. */
class ChunkedBackendTest {
  private static final Pattern SET =
      Pattern.compile("set (\\S+) ([0-9]+) 0 ([0-9]+)\r\n", Pattern.DOTALL);

  /** Two whole chunks and a last one. */
  private static final String VALUE = "a".repeat(1024) + "b".repeat(1024) + "c".repeat(100);

  private final ScriptedPools pools = new ScriptedPools("{pool: own, split: 1KiB}", "own");
  private final SocketlessServer own = pools.server("own");
  private final SocketlessClient client = pools.client();

  /** An item as a server was told to store it. */
  private record Item(String key, String flags, String value) {
    String found() {
      return "VALUE " + key + " " + flags + " " + value.length() + "\r\n" + value + "\r\nEND\r\n";
    }

    /** As a read is answered that asks for the cas unique, too. */
    String foundWithUnique() {
      return "VALUE " + key + " " + flags + " " + value.length() + " 7\r\n" + value + "\r\nEND\r\n";
    }
  }

  @AfterEach
  void close() {
    pools.close();
  }

  private static String set(String key, String value) {
    return "set " + key + " 0 0 " + value.length() + "\r\n" + value + "\r\n";
  }

  /** The items that sets among what was asked store. */
  private static List<Item> items(String asked) {
    List<Item> items = new ArrayList<>();
    for (int at = 0; at < asked.length(); ) {
      Matcher set = SET.matcher(asked).region(at, asked.length());
      assertThat(set.lookingAt()).as(asked.substring(at)).isTrue();
      int end = set.end() + Integer.parseInt(set.group(3));
      items.add(new Item(set.group(1), set.group(2), asked.substring(set.end(), end)));
      at = end + 2;
    }
    return items;
  }

  /** Stores the value: its chunks, and last its head. */
  private List<Item> stores() {
    client.sends(set("k", VALUE));
    List<Item> stored = new ArrayList<>(items(own.asked()));
    assertThat(stored).hasSize(3);
    own.answers("STORED\r\n".repeat(3));
    pools.run();
    stored.addAll(items(own.asked()));
    assertThat(stored).hasSize(4);
    assertThat(client.told()).isEmpty();
    own.answers("STORED\r\n");
    assertThat(client.told()).isEqualTo("STORED\r\n");
    return stored;
  }

  /** Reads the head; the chunks are asked for then. */
  private void readsHead(SocketlessClient by, List<Item> stored) {
    by.sends("get k\r\n");
    assertThat(own.asked()).isEqualTo("gets k\r\n");
    own.answers(stored.get(3).foundWithUnique());
    pools.run();
    StringBuilder chunks = new StringBuilder();
    for (Item chunk : stored.subList(0, 3)) {
      chunks.append("get ").append(chunk.key()).append("\r\n");
    }
    assertThat(own.asked()).isEqualTo(chunks.toString());
  }

  /** The head is deleted, with the opaque that is returned. */
  private String deletesHead() {
    String asked = own.asked();
    String opaque = SocketlessServer.opaque(asked);
    assertThat(asked).isEqualTo("md k C7" + opaque + "\r\n");
    return opaque;
  }

  @Test
  void shouldStoreTheChunksBeforeTheHead() {
    List<Item> stored = stores();
    assertThat(stored.get(0).value() + stored.get(1).value() + stored.get(2).value())
        .isEqualTo(VALUE);
    String stamp = stored.get(0).key().replaceFirst("k:split:0:", "");
    assertThat(stored.stream().map(Item::key))
        .containsExactly("k:split:0:" + stamp, "k:split:1:" + stamp, "k:split:2:" + stamp, "k");
    assertThat(stored.get(3).value()).hasSize(25).startsWith("\u00f8SL{");
    assertThat(stored.get(3).flags()).isEqualTo(Integer.toString(0x20000));
  }

  /** An item that is marked stale keeps the time to live that it had. */
  @Test
  void shouldKeepTheChunksOfAnItemThatMayKeepItsTimeToLive() {
    String value = "v".repeat(1100);
    client.sends("ms k 1100 T9\r\n" + value + "\r\n");
    assertThat(own.asked().lines().filter(line -> line.startsWith("ms k:split:")))
        .hasSize(2)
        .allMatch(line -> line.contains(" T9"));
    pools.client().sends("ms other 1100 C5 I T9\r\n" + value + "\r\n");
    assertThat(own.asked().lines().filter(line -> line.startsWith("ms other:split:")))
        .hasSize(2)
        .noneMatch(line -> line.contains(" T9"));
  }

  @Test
  void shouldStoreAValueThatIsNotLongerAsItIs() {
    String value = "v".repeat(1024);
    client.sends(set("k", value));
    assertThat(own.asked()).isEqualTo(set("k", value));
    own.answers("STORED\r\n");
    assertThat(client.told()).isEqualTo("STORED\r\n");
  }

  @Test
  void shouldJoinChunksThatComeInSeveralReads() {
    List<Item> stored = stores();
    readsHead(client, stored);
    String all = stored.get(0).found() + stored.get(1).found() + stored.get(2).found();
    own.answers(all.substring(0, 700));
    own.answers(all.substring(700, 1500));
    own.answers(all.substring(1500));
    assertThat(client.told()).isEqualTo(found("k", VALUE));
  }

  /** Otherwise requests that came later fill the connection again, each time. */
  @Test
  void shouldAskForChunksBeforeRequestsThatWaitBehindThem() {
    List<Item> stored = stores();
    SocketlessClient later = pools.client();
    client.sends("get k\r\n");
    assertThat(own.asked()).isEqualTo("gets k\r\n");
    own.accepts(false);
    own.answers(stored.get(3).foundWithUnique());
    pools.run();
    later.sends("get l\r\n");
    assertThat(own.asked()).isEmpty();
    own.accepts(true);
    pools.run();
    assertThat(own.asked())
        .startsWith("get " + stored.get(0).key() + "\r\n")
        .endsWith("\r\ngets l\r\n");
    own.answers(stored.get(0).found() + stored.get(1).found() + stored.get(2).found());
    own.answers(new Item("l", "0", "v").foundWithUnique());
    assertThat(client.told()).isEqualTo(found("k", VALUE));
    assertThat(later.told()).isEqualTo(found("l", "v"));
  }

  /** Two reads, of which the second waits for its turn; returns what counts as heap then. */
  private long readsTwice(List<Item> stored) {
    client.sends("get k\r\nget k\r\n");
    assertThat(own.asked()).isEqualTo("gets k\r\ngets k\r\n");
    own.answers(stored.get(3).foundWithUnique().repeat(2));
    pools.run();
    long objects = pools.objects();
    for (int i = 0; i < 2; i++) {
      assertThat(own.asked()).startsWith("get k:split:0:");
      own.answers(stored.get(0).found() + stored.get(1).found() + stored.get(2).found());
      pools.run();
    }
    assertThat(client.told()).isEqualTo(found("k", VALUE).repeat(2));
    return objects;
  }

  @Test
  void shouldCountTheHeapOfReads() {
    List<Item> stored = stores();
    for (int i = 0; i < 20; i++) { // all objects that they take are there
      readsTwice(stored);
    }
    long before = pools.objects();
    assertThat(readsTwice(stored) - before).isGreaterThan(1000);
    assertThat(pools.objects()).isEqualTo(before);
  }

  /** The head is deleted by its cas: a client that adds the item must not get NOT_STORED. */
  @Test
  void shouldMissAndDeleteTheHeadWhenAChunkIsGone() {
    List<Item> stored = stores();
    readsHead(client, stored);
    own.answers(stored.get(0).found() + "END\r\n" + stored.get(2).found());
    pools.run();
    assertThat(client.told()).isEmpty();
    own.answers("HD" + deletesHead() + "\r\n");
    assertThat(client.told()).isEqualTo("END\r\n");
  }

  @Test
  void shouldMissWhenAChunkIsAnother() {
    List<Item> stored = stores();
    readsHead(client, stored);
    Item first = stored.get(0);
    Item other = new Item(first.key(), first.flags(), "x" + first.value().substring(1));
    own.answers(other.found() + stored.get(1).found() + stored.get(2).found());
    pools.run();
    own.answers("EX" + deletesHead() + "\r\n");
    assertThat(client.told()).isEqualTo("END\r\n");
  }

  /** A server that does not answer has not said that the chunk is gone: the head stays. */
  @Test
  void shouldFailAndKeepTheHeadWhenAChunkIsNotAnswered() {
    List<Item> stored = stores();
    readsHead(client, stored);
    own.answers(stored.get(0).found());
    pools.pass(510);
    assertThat(client.told()).isEqualTo("SERVER_ERROR server own:1 timed out\r\n");
    assertThat(own.asked()).doesNotContain("md ");
    client.sends("get l\r\n");
    own.answersLate(stored.get(1).found() + stored.get(2).found());
    assertThat(client.told()).isEmpty();
    own.answers(found("l", "v"));
    assertThat(client.told()).isEqualTo(found("l", "v"));
  }

  @Test
  void shouldNotStoreTheHeadWhenAChunkIsRefused() {
    client.sends(set("k", VALUE));
    own.asked();
    own.answers("STORED\r\nSERVER_ERROR out of memory storing object\r\nSTORED\r\n");
    pools.run();
    assertThat(own.asked()).isEqualTo("delete k\r\n"); // as memcached does with the old value
    own.answers("DELETED\r\n");
    assertThat(client.told()).isEqualTo("SERVER_ERROR out of memory storing object\r\n");
  }

  @Test
  void shouldNotStoreTheHeadWhenTheServerDiesBetweenTheChunks() {
    client.sends(set("k", VALUE));
    own.asked();
    own.answers("STORED\r\n");
    own.goesDown();
    assertThat(client.told()).isEqualTo("SERVER_ERROR server own:1 closed the connection\r\n");
    own.comesBack();
    pools.pass(1100);
    assertThat(own.asked()).isEmpty();
  }

  @Test
  void shouldLeaveNothingOfAReaderThatHasGoneAndNoNeighbourWithout() {
    List<Item> stored = stores();
    SocketlessClient neighbour = pools.client();
    pools.repeat(
        () -> {
          SocketlessClient leaving = pools.client();
          readsHead(leaving, stored);
          neighbour.sends("get n\r\n");
          own.answers(stored.get(0).found() + stored.get(1).found().substring(0, 500));
          leaving.leaves();
          own.answers(stored.get(1).found().substring(500) + stored.get(2).found());
          own.answers("VALUE n 0 1 9\r\nv\r\nEND\r\n");
          assertThat(neighbour.told()).isEqualTo(found("n", "v"));
          own.asked();
          pools.pass(5);
        });
  }

  /** What it had said is carried out: the value is stored, or nothing of it can be found. */
  @Test
  void shouldLeaveNothingOfAWriterThatHasGone() {
    pools.repeat(
        () -> {
          SocketlessClient leaving = pools.client();
          leaving.sends(set("k", VALUE));
          assertThat(items(own.asked())).hasSize(3);
          leaving.leaves();
          own.answers("STORED\r\n".repeat(3));
          pools.run();
          int heads = items(own.asked()).size();
          own.answers("STORED\r\n".repeat(heads));
          pools.pass(5);
        });
  }

  /** Their replies are behind it on the same connection, which must be read. */
  @Test
  void shouldTouchChunksBeforeALargeReplyThatWaitsForThem() {
    List<Item> stored = stores();
    String large = "v".repeat(2 << 20);
    client.sends("touch k 9\r\nget l\r\n");
    assertThat(own.asked()).startsWith("gat").endsWith("\r\ngets l\r\n");
    own.answers(stored.get(3).found());
    pools.run();
    assertThat(own.asked().lines()).hasSize(3).allMatch(line -> line.startsWith("touch k:split:"));
    own.answers(new Item("l", "0", large).foundWithUnique());
    own.answers("TOUCHED\r\n".repeat(3));
    assertThat(client.told()).isEqualTo("TOUCHED\r\n" + found("l", large));
  }

  /** Otherwise it would keep memory that others wait for, however slowly it takes the first. */
  @Test
  void shouldNotReadTheNextValueBeforeTheClientHasTakenEnough() {
    try (ScriptedPools large = new ScriptedPools("{pool: big, split: 512KiB}", "big")) {
      SocketlessServer big = large.server("big");
      SocketlessClient reader = large.client();
      String value = "v".repeat(1 << 20); // more than limits.outBuffer, with its line
      reader.sends(set("k", value));
      List<Item> stored = new ArrayList<>(items(big.asked()));
      big.answers("STORED\r\n".repeat(stored.size()));
      large.run();
      stored.addAll(items(big.asked()));
      assertThat(stored).hasSize(3);
      big.answers("STORED\r\n");
      assertThat(reader.told()).isEqualTo("STORED\r\n");
      String asks = "get " + stored.get(0).key() + "\r\nget " + stored.get(1).key() + "\r\n";
      String chunks = stored.get(0).found() + stored.get(1).found();
      reader.takes(false);
      reader.sends("get k\r\n".repeat(2));
      assertThat(big.asked()).isEqualTo("gets k\r\n".repeat(2));
      big.answers(stored.get(2).foundWithUnique().repeat(2));
      large.run();
      assertThat(big.asked()).isEqualTo(asks);
      big.answers(chunks);
      large.run();
      assertThat(big.asked()).isEmpty();
      reader.takes(true);
      assertThat(big.asked()).isEqualTo(asks);
      big.answers(chunks);
      assertThat(reader.told()).isEqualTo(found("k", value).repeat(2));
    }
  }

  /** Also if memory was short when its turn came: that may be over before the client goes on. */
  @Test
  void shouldNotReadAValueBeforeTheClientHasTakenEnoughWhenMemoryWasShort() {
    try (ScriptedPools large = new ScriptedPools("{pool: big, split: 512KiB}", "big")) {
      SocketlessServer big = large.server("big");
      SocketlessClient reader = large.client();
      String value = "v".repeat(1 << 20);
      reader.sends(set("k", value));
      List<Item> stored = new ArrayList<>(items(big.asked()));
      big.answers("STORED\r\n".repeat(stored.size()));
      large.run();
      stored.addAll(items(big.asked()));
      big.answers("STORED\r\n");
      assertThat(reader.told()).isEqualTo("STORED\r\n");
      reader.takes(false);
      reader.sends("get p\r\nget k\r\n");
      assertThat(big.asked()).isEqualTo("gets p\r\ngets k\r\n");
      List<SocketlessClient> writers = new ArrayList<>();
      for (int i = 0; i < 54; i++) { // of 64 MiB; from 56 MiB on memory is short
        SocketlessClient writer = large.client();
        writer.sends("set w 0 0 " + value.length() + "\r\nw");
        writers.add(writer);
      }
      assertThat(large.buffered()).isGreaterThan(54L << 20);
      Item plain = new Item("p", "0", "p".repeat(4 << 20));
      big.answers(plain.foundWithUnique() + stored.get(2).foundWithUnique());
      large.run();
      writers.forEach(SocketlessClient::leaves);
      large.pass(20);
      assertThat(big.asked()).isEmpty();
      reader.takes(true);
      assertThat(big.asked())
          .isEqualTo("get " + stored.get(0).key() + "\r\nget " + stored.get(1).key() + "\r\n");
      big.answers(stored.get(0).found() + stored.get(1).found());
      assertThat(reader.told()).isEqualTo(found("p", plain.value()) + found("k", value));
    }
  }

  /** Whether an item has chunks is known with its value only, so the server sends all of it. */
  @Test
  void shouldHaveFewTouchesOfLargeItemsInFlight() {
    String value = found("k", "v".repeat(100_000));
    for (int i = 0; i < 40; i++) {
      client.sends("touch k 0\r\n");
      assertThat(own.asked()).startsWith("gat");
      own.answers(value);
      assertThat(client.told()).isEqualTo("TOUCHED\r\n");
    }
    client.sends("touch k 0\r\n".repeat(200));
    StringBuilder told = new StringBuilder();
    for (String asked = own.asked(); !asked.isEmpty(); asked = own.asked()) {
      int count = asked.split("\r\n").length;
      assertThat(count).isLessThan(60);
      own.answers(value.repeat(count));
      told.append(client.told());
    }
    assertThat(told).hasToString("TOUCHED\r\n".repeat(200));
  }

  /** The length of a value is known when its chunks are there. */
  @Test
  void shouldHaveFewReadsOfTheLengthsOfLargeValuesInFlight() {
    try (ScriptedPools large = new ScriptedPools("{pool: big, split: 100KiB}", "big")) {
      SocketlessServer big = large.server("big");
      SocketlessClient reader = large.client();
      String value = "v".repeat(250_000);
      reader.sends(set("k", value));
      List<Item> stored = new ArrayList<>(items(big.asked()));
      big.answers("STORED\r\n".repeat(stored.size()));
      large.run();
      stored.addAll(items(big.asked()));
      assertThat(stored).hasSize(4);
      big.answers("STORED\r\n");
      assertThat(reader.told()).isEqualTo("STORED\r\n");
      for (int i = 0; i < 40; i++) {
        reader.sends("mg k s\r\n");
        big.answers(replies(big.asked(), stored));
        large.run();
        big.answers(replies(big.asked(), stored));
        assertThat(reader.told()).isEqualTo("HD s250000\r\n");
      }
      reader.sends("mg k s\r\n".repeat(60));
      StringBuilder told = new StringBuilder();
      for (String asked = big.asked(); !asked.isEmpty(); asked = big.asked()) {
        assertThat(asked.split("\r\n")).hasSizeLessThan(40);
        big.answers(replies(asked, stored));
        told.append(reader.told());
      }
      assertThat(told).hasToString("HD s250000\r\n".repeat(60));
    }
  }

  /** The replies to meta reads of stored items. */
  private static String replies(String asked, List<Item> stored) {
    assertThat(asked).isNotEmpty();
    StringBuilder all = new StringBuilder();
    for (String line : asked.split("\r\n")) {
      String[] words = line.split(" ");
      assertThat(words[0]).as(line).isEqualTo("mg");
      Item item =
          stored.stream().filter(each -> each.key().equals(words[1])).findAny().orElseThrow();
      all.append("VA ").append(item.value().length());
      for (int i = 2; i < words.length; i++) {
        switch (words[i].charAt(0)) {
          case 'f' -> all.append(" f").append(item.flags());
          case 'c' -> all.append(" c7");
          case 's' -> all.append(" s").append(item.value().length());
          case 'O' -> all.append(' ').append(words[i]);
          default -> {} // is not repeated
        }
      }
      all.append("\r\n").append(item.value()).append("\r\n");
    }
    return all.toString();
  }
}
