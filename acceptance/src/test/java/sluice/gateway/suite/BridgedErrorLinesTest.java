package sluice.gateway.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.RealMemcached;

/** Lines that a bridge refuses in place of the server, in the server's own words. */
class BridgedErrorLinesTest {
  private static final List<String> LINES =
      List.of(
          "gat 0",
          "gats -1",
          "gat soon",
          "gat",
          "flush_all soon",
          "ma k Mi",
          "ma k Md",
          "ma k MI",
          "ma k M-",
          "md k Z",
          "md k t t",
          "md k Tx",
          "md k Cx",
          "md k I Oabcdefghijklmnopqrstuvwxyz0123456789",
          "md !! b",
          "ma k Z",
          "ma !! b",
          "mg !! b",
          "mg k Tx",
          "touch k 99999999999999999999",
          "gat 99999999999999999999 k",
          "touch k 2147483648");

  @ParameterizedTest
  @ValueSource(strings = {"text", "meta", "binary"})
  void shouldRefuseALineAsTheServerDoes(String dialect) throws Exception {
    try (RealMemcached server = RealMemcached.start();
        InProcessGateway gateway = new InProcessGateway()) {
      gateway.start(new Topology().servers("cache", dialect, server).yaml());
      List<String> direct = new ArrayList<>();
      List<String> through = new ArrayList<>();
      try (Conversation one = new Conversation(server.address());
          Conversation other = new Conversation(gateway.address("cache"))) {
        for (String line : LINES) {
          direct.add(line + " -> " + one.ask(line + "\r\nmn\r\n", "MN\r\n"));
          through.add(line + " -> " + other.ask(line + "\r\nmn\r\n", "MN\r\n"));
        }
      }
      assertThat(through).isEqualTo(direct);
    }
  }
}
