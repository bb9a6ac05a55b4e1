package sluice.gateway.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import sluice.gateway.fixtures.RealMemcached;

/** A read of many keys of several servers answers as one server that has all of them would. */
class MultiGetSplitTest {
  private static final int KEYS = 1_000;
  private static final byte[] BINARY_NOOP =
      HexFormat.of().parseHex("800a00000000000000000000000000010000000000000000");
  private static final byte[] BINARY_NOOP_REPLY =
      HexFormat.of().parseHex("810a00000000000000000000000000010000000000000000");

  private static final List<RealMemcached> SERVERS = new ArrayList<>();
  private static GatewayUnderTest gateway;
  private static InetSocketAddress address;

  @BeforeAll
  static void startAndStore() throws Exception {
    for (int i = 0; i < 3; i++) {
      SERVERS.add(RealMemcached.start());
    }
    gateway = GatewayUnderTest.create();
    gateway.start(Topology.of(SERVERS.toArray(RealMemcached[]::new)));
    address = gateway.address("cache");
    try (Conversation client = new Conversation(address)) {
      String sets =
          keys().stream()
              .map(
                  key ->
                      "set "
                          + key
                          + " "
                          + flags(key)
                          + " 0 "
                          + value(key).length()
                          + "\r\n"
                          + value(key)
                          + "\r\n")
              .collect(Collectors.joining());
      String stored = client.ask(sets + "mn\r\n", "MN\r\n");
      assertThat(stored).isEqualTo("STORED\r\n".repeat(KEYS) + "MN\r\n");
    }
  }

  @AfterAll
  static void stop() {
    gateway.close();
    SERVERS.forEach(RealMemcached::close);
  }

  @Test
  @DisabledIfSystemProperty(
      named = GatewayUnderTest.PROPERTY,
      matches = "direct",
      disabledReason = "memcached alone splits nothing")
  void shouldKeepEveryKeyOnExactlyOneServer() throws Exception {
    int total = 0;
    for (RealMemcached server : SERVERS) {
      int items = itemsOn(server, keys()).size();
      assertThat(items).as("items on %s", server.address()).isBetween(KEYS / 20, KEYS * 3 / 4);
      total += items;
    }
    assertThat(total).isEqualTo(KEYS);
  }

  @Test
  void shouldAnswerInTheOrderAsked() throws Exception {
    List<String> asked = new ArrayList<>(keys());
    Collections.shuffle(asked, new Random(1));
    assertThat(get(asked)).isEqualTo(values(asked) + "END\r\n");
  }

  @Test
  void shouldLeaveOutWhatNoServerHas() throws Exception {
    List<String> asked = new ArrayList<>();
    for (String key : keys()) {
      asked.add(key);
      asked.add("missing-" + key);
    }
    assertThat(get(asked)).isEqualTo(values(keys()) + "END\r\n");
  }

  @Test
  void shouldAnswerAKeyAsOftenAsItIsAsked() throws Exception {
    List<String> asked = new ArrayList<>();
    for (String key : keys().subList(0, 300)) {
      asked.add(key);
      asked.add(keys().get(7));
      asked.add(key);
    }
    assertThat(get(asked)).isEqualTo(values(asked) + "END\r\n");
  }

  @Test
  void shouldAnswerEndAloneWhenNoServerHasAnything() throws Exception {
    List<String> missing = IntStream.range(0, KEYS).mapToObj(i -> "nothing-" + i).toList();
    assertThat(get(missing)).isEqualTo("END\r\n");
  }

  @Test
  void shouldNotMixPipelinedReads() throws Exception {
    List<String> all = keys();
    StringBuilder requests = new StringBuilder();
    StringBuilder expected = new StringBuilder();
    for (int i = 0; i + 100 <= KEYS; i += 50) {
      List<String> asked = all.subList(i, i + 100);
      requests.append("get ").append(String.join(" ", asked)).append("\r\n");
      requests.append("get ").append(all.get(i)).append("\r\n");
      expected.append(values(asked)).append("END\r\n");
      expected.append(values(List.of(all.get(i)))).append("END\r\n");
    }
    try (Conversation client = new Conversation(address)) {
      assertThat(client.ask(requests + "mn\r\n", "MN\r\n")).isEqualTo(expected + "MN\r\n");
    }
  }

