package sluice.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.config.model.Credentials;
import sluice.gateway.listen.StoreChannel;
import sluice.gateway.metrics.Outcome;
import sluice.names.Command;

/** Clients that log in, or try to, or do something else first; cut at every byte. */
class LoginTest {
  private static final Credentials ALICE = new Credentials("alice", "secret");
  private static final Credentials BOB = new Credentials("bob", "two words");
  private static final Credentials BOB_TOO = new Credentials("bob", "pw2");

  private static String answers(byte[] request, int cut) {
    try (StoreChannel channel = new StoreChannel(ALICE, BOB, BOB_TOO)) {
      String heard = channel.read(request, 0, cut).read(request, cut, request.length).heard();
      boolean insideRequest = !heard.endsWith("closed") && channel.buffered() > 0;
      return insideRequest ? heard + "waits" : heard;
    }
  }

  private static void everyCut(byte[] request, String expected) {
    for (int cut : IntStream.rangeClosed(0, Math.min(request.length, 300)).toArray()) {
      assertThat(answers(request, cut)).as("cut at %d", cut).isEqualTo(expected);
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "a login | set any 0 0 12\\r\\nalice secret\\r\\nget any\\r\\n | STORED END",
        "its other password | set k 0 0 7\\r\\nbob pw2\\r\\nmn\\r\\n | STORED MN",
        "spaces in the password | set k 0 0 13\\r\\nbob two words\\r\\nmn\\r\\n | STORED MN",
        "all arguments but the length are free | set k x y 12 z noreply\\r"
            + "\\n"
            + "alice secret\\r"
            + "\\n"
            + "mn\\r"
            + "\\n"
            + " | STORED MN",
        "a line that only begins like set | settle k 0 0 12\\r\\nalice secret\\r\\nmn\\r\\n |"
            + " STORED MN",
        "a bare line feed | set k 0 0 12\\nalice secret\\r\\nmn\\r\\n | STORED MN",
        "requests right behind it | set k 0 0 12\\r"
            + "\\n"
            + "alice secret\\r"
            + "\\n"
            + "set k 0 0 1\\r"
            + "\\n"
            + "x\\r"
            + "\\n"
            + "mg k v\\r"
            + "\\n"
            + " | STORED STORED VA_1 x",
        "the same again is a set | set k 0 0 12\\r\\nalice secret\\r\\nset k 0 0 12\\r\\nalice"
            + " secret\\r\\nget k\\r\\n | STORED STORED VALUE_k_0_12 alice_secret END",
        "a get before it | get foo\\r\\n | CLIENT_ERROR_unauthenticated",
        "several, each with its answer | get foo\\r\\nversion\\r\\nget bar\\r\\n |"
            + " CLIENT_ERROR_unauthenticated CLIENT_ERROR_unauthenticated"
            + " CLIENT_ERROR_unauthenticated",
        "a fence before it | mn\\r\\n | closed",
        "quit before it | quit\\r\\nget foo\\r\\n | closed",
        "a fence after a refusal | get foo\\r"
            + "\\n"
            + "mn\\r"
            + "\\n"
            + "get foo\\r"
            + "\\n"
            + " | CLIENT_ERROR_unauthenticated closed",
        "another command with a block | add k 0 0 12\\r\\nalice secret\\r\\n |"
            + " CLIENT_ERROR_unauthenticated CLIENT_ERROR_unauthenticated",
        "meta set | ms abcd 12\\r\\nalice secret\\r\\n | CLIENT_ERROR_unauthenticated"
            + " CLIENT_ERROR_unauthenticated",
        "too few arguments | set k 0 0\\r\\n | CLIENT_ERROR_unauthenticated",
        "no length | set k 0 0 x\\r\\n | CLIENT_ERROR_unauthenticated",
        "a negative length | set k 0 0 -1\\r\\n | CLIENT_ERROR_unauthenticated",
        "a length over 32 bits | set k 0 0 4294967296\\r\\n | CLIENT_ERROR_unauthenticated",
        "a length of 64 bits | set k 0 0 18446744073709551615\\r\\n |"
            + " CLIENT_ERROR_unauthenticated",
        "a length of 32 bits | set k 0 0 4294967295\\r\\n | CLIENT_ERROR_auth_token_too_long",
        "more than 16 KiB | set k 0 0 16385\\r\\nalice secret\\r\\n |"
            + " CLIENT_ERROR_auth_token_too_long CLIENT_ERROR_unauthenticated",
        "a wrong password, then the right one | set k 0 0 11\\r\\nalice wrong\\r\\nset k 0 0"
            + " 12\\r\\nalice secret\\r\\nmn\\r\\n | CLIENT_ERROR_authentication_failure STORED MN",
        "a user nobody knows | set k 0 0 12\\r\\nmalic secret\\r\\n |"
            + " CLIENT_ERROR_authentication_failure",
        "the password of another | set k 0 0 9\\r\\nalice pw2\\r\\n |"
            + " CLIENT_ERROR_authentication_failure",
        "the border elsewhere | set k 0 0 12\\r\\nalices ecret\\r\\n |"
            + " CLIENT_ERROR_authentication_failure",
        "no password | set k 0 0 6\\r\\nalice \\r\\n | CLIENT_ERROR_authentication_failure",
        "a colon | set k 0 0 12\\r\\nalice:secret\\r\\nget foo\\r\\n |"
            + " CLIENT_ERROR_bad_authentication_token_format CLIENT_ERROR_unauthenticated",
        "nothing | set k 0 0 0\\r\\n\\r\\nget foo\\r\\n |"
            + " CLIENT_ERROR_bad_authentication_token_format CLIENT_ERROR_unauthenticated",
        "another end | set k 0 0 12\\r\\nalice secretXXget foo\\r\\n |"
            + " CLIENT_ERROR_bad_command_line_termination CLIENT_ERROR_unauthenticated",
        "half a line | set k 0 0 12 | waits",
        "half a login | set k 0 0 12\\r\\nalice | waits"
      })
  void shouldReadTextAsMemcachedDoesWhereverItIsCut(String name, String request, String expected) {
    StringBuilder answers = new StringBuilder();
    for (String line : expected.split(" ")) {
      boolean bare = line.equals("closed") || line.equals("waits");
      answers
          .append(line.replace('_', ' ').replace("CLIENT ERROR", "CLIENT_ERROR"))
          .append(bare ? "" : "\r\n");
    }
    everyCut(request.translateEscapes().getBytes(ISO_8859_1), answers.toString());
  }

