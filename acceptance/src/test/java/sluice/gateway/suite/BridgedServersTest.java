package sluice.gateway.suite;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.gateway.fixtures.RealMemcached;

/** Several servers behind a bridge, keys that a rule renames, and values too large to be whole. */
@SuppressWarnings("StringConcatToTextBlock") // lines end as they do on the wire
class BridgedServersTest {
  private static final String FENCE = "mn\r\n";
  private static final int LARGE = 200_000; // streamed

  /** What the servers are spoken to in, and the option that lets them understand nothing else. */
  enum Dialect {
    TEXT("ascii"),
    META("ascii"),
    BINARY("binary");

    private final String option;

    Dialect(String option) {
      this.option = option;
    }

    String label() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }

  /** Three servers, a gateway and a client of it. */
  private static final class Run implements AutoCloseable {
    private final List<RealMemcached> servers = new ArrayList<>();
    private final InProcessGateway gateway = new InProcessGateway();
    private final Conversation client;

    Run(Dialect dialect, String multiGet) throws Exception {
      for (int i = 0; i < 3; i++) {
        servers.add(RealMemcached.start("-B", dialect.option));
      }
      gateway.start(
          """
          admin: {bind: 127.0.0.1:0}
          listeners: {cache: {bind: 127.0.0.1:0, protocol: memcached, route: cache}}
          routes:
            cache:
              - {match: {prefix: "s:"}, pool: cache, key: {strip: "s:", add: "v2:"}}
              - {pool: cache}
          pools:
            cache:
              servers: [%s]
              dialect: %s
              timeout: 10s
              connections: {probeAfter: 60s}
              multiGet: {onFailure: %s}
          """
              .formatted(
                  servers.stream()
                      .map(each -> "\"127.0.0.1:" + each.address().getPort() + '"')
                      .collect(Collectors.joining(", ")),
                  dialect.label(),
                  multiGet));
      client = new Conversation(address());
    }

    InetSocketAddress address() {
      return gateway.address("cache");
    }

    /** All that is answered, without the fence's reply. */
    String ask(String request) throws Exception {
      String all = client.ask(request + FENCE, "MN\r\n");
      return all.substring(0, all.length() - "MN\r\n".length());
    }

    @Override
    public void close() throws IOException {
      client.close();
      gateway.close();
      servers.forEach(RealMemcached::close);
    }
  }

