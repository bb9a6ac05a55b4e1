package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Rules decide about commands without a key as about any other: the first that matches. */
class KeylessRulesTest {
  private static final String A = "a: {protocol: embedded, size: 16MiB}";
  private static final String B = "b: {protocol: embedded, size: 16MiB}";

  private final Scenario scenario = new Scenario();

  @AfterEach
  void end() {
    scenario.close();
  }

  @Test
  void shouldRefuseWhatTheFirstMatchingRuleRejects() throws IOException {
    scenario.gateway("{match: {commands: [flush_all, stats]}, reject: not here}, {pool: a}", A);
    RawClient client = scenario.client();
    assertThat(Scenario.set(client, "k", "v")).isEqualTo("STORED");
    assertThat(client.ask("flush_all\r\n")).isEqualTo("SERVER_ERROR not here");
    assertThat(client.ask("flush_all 0\r\n")).isEqualTo("SERVER_ERROR not here");
    assertThat(client.ask("stats\r\n")).isEqualTo("SERVER_ERROR not here");
    client.send("flush_all noreply\r\n");
    assertThat(Scenario.get(client, "k")).isEqualTo("v");
    assertThat(client.ask("version\r\n")).startsWith("VERSION "); // is always answered
  }

  @Test
  void shouldRefuseBinaryClientsAsWell() throws IOException {
    scenario.gateway("{match: {commands: [flush_all]}, reject: not here}, {pool: a}", A);
    RawClient text = scenario.client();
    assertThat(Scenario.set(text, "k", "v")).isEqualTo("STORED");
    byte[] flush = new byte[24];
    flush[0] = (byte) 0x80;
    flush[1] = 0x08;
    byte[] reply = scenario.client().send(flush).read(24 + "not here".length());
    assertThat(reply[7] & 0xFF).isEqualTo(0x84);
    assertThat(new String(Arrays.copyOfRange(reply, 24, reply.length), US_ASCII))
        .isEqualTo("not here");
    assertThat(Scenario.get(text, "k")).isEqualTo("v");
  }

  @Test
  void shouldNotReachPoolsBehindTheRuleThatDecides() throws IOException {
    scenario.gateway("{match: {commands: [flush_all]}, pool: a}, {pool: b}", A, B);
    RawClient client = scenario.client();
    assertThat(Scenario.set(client, "k", "v")).isEqualTo("STORED");
    assertThat(client.ask("flush_all\r\n")).isEqualTo("OK");
    assertThat(Scenario.get(client, "k")).isEqualTo("v");
  }

  @Test
  void shouldReachThePoolsOfAllPrefixesBeforeTheRuleThatDecides() throws IOException {
    scenario.gateway(
        "{match: {prefix: \"a:\"}, pool: a}, {match: {commands: [flush_all]}, reject: no},"
            + " {pool: b}",
        A,
        B);
    RawClient client = scenario.client();
    assertThat(Scenario.set(client, "a:k", "v")).isEqualTo("STORED");
    assertThat(Scenario.set(client, "k", "v")).isEqualTo("STORED");
    assertThat(client.ask("flush_all\r\n")).isEqualTo("OK");
    assertThat(Scenario.get(client, "a:k")).isEqualTo("END");
    assertThat(Scenario.get(client, "k")).isEqualTo("v");
  }
}