  @Test
  void shouldCloseOnALineThatDoesNotEnd() {
    byte[] line = "set ".repeat(520).getBytes(ISO_8859_1);
    assertThat(answers(line, 2040)).isEqualTo("closed");
    assertThat(answers(line, 0)).isEqualTo("closed");
  }

  @Test
  void shouldTakeALoginOfAnyLengthUpToItsLimit() {
    String payload = "alice " + "x".repeat(16 * 1024 - 6);
    byte[] request = ("set k 0 0 16384\r\n" + payload + "\r\nget k\r\n").getBytes(ISO_8859_1);
    assertThat(answers(request, 9000))
        .isEqualTo("CLIENT_ERROR authentication failure\r\nCLIENT_ERROR unauthenticated\r\n");
  }

  /** Packets by name; a letter each. */
  private static byte[] packets(String names) {
    StringBuilder hex = new StringBuilder();
    for (String name : names.split(" ")) {
      String[] parts = name.split("/", -1);
      byte[] key = (parts.length > 1 ? parts[1] : "").getBytes(ISO_8859_1);
      byte[] value = (parts.length > 2 ? parts[2] : "").replace('~', '\0').getBytes(ISO_8859_1);
      int extras = parts.length > 3 ? Integer.parseInt(parts[3]) : 0;
      hex.append("80").append(parts[0]);
      hex.append("%04x%02x00%04x".formatted(key.length, extras, 0));
      hex.append("%08x0000000700000000%08x".formatted(extras + key.length + value.length, 0));
      hex.append("00".repeat(extras));
      hex.append(HexFormat.of().formatHex(key)).append(HexFormat.of().formatHex(value));
    }
    return HexFormat.of().parseHex(hex);
  }

