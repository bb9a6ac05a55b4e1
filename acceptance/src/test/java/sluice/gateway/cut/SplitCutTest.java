package sluice.gateway.cut;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.config.Loader;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.fixtures.RealMemcached;
import sluice.gateway.process.Gateway;
import sluice.testkit.Packet;

/** Values in chunks are the same wherever what clients and servers send is cut. */
class SplitCutTest {
  private static final int LENGTH = 2500; // in chunks of 1024 bytes

  @ParameterizedTest
  @ValueSource(strings = {"same", "text", "meta", "binary"})
  void shouldStoreAndJoinChunksAlikeWhereverAnythingIsCut(String dialect) throws Exception {
    String yaml =
        """
        admin: {bind: '127.0.0.1:0'}
        process: {eventLoops: 1}
        listeners:
          lane: {bind: '127.0.0.1:0', route: lane}
          control: {bind: '127.0.0.1:0', route: control}
        routes: {lane: [{pool: lane, split: 1KiB}], control: [{pool: control}]}
        pools:
          lane: {servers: ['127.0.0.1:%d'], timeout: 10s, dialect: %s}
          control: {protocol: embedded, size: 16MiB}
        """;
    try (RealMemcached server = RealMemcached.start();
        CuttingProxy proxy = new CuttingProxy(server.address())) {
      Gateway gateway =
          Gateways.start(
                  Loader.parse("cut.yaml", yaml.formatted(proxy.address().getPort(), dialect))
                      .configuration())
              .await(20, TimeUnit.SECONDS);
      try (Lane lane =
          new Lane(address(gateway, "lane"), address(gateway, "control"), 1, proxy, 7, 1)) {
        for (CutCase each : cases()) {
          assertThat(lane.cutRequest(each)).isEmpty();
          assertThat(lane.cutReplies(each)).isEmpty();
        }
        assertThat(lane.cuts()).isGreaterThan(1000);
      } finally {
        gateway.close().await(20, TimeUnit.SECONDS);
      }
    }
  }

  private static List<CutCase> cases() {
    Random random = new Random(3);
    StringBuilder value = new StringBuilder();
    while (value.length() < LENGTH) {
      value.append((char) random.nextInt(256));
    }
    String set = "set k 7 0 " + LENGTH + "\r\n" + value + "\r\n";
    String binarySet =
        packet(0x01, "\0\0\0\7\0\0\0\0", "k", value.toString()) + packet(0x00, "", "k", "");
    return List.of(
        of("set and get", "", set + "get k\r\nget none k\r\n"),
        of("get", set, "get k\r\nmg k v f s\r\ngat 100 k\r\ntouch k 0\r\n"),
        of("meta", "", "ms k " + LENGTH + " F3\r\n" + value + "\r\nmg k v f\r\n"),
        of("binary", "", binarySet));
  }

  private static CutCase of(String name, String setup, String request) {
    return new CutCase(
        name,
        setup.isEmpty() ? List.of() : List.of(setup.getBytes(ISO_8859_1)),
        request.getBytes(ISO_8859_1),
        false);
  }

  private static String packet(int opcode, String extras, String key, String value) {
    return Packet.text(opcode, extras, key, value, 0);
  }

  private static InetSocketAddress address(Gateway gateway, String listener) {
    String address = gateway.address(listener);
    int colon = address.lastIndexOf(':');
    return new InetSocketAddress(
        address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
  }
}
