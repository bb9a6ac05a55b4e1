package sluice.gateway.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.config.model.Credentials;
import sluice.gateway.server.health.ServerStatus.Side;

/** The probe of a server before it is used: any answer, cut anywhere. */
class ProbeTest {
  private static final Credentials APP = new Credentials("app", "hunter2");
  private static final String LOGIN = "set login 0 0 11\r\napp hunter2\r\n";
  private static final String SASL = "PLAIN\0app\0hunter2";

  /** Answers one after the other, each cut at every byte, and what was asked before each. */
  private static void converse(Side side, Credentials login, List<String> turns, String end) {
    int longest = turns.stream().mapToInt(String::length).max().orElseThrow();
    for (int cut = 0; cut < longest; cut++) {
      try (ProbedServer server = new ProbedServer(side, login)) {
        for (int i = 0; i < turns.size(); i += 2) {
          assertThat(server.asked()).as("cut at %d", cut).isEqualTo(turns.get(i));
          String answer = turns.get(i + 1);
          int at = Math.min(cut, answer.length());
          server.answer(answer.substring(0, at), answer.substring(at));
        }
        assertThat(server.asked()).as("cut at %d", cut).isEmpty();
        assertThat(server.state()).as("cut at %d", cut).isEqualTo(end).doesNotContain("hunter2");
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "no login wanted | VERSION 1.6.45\\r\\n | usable",
        "a login wanted | CLIENT_ERROR unauthenticated\\r"
            + "\\n"
            + ">STORED\\r"
            + "\\n"
            + ">VERSION 1.6.45\\r"
            + "\\n"
            + " | usable",
        "refused | CLIENT_ERROR unauthenticated\\r"
            + "\\n"
            + ">CLIENT_ERROR authentication failure\\r"
            + "\\n"
            + " | server s refuses the login of app: \"CLIENT_ERROR authentication failure\"",
        "wanted twice | CLIENT_ERROR unauthenticated\\r\\n>STORED\\r\\n>CLIENT_ERROR"
            + " unauthenticated\\r\\n | server s requires another login after the first",
        "something else | HELLO\\r\\n | server s answered \"HELLO\" to version",
        "something else to the login | CLIENT_ERROR unauthenticated\\r"
            + "\\n"
            + ">HELLO\\r"
            + "\\n"
            + " | server s refuses the login of app: \"HELLO\"",
        "half an answer | CLIENT_ERROR unauth | waits"
      })
  void shouldAskInText(String name, String answers, String end) {
    List<String> asked = List.of("version\r\n", LOGIN, "version\r\n");
    List<String> turns = new java.util.ArrayList<>();
    for (String answer : answers.translateEscapes().split(">")) {
      turns.add(asked.get(turns.size() / 2));
      turns.add(answer);
    }
    converse(Side.TEXT, APP, turns, end);
  }

  @Test
  void shouldBelieveNothingThatComesBehindAnAnswer() {
    try (ProbedServer server = new ProbedServer(Side.TEXT, APP)) {
      server.asked();
      server.answer("CLIENT_ERROR unauthenticated\r\nVERSION 1.6.45\r\n");
      assertThat(server.asked()).isEmpty();
      assertThat(server.state()).startsWith("server s requires another login");
    }
    try (ProbedServer server = new ProbedServer(Side.TEXT, APP)) {
      server.answer("CLIENT_ERROR unauthenticated\r\n", "STORED\r\nVERSION 1.6.45\r\n");
      assertThat(server.state()).startsWith("server s refuses the login");
    }
  }

  @Test
  void shouldReadNoEndlessAnswers() {
    try (ProbedServer server = new ProbedServer(Side.TEXT, APP)) {
      server.answer("x".repeat(16_000), "x".repeat(400));
      assertThat(server.state()).isEqualTo("found more than 16384 bytes in answer to version");
    }
    try (ProbedServer server = new ProbedServer(Side.BINARY, APP)) {
      server.answer(packet(Opcode.VERSION, 0, "x".repeat(5_000)));
      assertThat(server.state()).isEqualTo("found an answer to the probe of 5024 bytes");
    }
  }

  static String packet(int opcode, int status, String text) {
    ByteBuf packet = Unpooled.buffer();
    BinaryHeader.writeResponse(packet, opcode, 0, 0, status, text.length(), 0, 0);
    return packet.toString(ISO_8859_1) + text;
  }

  private static String request(int opcode, int key, String body) {
    ByteBuf packet = Unpooled.buffer();
    packet.writeByte(0x80).writeByte(opcode).writeShort(key).writeInt(0).writeInt(body.length());
    return packet.writeZero(12).toString(ISO_8859_1) + body;
  }

  private static final String VERSION = request(Opcode.VERSION, 0, "");
  private static final String NOOP = request(Opcode.NOOP, 0, "");
  private static final String LIST = request(Opcode.SASL_LIST, 0, "");
  private static final String AUTH = request(Opcode.SASL_AUTH, 5, SASL);
  private static final String KNOWN = packet(Opcode.VERSION, 0, "1.6.45");
  private static final String GOOD = packet(Opcode.NOOP, 0, "");

  @Test
  void shouldAskInBinary() {
    converse(Side.BINARY, null, List.of(VERSION + NOOP, KNOWN + GOOD), "usable");
    converse(
        Side.BINARY,
        null,
        List.of(VERSION + NOOP, KNOWN + packet(Opcode.NOOP, 0x20, "Auth failure.")),
        "server s requires a login, and the pool has no auth");
    String unknown = packet(Opcode.SASL_LIST, 0x81, "Unknown command");
    converse(Side.BINARY, APP, List.of(VERSION + LIST, KNOWN + unknown, NOOP, GOOD), "usable");
    String mechanisms = packet(Opcode.SASL_LIST, 0, "CRAM-MD5 PLAIN");
    String taken = packet(Opcode.SASL_AUTH, 0, "Authenticated");
    converse(
        Side.BINARY,
        APP,
        List.of(VERSION + LIST, KNOWN + mechanisms, AUTH + NOOP, taken + GOOD),
        "usable");
    converse(
        Side.BINARY,
        APP,
        List.of(
            VERSION + LIST,
            KNOWN + mechanisms,
            AUTH + NOOP,
            packet(Opcode.SASL_AUTH, 0x20, "Auth failure.") + packet(Opcode.NOOP, 0x20, "")),
        "server s refuses the login of app: \"Auth failure.\"");
    converse(
        Side.BINARY,
        APP,
        List.of(VERSION + LIST, KNOWN + packet(Opcode.SASL_LIST, 0, "CRAM-MD5 XPLAIN")),
        "server s accepts no PLAIN login, it answered \"CRAM-MD5 XPLAIN\"");
  }

  /** A gateway without a reachable server fails Version, and answers Noop itself. */
  @Test
  void shouldTakeTheReasonOfAFailedVersionForNoVersion() {
    ServerVersion before = new ServerVersion(1, 6, 45);
    String failed = packet(Opcode.VERSION, 0x86, "server s is unreachable");
    try (ProbedServer server = new ProbedServer(Side.BINARY, null)) {
      server.answer(failed + GOOD);
      assertThat(server.state()).isEqualTo("usable");
      assertThat(server.connection().version()).isEqualTo(ServerVersion.UNKNOWN);
    }
    try (ProbedServer server = new ProbedServer(Side.BINARY, null)) {
      server.context().status().version(before);
      server.answer(failed + GOOD);
      assertThat(server.state()).isEqualTo("usable");
      assertThat(server.context().status().version()).isEqualTo(before);
      assertThat(server.connection().version()).isEqualTo(before);
    }
    try (ProbedServer server = new ProbedServer(Side.BINARY, null)) {
      server.answer(packet(Opcode.VERSION, 0x81, "Unknown command") + GOOD);
      assertThat(server.state()).isEqualTo("usable");
      assertThat(server.connection().version().isForeign()).isTrue();
    }
  }

  /** The answers of a probe, one read each. The last one makes the server unusable. */
  private static String told(Side side, Credentials login, String... answers) {
    try (ProbedServer server = new ProbedServer(side, login)) {
      server.asked();
      server.answer(answers);
      return server.told();
    }
  }

  @Test
  void shouldTellClientsNeitherWhatAServerAnsweredNorWhoLogsIn() {
    String broken = "server s broke the protocol";
    String refused = "server s refuses the login";
    String wanted = "CLIENT_ERROR unauthenticated\r\n";
    assertThat(told(Side.TEXT, null, "Exception at 10.0.0.3\r\n")).isEqualTo(broken);
    assertThat(told(Side.TEXT, APP, wanted, "STORED\r\n", wanted)).isEqualTo(broken);
    assertThat(told(Side.TEXT, APP, wanted, "CLIENT_ERROR no app here\r\n")).isEqualTo(refused);
    assertThat(told(Side.BINARY, null, packet(Opcode.GET, 0, "10.0.0.3"))).isEqualTo(broken);
    assertThat(told(Side.BINARY, null, KNOWN, packet(Opcode.NOOP, 0x84, "Exception")))
        .isEqualTo(broken);
    assertThat(told(Side.BINARY, APP, KNOWN, packet(Opcode.SASL_LIST, 0, "CRAM-MD5")))
        .isEqualTo("server s accepts no PLAIN login");
    String mechanisms = packet(Opcode.SASL_LIST, 0, "PLAIN");
    assertThat(told(Side.BINARY, APP, KNOWN, mechanisms, packet(Opcode.SASL_AUTH, 0x20, "not app")))
        .isEqualTo(refused);
  }
}