  /** As {@code opcode:status:body}, one after the other. */
  private static String described(String heard) {
    StringBuilder described = new StringBuilder();
    int at = 0;
    while (heard.length() - at >= 24) {
      int body = heard.charAt(at + 10) << 8 | heard.charAt(at + 11);
      assertThat(heard.substring(at + 12, at + 16)).as("opaque").isEqualTo("\0\0\0\7");
      String text = heard.substring(at + 24, at + 24 + body).replace(' ', '_');
      described.append(
          "%02x:%02x%s "
              .formatted(
                  (int) heard.charAt(at + 1),
                  (int) heard.charAt(at + 7),
                  text.isEmpty() ? "" : ":" + text));
      at += 24 + body;
    }
    return (described + heard.substring(at)).trim();
  }

  // Each answer is what memcached 1.6.18 with cyrus-sasl gives, but for the mechanisms in the list
  // and for the second login of a connection, which it refuses whoever it is of.
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "a login | 21/PLAIN/~alice~secret 0a | 21:00:Authenticated 0a:00",
        "as oneself | 21/PLAIN/alice~alice~secret 0a | 21:00:Authenticated 0a:00",
        "in lower case | 21/plain/~alice~secret 0a | 21:00:Authenticated 0a:00",
        "a password with spaces | 21/PLAIN/~bob~pw2 0a | 21:00:Authenticated 0a:00",
        "the mechanisms | 20 21/PLAIN/~alice~secret | 20:00:PLAIN 21:00:Authenticated",
        "in two steps | 21/PLAIN 22/PLAIN/~alice~secret 0a | 21:21 22:00:Authenticated 0a:00",
        "the step's mechanism does not count | 21/PLAIN 22/NOPE/~alice~secret 0a | 21:21"
            + " 22:00:Authenticated 0a:00",
        "a second try of the step | 21/PLAIN 22/PLAIN/~alice~no 22/PLAIN/~alice~secret 0a | 21:21"
            + " 22:20:Auth_failure. 22:00:Authenticated 0a:00",
        "a second try | 21/PLAIN/~alice~wrong 21/PLAIN/~alice~secret 0a | 21:20:Auth_failure."
            + " 21:00:Authenticated 0a:00",
        "requests right behind it | 21/PLAIN/~alice~secret 01/k/v/8 0a 0c/none |"
            + " 21:00:Authenticated 01:00 0a:00 0c:01:none",
        "Version before it | 0b 0a | 0b:00:1.6.45 0a:20:Auth_failure. closed",
        "a get before it | 00/k 0a | 00:20:Auth_failure. closed",
        "a set before it | 01/k/v/8 0a | 01:20:Auth_failure. closed",
        "Noop before it | 0a 21/PLAIN/~alice~secret | 0a:20:Auth_failure. closed",
        "Quit before it | 07 | 07:20:Auth_failure. closed",
        "QuitQ before it | 17 | 17:20:Auth_failure. closed",
        "an unknown opcode before it | 50 | 50:20:Auth_failure. closed",
        "a step without a start | 22/PLAIN/~alice~secret 0b | 22:20:Auth_failure."
            + " 0b:00:1.6.45",
        "a step after a login | 21/PLAIN/~alice~secret 22/PLAIN/~alice~secret 0a |"
            + " 21:00:Authenticated 22:20:Auth_failure. 0a:20:Auth_failure. closed",
        "a failure after a login | 21/PLAIN/~alice~secret 21/PLAIN/~alice~no 0a |"
            + " 21:00:Authenticated 21:20:Auth_failure. 0a:20:Auth_failure. closed",
        "the mechanisms after a login | 21/PLAIN/~alice~secret 20 0a | 21:00:Authenticated"
            + " 20:00:PLAIN 0a:20:Auth_failure. closed",
        "another login | 21/PLAIN/~alice~secret 21/PLAIN/~bob~pw2 0a | 21:00:Authenticated"
            + " 21:00:Authenticated 0a:00",
        "another mechanism | 21/NOPE/x 0b | 21:20:Auth_failure. 0b:00:1.6.45",
        "as somebody else | 21/PLAIN/bob~alice~secret 0b | 21:20:Auth_failure. 0b:00:1.6.45",
        "a third NUL | 21/PLAIN/~alice~secret~ 0b | 21:20:Auth_failure. 0b:00:1.6.45",
        "nobody | 21/PLAIN/~~ 0b | 21:20:Auth_failure. 0b:00:1.6.45",
        "no mechanism | 21//x 0b | 21:04:Invalid_arguments closed",
        "extras | 21/PLAIN/~alice~secret/4 0b | 21:04:Invalid_arguments closed",
        "a list with a key | 20/x 0b | 20:04:Invalid_arguments closed",
        "a list with a value | 20//xx 0b | 20:04:Invalid_arguments closed",
        "half a login | 21/PLAIN/~alice~secre/0/half | waits"
      })
  void shouldReadSaslAsMemcachedDoesWhereverItIsCut(String name, String request, String expected) {
    byte[] bytes = packets(request.replace("/0/half", ""));
    int length = request.endsWith("/half") ? bytes.length - 1 : bytes.length;
    for (int cut = 0; cut <= length; cut++) {
      byte[] stream = java.util.Arrays.copyOf(bytes, length);
      assertThat(described(answers(stream, cut))).as("cut at %d", cut).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "33, 12, 04:Invalid_arguments",
    "250, 12, 04:Invalid_arguments",
    "5, 20000, 20:Auth_failure."
  })
  void shouldGoOnBehindALoginThatIsTooLong(int mechanism, int message, String expected) {
    String key = "PLAIN".repeat(50).substring(0, mechanism);
    byte[] request = packets("21/" + key + "/" + "x".repeat(message) + " 0b");
    assertThat(described(answers(request, 40))).isEqualTo("21:" + expected + " 0b:00:1.6.45");
  }

  @Test
  void shouldCloseOnAMechanismThatIsNoKey() {
    byte[] request = packets("21/" + "P".repeat(251) + "/x 0b");
    assertThat(described(answers(request, 0))).isEqualTo("21:04:Invalid_arguments closed");
  }

  @Test
  void shouldCountLoginsByTheirOutcome() {
    byte[] text =
        "get k\r\nset k 0 0 11\r\nalice wrong\r\nset k 0 0 12\r\nalice secret\r\n"
            .getBytes(ISO_8859_1);
    byte[] binary = packets("21/PLAIN/~alice~no 21/PLAIN/~alice~secret 21/PLAIN/~alice~no 0a");
    try (StoreChannel channel = new StoreChannel(ALICE)) {
      channel.read(text, 0, text.length);
      assertThat(channel.requests(Command.UNKNOWN, Outcome.REJECTED)).isEqualTo(1);
      assertThat(channel.requests(Command.SASL, Outcome.REJECTED)).isEqualTo(1);
      assertThat(channel.requests(Command.SASL, Outcome.OK)).isEqualTo(1);
    }
    try (StoreChannel channel = new StoreChannel(ALICE)) {
      channel.read(binary, 0, binary.length);
      assertThat(channel.requests(Command.NOOP, Outcome.REJECTED)).isEqualTo(1);
      assertThat(channel.requests(Command.SASL, Outcome.REJECTED)).isEqualTo(2);
      assertThat(channel.requests(Command.SASL, Outcome.OK)).isEqualTo(1);
    }
  }

  @Test
  void shouldCountWhatIsKeptOfALogin() {
    byte[] half = ("set k 0 0 16000\r\n" + "x".repeat(10_000)).getBytes(ISO_8859_1);
    try (StoreChannel channel = new StoreChannel(ALICE)) {
      channel.read(half, 0, half.length);
      assertThat(channel.buffered()).isEqualTo(10_000);
    }
  }
}
