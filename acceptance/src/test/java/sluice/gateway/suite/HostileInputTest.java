package sluice.gateway.suite;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.fixtures.Vector;

/**
 * What has broken memcached or its proxy once, and what is like it. The gateway answers as
 * memcached does that is mended, closes where it closes, and nobody else notices: not through a
 * bridge either, whose servers see none of it.
 */
class HostileInputTest {
  private static RealMemcached direct;
  private static RealMemcached behind;
  private static InProcessGateway gateway;

  @BeforeAll
  static void start() throws Exception {
    direct = RealMemcached.start();
    behind = RealMemcached.start();
    gateway = new InProcessGateway();
    Topology topology = new Topology().servers("same", behind);
    for (String dialect : List.of("text", "meta", "binary")) {
      topology.servers(dialect, dialect, behind);
    }
    gateway.start(topology.yaml());
  }

  @AfterAll
  static void stop() throws Exception {
    gateway.close();
    behind.close();
    direct.close();
  }

  /** A name, for the report, and what a client sends. */
  private record Input(String name, byte[] bytes) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Input text(String name, String line) {
    return new Input(name, line.getBytes(ISO_8859_1));
  }

  private static Input packet(String name, String hex) {
    return new Input(name, java.util.HexFormat.of().parseHex(hex.replace(" ", "")));
  }

  static Stream<Input> texts() {
    List<Input> all = new ArrayList<>();
    for (int spaces : new int[] {2, 20, 250, 1_000}) { // CVE-2023-46852
      all.add(text("get and " + spaces + " spaces", "get" + " ".repeat(spaces) + "k\r\n"));
      all.add(text("gets and " + spaces + " spaces", "gets" + " ".repeat(spaces) + "k  k\r\n"));
      all.add(text("gat and " + spaces + " spaces", "gat 0" + " ".repeat(spaces) + "k\r\n"));
      all.add(text("mg and " + spaces + " spaces", "mg" + " ".repeat(spaces) + "k v\r\n"));
      all.add(text("get k and " + spaces + " spaces", "get k" + " ".repeat(spaces) + "\r\n"));
    }
    for (String line : List.of("get k", "gets k", "mg k v", "mg k", "mn", "get", "mg", "", " ")) {
      all.add(text("'" + line + "' and LF alone", line + "\n")); // CVE-2023-46853
    }
    all.add(text("set with LF behind its line", "set k 0 0 1\nx\r\n"));
    all.add(text("set with LF behind its value", "set k 0 0 1\r\nx\n"));
    all.add(text("ms with LF behind its line", "ms k 1\nx\r\n"));
    all.add(text("two CR", "get k\r\r\n"));
    for (String length :
        List.of(
            "-1", "-2147483648", "4294967295", "4294967296", "99999999999999999999", "1x", "")) {
      all.add(text("set of " + length + " bytes", "set k 0 0 " + length + "\r\n"));
      all.add(text("append of " + length + " bytes", "append k 0 0 " + length + "\r\n"));
      if (!length.equals("4294967296")) { // which memcached waits for: see below
        all.add(text("ms of " + length + " bytes", "ms k " + length + "\r\n"));
      }
    }
    for (String number : List.of("18446744073709551616", "-1", "1x", "99999999999999999999999")) {
      all.add(text("incr by " + number, "incr k " + number + "\r\n"));
      all.add(text("ma by " + number, "ma k D" + number + "\r\n"));
      all.add(text("touch for " + number, "touch k " + number + "\r\n"));
    }
    all.add(text("flags of 33 bits", "set k 4294967296 0 1\r\nx\r\n"));
    all.add(text("negative flags", "set k -1 0 1\r\nx\r\n"));
    all.add(text("a key of 251 bytes", "get " + "k".repeat(251) + "\r\n"));
    all.add(text("a key of 251 bytes, meta", "mg " + "k".repeat(251) + " v\r\n"));
    all.add(text("a key of 251 bytes, set", "set " + "k".repeat(251) + " 0 0 1\r\nx\r\n"));
    all.add(text("a key that is no base64", "mg a=b=c b v\r\n"));
    all.add(text("a key of zero bytes", "get a\0b\r\n"));
    all.add(text("an opaque of 33 bytes", "mg k O" + "1".repeat(33) + "\r\n"));
    all.add(text("a flag twice", "mg k v v\r\n"));
    all.add(text("forty flags", "mg k" + " v".repeat(40) + "\r\n"));
    all.add(text("a mode that is none", "ms k 1 MX\r\nx\r\n"));
    return all.stream();
  }