  // Numbers in a row have hashes in a row, all of which one server may own.
  private static List<String> keys(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "key-%08x".formatted(i * 0x9E3779B9))
        .collect(Collectors.toList());
  }

  private static String set(String key, String value) {
    return "set " + key + " 5 0 " + value.length() + "\r\n" + value + "\r\n";
  }

  private static String value(String key, String value) {
    return "VALUE " + key + " 5 " + value.length() + "\r\n" + value + "\r\n";
  }

  @ParameterizedTest
  @EnumSource
  void shouldPutValuesOfManyServersTogetherInTheOrderAsked(Dialect dialect) throws Exception {
    try (Run run = new Run(dialect, "error")) {
      StringBuilder sets = new StringBuilder();
      keys(150).forEach(key -> sets.append(set(key, "of " + key)));
      assertThat(run.ask(sets.toString())).isEqualTo("STORED\r\n".repeat(150));

      List<String> asked = keys(150);
      asked.addAll(keys(5)); // again
      asked.addAll(List.of("missing-1", "missing-2"));
      Collections.shuffle(asked, new Random(1));
      String expected =
          asked.stream()
                  .filter(key -> key.startsWith("key"))
                  .map(key -> value(key, "of " + key))
                  .collect(Collectors.joining())
              + "END\r\n";
      assertThat(run.ask("get " + String.join(" ", asked) + "\r\n")).isEqualTo(expected);
      assertThat(run.ask("gat 60 " + String.join(" ", asked) + "\r\n")).isEqualTo(expected);
      assertThat(run.ask("gets " + String.join(" ", asked) + "\r\n"))
          .hasLineCount(2 * 155 + 1)
          .startsWith(expected.substring(0, expected.indexOf('\r'))); // a cas behind each of them
      assertThat(run.ask("get missing-1 missing-2\r\n")).isEqualTo("END\r\n");
    }
  }

  @ParameterizedTest
  @CsvSource({"TEXT, error", "META, error", "META, miss", "BINARY, error", "BINARY, miss"})
  void shouldAnswerForAServerThatIsGoneAsTheConfigurationSays(Dialect dialect, String onFailure)
      throws Exception {
    try (Run run = new Run(dialect, onFailure)) {
      StringBuilder sets = new StringBuilder();
      keys(60).forEach(key -> sets.append(set(key, key)));
      assertThat(run.ask(sets.toString())).isEqualTo("STORED\r\n".repeat(60));
      run.servers.get(1).close();
      String reply = run.ask("get " + String.join(" ", keys(60)) + "\r\n");
      if (onFailure.equals("error")) {
        assertThat(reply).startsWith("SERVER_ERROR server 127.0.0.1:").hasLineCount(1);
      } else {
        assertThat(reply).startsWith("VALUE ").endsWith("END\r\n");
        assertThat(reply.lines().filter(line -> line.startsWith("VALUE ")).count())
            .isBetween(10L, 59L);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldRenameKeysOnTheirWayAndBack(Dialect dialect) throws Exception {
    try (Run run = new Run(dialect, "error")) {
      assertThat(run.ask(set("s:a", "1") + set("s:b", "2"))).isEqualTo("STORED\r\nSTORED\r\n");
      assertThat(run.ask("get v2:a s:b v2:b s:a\r\n"))
          .isEqualTo(
              value("v2:a", "1")
                  + value("s:b", "2")
                  + value("v2:b", "2")
                  + value("s:a", "1")
                  + "END\r\n");
      assertThat(run.ask("mg s:a k v f Oxy\r\n")).isEqualTo("VA 1 ks:a f5 Oxy\r\n1\r\n");
      assertThat(run.ask("delete s:a\r\nget v2:a\r\n")).isEqualTo("DELETED\r\nEND\r\n");
      String tooLong = "s:" + "x".repeat(248);
      assertThat(run.ask("get " + tooLong + "\r\n"))
          .isEqualTo("CLIENT_ERROR bad command line format\r\n");
      try (Conversation binary = new Conversation(run.address())) {
        binary.send(List.of(packet(0x0c, "s:b"), packet(0x0a, "")));
        byte[] reply = binary.hearUntil(packetOf(0x81, 0x0a, ""));
        assertThat(new String(reply, ISO_8859_1)).contains("s:b2").doesNotContain("v2:b");
      }
    }
  }

  private static byte[] packet(int opcode, String key) {
    return packetOf(0x80, opcode, key);
  }

  private static byte[] packetOf(int magic, int opcode, String key) {
    return ByteBuffer.allocate(24 + key.length())
        .put((byte) magic)
        .put((byte) opcode)
        .putShort((short) key.length())
        .putInt(0)
        .putInt(key.length())
        .putInt(0)
        .putLong(0)
        .put(key.getBytes(ISO_8859_1))
        .array();
  }

  @ParameterizedTest
  @EnumSource
  void shouldAskEveryServerWhatHasNoKey(Dialect dialect) throws Exception {
    try (Run run = new Run(dialect, "error")) {
      keys(30).forEach(key -> ask(run, set(key, key)));
      assertThat(run.ask("version\r\n")).isEqualTo("VERSION " + RealMemcached.VERSION + "\r\n");
      assertThat(run.ask("stats\r\n")).contains("STAT curr_items 30\r\n").endsWith("END\r\n");
      assertThat(run.ask("stats reset\r\n")).isEqualTo("RESET\r\n");
      assertThat(run.ask("stats detail on\r\n")).isEqualTo("OK\r\n");
      assertThat(run.ask("stats detail off\r\n")).isEqualTo("OK\r\n");
      assertThat(run.ask("verbosity 0\r\n")).isEqualTo("OK\r\n");
      try (Conversation binary = new Conversation(run.address())) {
        binary.send(List.of(packet(0x0b, ""), packet(0x10, ""), packet(0x0a, "")));
        String reply = new String(binary.hearUntil(packetOf(0x81, 0x0a, "")), ISO_8859_1);
        assertThat(reply).contains(RealMemcached.VERSION).contains("curr_items30");
      }
      assertThat(run.ask("flush_all noreply\r\nget " + String.join(" ", keys(30)) + "\r\n"))
          .isEqualTo("END\r\n");
      assertThat(run.ask("flush_all 10\r\n")).isEqualTo("OK\r\n");
    }
  }

  private static void ask(Run run, String request) {
    try {
      assertThat(run.ask(request)).isEqualTo("STORED\r\n");
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldStreamAValueAndKeepTheOldOneIfItDoesNotEnd(Dialect dialect) throws Exception {
    try (Run run = new Run(dialect, "error")) {
      String large = "x".repeat(LARGE);
      run.client.send(
          List.of(
              ("set big 5 0 " + LARGE + "\r\n").getBytes(ISO_8859_1),
              large.getBytes(ISO_8859_1),
              "\r".getBytes(ISO_8859_1),
              ("\nget big\r\n" + FENCE).getBytes(ISO_8859_1)));
      String reply = new String(run.client.hearUntil("MN\r\n".getBytes(ISO_8859_1)), ISO_8859_1);
      assertThat(reply).isEqualTo("STORED\r\n" + value("big", large) + "END\r\nMN\r\n");

      run.client.send(
          List.of(
              ("set big 5 0 " + LARGE + "\r\n").getBytes(ISO_8859_1),
              "y".repeat(LARGE).getBytes(ISO_8859_1),
              "ZZ".getBytes(ISO_8859_1),
              ("mg big s\r\n" + FENCE).getBytes(ISO_8859_1)));
      reply = new String(run.client.hearUntil("MN\r\n".getBytes(ISO_8859_1)), ISO_8859_1);
      assertThat(reply).isEqualTo("CLIENT_ERROR bad data chunk\r\nHD s" + LARGE + "\r\nMN\r\n");
      assertThat(run.ask("get big\r\n")).isEqualTo(value("big", large) + "END\r\n");
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldDeleteWhatATooLargeValueWouldHaveReplaced(Dialect dialect) throws Exception {
    try (Run run = new Run(dialect, "error")) {
      String tooLarge = "z".repeat(1_100_000);
      assertThat(run.ask(set("s:k", "old") + set("s:k", tooLarge) + "get s:k\r\n"))
          .isEqualTo("STORED\r\nSERVER_ERROR object too large for cache\r\nEND\r\n");
      assertThat(run.ask(set("k", "old") + "ms k 1100000\r\n" + tooLarge + "\r\nget k\r\n"))
          .isEqualTo("STORED\r\nSERVER_ERROR object too large for cache\r\nEND\r\n");
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldRefuseLinesItselfThatNoServerShallSee(Dialect dialect) throws Exception {
    try (Run run = new Run(dialect, "error")) {
      String key = "k".repeat(251);
      assertThat(run.ask("mg " + key + " v\r\nmg k v v\r\nma k Dx\r\nmg !! b v\r\n"))
          .isEqualTo(
              "CLIENT_ERROR bad command line format\r\n"
                  + "CLIENT_ERROR duplicate flag\r\n"
                  + "CLIENT_ERROR invalid or duplicate flag\r\n"
                  + "CLIENT_ERROR error decoding key\r\n");
      if (dialect != Dialect.TEXT) {
        assertThat(
                run.ask(
                    "get\r\nget "
                        + key
                        + "\r\nincr k x\r\nincr k x noreply\r\ntouch k x\r\n"
                        + "delete k 5\r\n"))
            .isEqualTo(
                "ERROR\r\n"
                    + "CLIENT_ERROR bad command line format\r\n"
                    + "CLIENT_ERROR invalid numeric delta argument\r\n"
                    + "CLIENT_ERROR invalid exptime argument\r\n"
                    + "CLIENT_ERROR bad command line format.  Usage: delete <key> [noreply]\r\n");
      }
      assertThat(run.ask("get k\r\n")).isEqualTo("END\r\n");
    }
  }
}
