package sluice.gateway.suite;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.gateway.fixtures.RealMemcached;

/** {@code version} works on every route, in text and binary. */
class VersionTest {
  private static final String POOLS =
      """
      pools:
        a: {servers: ["%1$s"], timeout: 10s}
        b: {servers: ["%2$s"], timeout: 10s}
        both: {servers: ["%1$s", "%2$s"], timeout: 10s}
        binary: {servers: ["%1$s"], dialect: binary, timeout: 10s}
        meta: {servers: ["%1$s", "%2$s"], dialect: meta, timeout: 10s}
        compressed: {servers: ["%1$s"], compression: {above: 64B}, timeout: 10s}
        store: {protocol: embedded, size: 16MiB}
        other: {protocol: embedded, size: 16MiB}
      """;

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "one server | [{pool: a}]",
        "several servers | [{pool: both}]",
        "several pools | [{match: {prefix: x}, pool: a}, {pool: b}]",
        "servers that are told binary | [{pool: binary}]",
        "servers that are told meta | [{pool: meta}]",
        "compressed values | [{pool: compressed}]",
        "values in pieces | [{pool: a, split: 64KiB}]",
        "a store | [{pool: store}]",
        "two stores | [{match: {prefix: x}, pool: store}, {pool: other}]",
        "a store and servers | [{match: {prefix: x}, pool: store}, {pool: both}]",
        "a store and a server told binary | [{match: {prefix: x}, pool: store}, {pool: binary}]",
        "replicas | [{replicate: {pools: [a, b]}}]",
        "warm-up | [{warmUp: {cold: a, warm: b}}]",
        "migration | [{pool: a, migrate: {to: b}}]",
        "failover | [{pool: a, failover: [b]}]",
        "a near cache | [{pool: a, nearCache: {size: 1MiB, ttl: 1s}}]",
        "rules for some commands | [{match: {commands: [get, set]}, pool: a}]",
        "rules for another dialect | [{match: {dialects: [meta]}, pool: a}]",
        "a rule that rejects it | [{match: {commands: [version]}, reject: no}, {pool: a}]",
        "rules that reject all else | [{match: {commands: [get]}, pool: a}, {reject: no}]",
        "rules that reject everything | [{reject: no}]",
      })
  void shouldAnswerOnEveryRoute(String name, String rules) throws Exception {
    try (RealMemcached first = RealMemcached.start();
        RealMemcached second = RealMemcached.start();
        InProcessGateway gateway = new InProcessGateway()) {
      gateway.start(
          "admin: {bind: 127.0.0.1:0}\n"
              + "listeners: {cache: {bind: 127.0.0.1:0, route: r, limits: {itemSize: 8MiB}},"
              + " used: {bind: 127.0.0.1:0, route: s}}\n"
              + "routes: {s: [{pool: a}], r: "
              + rules
              + "}\n"
              + POOLS.formatted(written(first), written(second)));
      InetSocketAddress address = gateway.address("cache");
      try (Conversation client = new Conversation(address)) {
        assertThat(client.ask("version\r\nmn\r\n", "MN\r\n")).matches("VERSION 1[.0-9]+\r\nMN\r\n");
      }
      assertThat(binary(address)).matches("1[.0-9]+");
    }
  }

  private static String written(RealMemcached server) {
    return server.address().getAddress().getHostAddress() + ":" + server.address().getPort();
  }

  private static String binary(InetSocketAddress address) throws Exception {
    byte[] version = packet(0x80, 0x0b, 0xBEEF);
    byte[] noop = packet(0x80, 0x0a, 0xF00);
    try (Conversation client = new Conversation(address)) {
      client.send(List.of(version, noop));
      ByteBuffer all = ByteBuffer.wrap(client.hearUntil(packet(0x81, 0x0a, 0xF00)));
      assertThat(all.getLong(0) >>> 48).as("magic and opcode").isEqualTo(0x810b);
      assertThat(all.getShort(6)).as("status").isZero();
      assertThat(all.getInt(12)).as("opaque").isEqualTo(0xBEEF);
      return new String(all.array(), 24, all.getInt(8), ISO_8859_1);
    }
  }

  private static byte[] packet(int magic, int opcode, int opaque) {
    byte[] packet = ByteBuffer.allocate(24).put((byte) magic).put((byte) opcode).array();
    ByteBuffer.wrap(packet).putInt(12, opaque);
    return packet;
  }
}
