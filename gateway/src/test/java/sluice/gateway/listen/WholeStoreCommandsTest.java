package sluice.gateway.listen;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.config.model.Configuration;
import sluice.gateway.metrics.Outcome;
import sluice.names.Command;

/**
 * Commands for a whole store may take long: an event loop carries out one of a client, and then
 * turns to its other clients. Of requests with a key it carries out many, unless they copy much.
 */
class WholeStoreCommandsTest {
  private static final int MANY = 20;

  /** Requests that copy 60,000 bytes each: a turn has a budget of 4,096, and they cost 250. */
  private static final int MANY_COPIES = 64;

  private static final Configuration CONFIGURATION =
      StoreChannel.parse(
          """
          listeners:
            one: {bind: 127.0.0.1:0, route: one, allow: [flush_all, cache_memlimit]}
            two: {bind: 127.0.0.2:0, route: two}
          routes:
            one: [{pool: p}]
            two: [{match: {prefix: "q:"}, pool: q}, {pool: p}]
          pools:
            p: {protocol: embedded, size: 16MiB}
            q: {protocol: embedded, size: 16MiB}
          """);

  private StoreChannel client;

  /** The client connects to a listener, whose route has its name. */
  private void connect(String name) {
    client = new StoreChannel(CONFIGURATION, name);
  }

  @AfterEach
  void close() {
    client.close();
  }

  private long answered(Command command) {
    return Arrays.stream(Outcome.values())
        .mapToLong(outcome -> client.requests(command, outcome))
        .sum();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "flush_all             | OK  | FLUSH_ALL",
        "stats cachedump 1 0   | END | STATS",
        "stats detail dump     | END | STATS",
        "cache_memlimit 16     | OK  | CACHE_MEMLIMIT",
      })
  void shouldCarryOutOneInEachTurn(String line, String reply, Command command) {
    connect("one");
    client.arrive((line + "\r\n").repeat(MANY));
    assertThat(answered(command)).isEqualTo(1);
    assertThat(client.replies()).isEqualTo((reply + "\r\n").repeat(MANY));
    assertThat(answered(command)).isEqualTo(MANY);
  }

  @Test
  void shouldCarryOutOnePacketInEachTurn() {
    connect("one");
    String flush = "\u0080\b" + "\0".repeat(22);
    client.arrive(flush.repeat(MANY));
    assertThat(answered(Command.FLUSH_ALL)).isEqualTo(1);
    assertThat(client.replies()).isEqualTo(("\u0081\b" + "\0".repeat(22)).repeat(MANY));
    assertThat(answered(Command.FLUSH_ALL)).isEqualTo(MANY);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"get a | END | GET", "version | VERSION 1.6.45 | VERSION"})
  void shouldCarryOutManyOthersInOneTurn(String line, String reply, Command command) {
    connect("one");
    client.arrive((line + "\r\n").repeat(MANY));
    assertThat(answered(command)).isEqualTo(MANY);
    assertThat(client.replies()).isEqualTo((reply + "\r\n").repeat(MANY));
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"append", "prepend"})
  void shouldCarryOutFewThatCopyALongValueInOneTurn(String verb) {
    connect("one");
    storeLongValue();
    client.arrive((verb + " k 0 0 1\r\nx\r\n").repeat(MANY_COPIES));
    Command command = Command.valueOf(verb.toUpperCase(Locale.ROOT));
    assertThat(answered(command)).isBetween(1L, MANY_COPIES / 2L);
    assertThat(client.replies()).isEqualTo("STORED\r\n".repeat(MANY_COPIES));
    assertThat(answered(command)).isEqualTo(MANY_COPIES);
  }

  @Test
  void shouldCarryOutFewPacketsThatCopyALongValueInOneTurn() {
    connect("one");
    storeLongValue();
    String head = "\u0080\16\0\1" + "\0".repeat(7) + "\2" + "\0".repeat(12);
    client.arrive((head + "kx").repeat(MANY_COPIES));
    assertThat(answered(Command.APPEND)).isBetween(1L, MANY_COPIES / 2L);
    assertThat(client.replies()).hasSize(24 * MANY_COPIES);
    assertThat(answered(Command.APPEND)).isEqualTo(MANY_COPIES);
  }

  private void storeLongValue() {
    String set = "set k 0 0 60000\r\n" + "x".repeat(60_000) + "\r\n";
    ByteBuf bytes = Unpooled.copiedBuffer(set, ISO_8859_1);
    client.session().text(bytes, 0, bytes.writerIndex(), Unpooled.buffer());
  }

  @Test
  void shouldAskSeveralForTheirVersionsOnceInEachTurn() {
    connect("two");
    client.arrive("version\r\n".repeat(MANY));
    assertThat(answered(Command.VERSION)).isEqualTo(1);
    assertThat(client.replies()).isEqualTo("VERSION 1.6.45\r\n".repeat(MANY));
    assertThat(answered(Command.VERSION)).isEqualTo(MANY);
  }

  @Test
  void shouldAskSeveralForTheirVersionsByOnePacketInEachTurn() {
    connect("two");
    client.arrive(("\u0080\13" + "\0".repeat(22)).repeat(MANY));
    assertThat(answered(Command.VERSION)).isEqualTo(1);
    String head = "\u0081\13" + "\0".repeat(9) + "\6" + "\0".repeat(12);
    assertThat(client.replies()).isEqualTo((head + "1.6.45").repeat(MANY));
    assertThat(answered(Command.VERSION)).isEqualTo(MANY);
  }
}
