package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.RealMemcached;

/** Lines that the gateway does not execute reach neither a server nor the store of its process. */
class UnreadLinesTest {
  private static RunningGateway store(String listener) throws Exception {
    return RunningGateway.of(
        """
        admin: {bind: 127.0.0.1:0}
        listeners: {cache: {bind: 127.0.0.1:0, route: cache%s}}
        routes: {cache: [{pool: cache, key: {add: "t:"}}]}
        pools: {cache: {protocol: embedded, size: 16MiB}}
        """
            .formatted(listener));
  }

  @ParameterizedTest(name = "\"{0}\"")
  @ValueSource(strings = {" flush_all", " lru_crawler metadump all", " cache_memlimit 8"})
  void shouldNotLetASpaceLeadPastWhatIsAllowed(String line) throws Exception {
    try (RunningGateway gateway = store(", allow: []");
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("set k 0 0 1\r\nv\r\n")).isEqualTo("STORED");
      assertThat(client.ask(line + "\r\n")).matches("(CLIENT_)?ERROR .* not allowed");
      assertThat(client.ask("touch k 0\r\n")).isEqualTo("TOUCHED");
    }
  }

  @Test
  void shouldNotLetTheStoreReadADialectThatTheListenerDoesNotTake() throws Exception {
    try (RunningGateway gateway = store(", dialects: [text]");
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("set k 0 0 1\r\nv\r\n")).isEqualTo("STORED");
      assertThat(client.ask("mg t:k v\r\n")).isEqualTo("ERROR");
      assertThat(client.ask("md t:k\r\n")).isEqualTo("ERROR");
      assertThat(client.ask("touch k 0\r\n")).isEqualTo("TOUCHED");
    }
  }

  /** A value must not become commands because its listener does not take the dialect. */
  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "meta, set v 0 0 17, ERROR",
    "meta, set v 0 0 17 noreply, ",
    "meta, cas v 0 0 17 1, ERROR",
    "meta, set v x 0 17, ERROR",
    "meta, cas v 0 0 17, ERROR",
    "text, ms v 17, ERROR"
  })
  void shouldLetTheBlockOfADialectGoByThatTheListenerDoesNotTake(
      String dialect, String line, String reply) throws Exception {
    try (RunningGateway gateway = store(", dialects: [" + dialect + "]");
        RawClient client = new RawClient(gateway.address())) {
      String evil =
          dialect.equals("meta") ? "ms k 1 T0\r\nx\r\nmn\r\n" : "set k 0 0 1\r\nx\r\n\r\n";
      client.send(line + "\r\n" + evil.substring(0, 17) + "\r\n");
      if (reply != null) {
        assertThat(client.line()).isEqualTo(reply);
      }
      boolean meta = dialect.equals("meta");
      assertThat(client.ask(meta ? "mg k v\r\n" : "get k\r\n")).isEqualTo(meta ? "EN" : "END");
    }
  }

  @Test
  void shouldDeleteNothingForALargeValueBehindALineThatIsWrong() throws Exception {
    try (RunningGateway gateway = store(", limits: {itemSize: 1KiB}");
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("set k 0 0 1\r\nv\r\n")).isEqualTo("STORED");
      String value = "x".repeat(2000) + "\r\n";
      assertThat(client.ask("set k x 0 2000\r\n" + value))
          .isEqualTo("CLIENT_ERROR bad command line format");
      assertThat(client.ask("ms k 2000 b\r\n" + value))
          .isEqualTo("CLIENT_ERROR error decoding key");
      assertThat(client.ask("touch k 0\r\n")).isEqualTo("TOUCHED");
    }
  }

  @ParameterizedTest(name = "\"{0}\"")
  @ValueSource(strings = {"me ! b", "me ! b b", "me ==== b b"})
  void shouldSendNoKeyThatIsNoBase64(String line) throws Exception {
    try (RealMemcached server = RealMemcached.start();
        RunningGateway gateway = RunningGateway.before(server.address()).start();
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("set b 0 0 1\r\nv\r\n")).isEqualTo("STORED");
      assertThat(client.ask(line + "\r\n")).isEqualTo("CLIENT_ERROR bad command line format");
      assertThat(client.ask("touch b 0\r\n")).isEqualTo("TOUCHED");
    }
  }

  @ParameterizedTest(name = "\"{0}\"")
  @ValueSource(strings = {"get a\rb\n", "gets  a\rb\r\n", "gats 0 a\rb\n", "gat 0 a\rb\r\n"})
  void shouldKnowAKeyThatHoldsACarriageReturn(String line) throws Exception {
    try (RealMemcached server = RealMemcached.start();
        RunningGateway gateway = RunningGateway.before(server.address()).start();
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("set a\rb 0 0 1\r\nv\r\n")).isEqualTo("STORED");
      assertThat(client.ask(line)).startsWith("VALUE a\rb 0 1");
      assertThat(client.line()).isEqualTo("v");
      assertThat(client.line()).isEqualTo("END");
    }
  }

  /** Before 1.6.40, servers know noreply only behind automove, and refuse everything else. */
  @ParameterizedTest(name = "\"{0}\"")
  @ValueSource(strings = {"slabs noreply", "slabs x noreply", "slabs reassign 1 2 noreply"})
  void shouldRefuseAloudWhatAnEarlierServerRefusesAloud(String line) throws Exception {
    try (RealMemcached server = RealMemcached.start();
        RunningGateway gateway =
            RunningGateway.of(
                """
                admin: {bind: 127.0.0.1:0}
                listeners: {cache: {bind: 127.0.0.1:0, route: cache, allow: [slabs]}}
                routes: {cache: [{pool: cache}]}
                pools: {cache: {protocol: memcached, servers: ["127.0.0.1:%d"]}}
                """
                    .formatted(server.address().getPort()));
        RawClient client = new RawClient(gateway.address())) {
      assertThat(client.ask("version\r\n")).isEqualTo("VERSION 1.6.18");
      assertThat(client.ask(line + "\r\n")).isEqualTo("ERROR");
      assertThat(client.ask("slabs automove 1 noreply\r\nmn\r\n")).isEqualTo("MN");
    }
  }
}