  static Stream<Input> packets() {
    String set = "8001";
    return Stream.of(
        // Behind each what memcached waits for before it looks. CVE-2016-8704, -8705, -8706: a key
        // longer than the body
        packet(
            "append, key beyond the body",
            "800e 0010 00 00 0000 00000001 00000000 " + "00".repeat(8) + "41" + "41".repeat(15)),
        packet(
            "set, key beyond the body",
            set + "0010 08 00 0000 00000009 00000000 " + "00".repeat(17) + "41".repeat(15)),
        packet(
            "SASL, key beyond the body",
            "8021 0010 00 00 0000 00000001 00000000 " + "00".repeat(8) + "41" + "41".repeat(15)),
        // CVE-2020-10931: extras beyond the body
        packet(
            "get, 255 bytes of extras",
            "8000 0001 ff 00 0000 00000001 00000000 " + "00".repeat(8) + "41" + "41".repeat(255)),
        packet(
            "set, 255 bytes of extras",
            set + "0001 ff 00 0000 00000100 00000000 " + "00".repeat(8 + 256)),
        // CVE-2011-4971: a body of 2 GiB or of less than nothing
        packet("set, a body of 2^31", set + "0001 08 00 0000 80000000 00000000 " + "00".repeat(8)),
        packet(
            "get, a body of 2^32 - 1", "8000 0001 00 00 0000 ffffffff 00000000 " + "00".repeat(8)),
        packet(
            "stat, a body of 2^32 - 1", "8010 0001 00 00 0000 ffffffff 00000000 " + "00".repeat(8)),
        packet("a reply as a request", "8100 0000 00 00 0000 00000000 00000000 " + "00".repeat(8)),
        packet("get without a key", "8000 0000 00 00 0000 00000000 00000001 " + "00".repeat(8)),
        packet(
            "get of 251 bytes",
            "8000 00fb 00 00 0000 000000fb 00000001 " + "00".repeat(8) + "6b".repeat(251)),
        packet(
            "set without extras",
            set + "0001 00 00 0000 00000001 00000001 " + "00".repeat(8) + "6b"),
        packet(
            "incr with 8 bytes of extras",
            "8005 0001 08 00 0000 00000009 00000001 " + "00".repeat(16) + "6b"),
        packet(
            "touch without extras",
            "801c 0001 00 00 0000 00000001 00000001 " + "00".repeat(8) + "6b"),
        packet(
            "an opcode that is none", "80f0 0000 00 00 0000 00000000 00000001 " + "00".repeat(8)),
        packet(
            "noop with a body",
            "800a 0000 00 00 0000 00000003 00000001 " + "00".repeat(8) + "616263"),
        packet(
            "version with a key",
            "800b 0001 00 00 0000 00000001 00000001 " + "00".repeat(8) + "61"));
  }

  @ParameterizedTest
  @MethodSource("texts")
  void shouldAnswerLinesAsMemcachedDoes(Input input) throws Exception {
    assertAnsweredAlike(input);
  }

  @ParameterizedTest
  @MethodSource("packets")
  void shouldAnswerPacketsAsMemcachedDoes(Input input) throws Exception {
    assertAnsweredAlike(input);
  }

  private static void assertAnsweredAlike(Input input) throws Exception {
    try (Conversation other = new Conversation(gateway.address("same"))) {
      assertThat(other.ask("set other 0 0 5\r\nvalue\r\n", "\r\n")).isEqualTo("STORED\r\n");
      Vector.Reply expected = directly(input);
      assertThat(described(through("same", input, expected))).isEqualTo(described(expected));
      assertThat(other.ask("get other\r\n", "END\r\n"))
          .isEqualTo("VALUE other 0 5\r\nvalue\r\nEND\r\n");
    }
  }

  /** Before 1.6.40, memcached reads the length modulo 2^32. What follows is the value. */
  @Test
  void shouldReadAMetaLengthOf32BitsAndMoreAsMemcachedDoes() throws Exception {
    assertAnsweredAlike(text("ms of 2^32 bytes", "ms k 4294967296\r\n\r\n"));
    assertAnsweredAlike(text("ms of 2^32 + 1 bytes", "ms k 4294967297\r\nx\r\n"));
  }

  static Stream<Input> all() {
    return Stream.concat(texts(), packets());
  }

  @ParameterizedTest
  @MethodSource("all")
  void shouldKeepItFromServersBehindABridge(Input input) throws Exception {
    for (String dialect : List.of("text", "meta", "binary")) {
      try (Conversation other = new Conversation(gateway.address(dialect))) {
        assertThat(other.ask("set other 0 0 5\r\nvalue\r\n", "\r\n")).isEqualTo("STORED\r\n");
        through(dialect, input, new Vector.Reply(new byte[0], false));
        assertThat(other.ask("get other\r\n", "END\r\n"))
            .as(dialect)
            .isEqualTo("VALUE other 0 5\r\nvalue\r\nEND\r\n");
      }
    }
  }

  private static String described(Vector.Reply reply) {
    return Escaped.of(reply.bytes()) + (reply.closed() ? " and closed" : "");
  }

  /** What memcached says: all of it, since its one thread has answered another client behind it. */
  private static Vector.Reply directly(Input input) throws Exception {
    try (Conversation client = new Conversation(direct.address());
        Conversation other = new Conversation(direct.address())) {
      client.send(List.of(input.bytes()));
      other.ask("mn\r\n", "MN\r\n");
      other.ask("mn\r\n", "MN\r\n");
      return client.hear(0, false);
    }
  }

  private static Vector.Reply through(String listener, Input input, Vector.Reply expected)
      throws IOException, InterruptedException {
    try (Conversation client = new Conversation(gateway.address(listener))) {
      client.send(List.of(input.bytes()));
      return client.hear(expected.bytes().length, expected.closed());
    }
  }
}