  @Test
  void shouldPassEachServersCasUnchanged() throws Exception {
    List<String> asked = keys();
    StringBuilder expected = new StringBuilder();
    List<Conversation> servers = new ArrayList<>();
    for (RealMemcached server : SERVERS) {
      servers.add(new Conversation(server.address()));
    }
    for (String key : asked) {
      expected.append(ownersGets(servers, key));
    }
    for (Conversation server : servers) {
      server.close();
    }
    expected.append("END\r\n");
    try (Conversation client = new Conversation(address)) {
      String reply = fenced(client, "gets " + String.join(" ", asked) + "\r\n");
      assertThat(reply).isEqualTo(expected.toString());
    }
  }

  @Test
  void shouldAnswerAQuietBinaryReadInTheOrderAsked() throws Exception {
    List<String> asked = new ArrayList<>(keys());
    Collections.shuffle(asked, new Random(2));
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    for (int i = 0; i < asked.size(); i++) {
      request.writeBytes(getKeyQuietly(asked.get(i), i));
      request.writeBytes(getKeyQuietly("missing-" + i, -1));
    }
    request.writeBytes(BINARY_NOOP);
    byte[] reply;
    try (Conversation client = new Conversation(address)) {
      client.send(List.of(request.toByteArray()));
      reply = client.hearUntil(BINARY_NOOP_REPLY);
    }
    ByteBuffer packets = ByteBuffer.wrap(reply, 0, reply.length - BINARY_NOOP_REPLY.length);
    for (int i = 0; i < asked.size(); i++) {
      int at = packets.position();
      String keyAndValue = asked.get(i) + value(asked.get(i));
      assertThat(packets.getInt(at + 12)).as("opaque").isEqualTo(i);
      assertThat(packets.getInt(at + 8)).as("body").isEqualTo(4 + keyAndValue.length());
      assertThat(packets.getInt(at + 24)).as("flags").isEqualTo(flags(asked.get(i)));
      assertThat(new String(reply, at + 28, keyAndValue.length(), StandardCharsets.US_ASCII))
          .isEqualTo(keyAndValue);
      packets.position(at + 28 + keyAndValue.length());
    }
    assertThat(packets.remaining()).isZero();
  }

  private static byte[] getKeyQuietly(String key, int opaque) {
    return ByteBuffer.allocate(24 + key.length())
        .put((byte) 0x80)
        .put((byte) 0x0d)
        .putShort((short) key.length())
        .putInt(0)
        .putInt(key.length())
        .putInt(opaque)
        .putLong(0)
        .put(key.getBytes(StandardCharsets.US_ASCII))
        .array();
  }

  private static String get(List<String> keys) throws Exception {
    try (Conversation client = new Conversation(address)) {
      return fenced(client, "get " + String.join(" ", keys) + "\r\n");
    }
  }

  // The values hold END themselves, so that only a fence tells when a reply is over.
  private static String fenced(Conversation client, String request) throws Exception {
    String reply = client.ask(request + "mn\r\n", "MN\r\n");
    return reply.substring(0, reply.length() - "MN\r\n".length());
  }

  private static List<String> itemsOn(RealMemcached server, List<String> keys) throws Exception {
    try (Conversation client = new Conversation(server.address())) {
      return fenced(client, "get " + String.join(" ", keys) + "\r\n")
          .lines()
          .filter(line -> line.startsWith("VALUE "))
          .toList();
    }
  }

  private static String ownersGets(List<Conversation> servers, String key) throws Exception {
    for (Conversation server : servers) {
      String reply = fenced(server, "gets " + key + "\r\n");
      if (!reply.equals("END\r\n")) {
        return reply.substring(0, reply.length() - "END\r\n".length());
      }
    }
    throw new AssertionError("no server has " + key);
  }

  // Numbers in a row have hashes in a row, all of which one server may own.
  private static List<String> keys() {
    return IntStream.range(0, KEYS).mapToObj(i -> "key-%08x".formatted(i * 0x9E3779B9)).toList();
  }

  private static int flags(String key) {
    return key.hashCode() & 0xffff;
  }

  // Values hold what a reader that looks for line ends instead of counting stumbles over.
  private static String value(String key) {
    return "value of " + key + "\r\nEND\r\n" + "x".repeat(Math.floorMod(key.hashCode(), 40));
  }

  private static String values(List<String> keys) {
    return keys.stream()
        .map(
            key ->
                "VALUE "
                    + key
                    + " "
                    + flags(key)
                    + " "
                    + value(key).length()
                    + "\r\n"
                    + value(key)
                    + "\r\n")
        .collect(Collectors.joining());
  }
}
