package sluice.gateway.suite;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import net.spy.memcached.ConnectionFactoryBuilder;
import net.spy.memcached.ConnectionFactoryBuilder.Protocol;
import net.spy.memcached.FailureMode;
import net.spy.memcached.MemcachedClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.ignite.IgniteVectors;
import sluice.codecs.ignite.IgniteVectors.Step;
import sluice.gateway.fixtures.RealMemcached;

/** Clients of Ignite's dialect before memcached: what a node answered them, or why not. */
@SuppressWarnings("JavaUtilDate") // one of Ignite's types
class IgniteListenerTest {
  private static final int HEADER = 24;
  private static final int PATIENCE_MILLIS = 10_000;

  /** Where a memcached cannot do as a node, or does better. */
  private static final Map<String, String> DIFFERENT =
      Map.ofEntries(
          Map.entry("node-version", "memcached's version"),
          Map.entry("node-type-int-one-byte", "a number keeps its width"),
          Map.entry("node-flag-0900-becomes-string", "flags are kept"),
          Map.entry("node-flag-0002-becomes-string", "flags are kept"),
          Map.entry("node-memcached-flags-00000000-utf8-loss", "bytes are kept"),
          Map.entry("node-flag-serialized-garbage", "objects are bytes like any others"),
          Map.entry("node-append-on-bytearray", "memcached appends to anything"),
          Map.entry("node-incr-decr", "a counter is an item"),
          Map.entry("node-decr-negative", "counters end at 0"),
          Map.entry("node-stat", "memcached's statistics"),
          Map.entry("node-cache-name-in-extras", "there is one cache, called default"),
          Map.entry("node-key-300-bytes", "memcached's keys have at most 250 bytes"));

  private static String yaml(RealMemcached server, String dialect) {
    return """
    admin: {bind: 127.0.0.1:0}
    process: {eventLoops: 1}
    listeners: {nodes: {bind: 127.0.0.1:0, protocol: ignite, route: cache}}
    routes: {cache: [{match: {prefix: 'forbidden:'}, reject: no}, {pool: cache}]}
    pools: {cache: {servers: ["127.0.0.1:%d"], timeout: 10s, dialect: %s}}
    """
        .formatted(server.address().getPort(), dialect);
  }

  private static Socket connect(InetSocketAddress address) throws IOException {
    Socket socket = new Socket();
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.connect(address);
    return socket;
  }

  /** What is answered to as many packets as were sent, or until the connection is closed. */
  private static byte[] packets(InputStream in, int count) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = 0; i < count; i++) {
      byte[] header = in.readNBytes(HEADER);
      all.write(header);
      if (header.length < HEADER) {
        break;
      }
      all.write(in.readNBytes(ByteBuffer.wrap(header).getInt(8)));
    }
    return all.toByteArray();
  }

  private static int count(byte[] packets) {
    int count = 0;
    for (int at = 0; at < packets.length; count++) {
      at += HEADER + ByteBuffer.wrap(packets).getInt(at + 8);
    }
    return count;
  }

  private static String caseOf(Step step) {
    return step.name().substring(0, step.name().indexOf(' '));
  }

  @ParameterizedTest
  @ValueSource(strings = {"meta", "binary", "same"})
  void shouldAnswerAsANodeDid(String dialect) throws Exception {
    TreeSet<String> different = new TreeSet<>();
    try (RealMemcached server = RealMemcached.start();
        InProcessGateway gateway = new InProcessGateway()) {
      gateway.start(yaml(server, dialect));
      for (Step step : IgniteVectors.steps()) {
        try (Socket socket = connect(gateway.address("nodes"))) {
          socket.getOutputStream().write(step.request());
          boolean sameEnd = true;
          byte[] answer;
          if (step.closed()) {
            socket.setSoTimeout(DIFFERENT.containsKey(caseOf(step)) ? 300 : PATIENCE_MILLIS);
            answer = untilClosed(socket.getInputStream());
            sameEnd = answer != null;
          } else {
            answer = packets(socket.getInputStream(), count(step.response()));
          }
          if (!sameEnd || !Arrays.equals(answer, step.response())) {
            different.add(caseOf(step));
            assertThat(DIFFERENT)
                .as("%s: %s", step.name(), answer == null ? "open" : ByteBufUtil.hexDump(answer))
                .containsKey(caseOf(step));
          }
        }
      }
    }
    assertThat(different).isEqualTo(new TreeSet<>(DIFFERENT.keySet()));
  }

  /** Everything until the other side closes; null if it does not. */
  private static byte[] untilClosed(InputStream in) throws IOException {
    try {
      return in.readAllBytes();
    } catch (SocketTimeoutException e) {
      return null;
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 25})
  void shouldFindRequestsWhereverTheStreamIsCut(int piece) throws Exception {
    ByteArrayOutputStream requests = new ByteArrayOutputStream();
    ByteArrayOutputStream answers = new ByteArrayOutputStream();
    for (Step step : IgniteVectors.steps()) {
      if (!step.closed() && !DIFFERENT.containsKey(caseOf(step))) {
        requests.write(step.request());
        answers.write(step.response());
      }
    }
    try (RealMemcached server = RealMemcached.start();
        InProcessGateway gateway = new InProcessGateway()) {
      gateway.start(yaml(server, "meta"));
      try (Socket socket = connect(gateway.address("nodes"))) {
        byte[] all = requests.toByteArray();
        for (int at = 0; at < all.length; at += piece) {
          socket.getOutputStream().write(all, at, Math.min(piece, all.length - at));
        }
        byte[] found = socket.getInputStream().readNBytes(answers.size());
        assertThat(ByteBufUtil.hexDump(found))
            .isEqualTo(ByteBufUtil.hexDump(answers.toByteArray()));
      }
    }
  }

  @Test
  void shouldKeepTheTypesOfSpymemcached() throws Exception {
    Map<String, Object> values =
        Map.of(
            "string",
            "a string: \u20ac",
            "boolean",
            true,
            "integer",
            42,
            "long",
            1L << 40,
            "byte",
            (byte) -7,
            "float",
            1.5f,
            "double",
            -2.25,
            "date",
            new Date(1_700_000_000_000L),
            "bytes",
            new byte[100_000],
            "map",
            Map.of("a", 1));
    System.setProperty("net.spy.log.LoggerImpl", "net.spy.memcached.compat.log.SLF4JLogger");
    try (RealMemcached server = RealMemcached.start();
        InProcessGateway gateway = new InProcessGateway()) {
      gateway.start(yaml(server, "meta"));
      SpyClient.Connected connected = new SpyClient.Connected();
      MemcachedClient client =
          new MemcachedClient(
              new ConnectionFactoryBuilder()
                  .setProtocol(Protocol.BINARY)
                  .setOpTimeout(PATIENCE_MILLIS)
                  .setFailureMode(FailureMode.Cancel)
                  .setInitialObservers(List.of(connected))
                  .setDaemon(true)
                  .build(),
              List.of(gateway.address("nodes")));
      try {
        connected.await();
        for (Map.Entry<String, Object> entry : values.entrySet()) {
          assertThat(client.add(entry.getKey(), 0, entry.getValue()).get()).isTrue();
          assertThat(client.add(entry.getKey(), 0, "another").get()).isFalse();
          assertThat(client.get(entry.getKey())).isEqualTo(entry.getValue());
          assertThat(client.delete(entry.getKey()).get()).isTrue();
          assertThat(client.get(entry.getKey())).isNull();
        }
        assertThat(client.set("forbidden:k", 0, "v").get()).isFalse();
      } finally {
        client.shutdown();
      }
    }
  }

  @Test
  void shouldRefuseWithTheOneStatusOfFailures() throws Exception {
    try (RealMemcached server = RealMemcached.start();
        InProcessGateway gateway = new InProcessGateway()) {
      gateway.start(yaml(server, "meta").replace("route: cache}}", "route: cache, allow: []}}"));
      try (Socket socket = connect(gateway.address("nodes"))) {
        socket.getOutputStream().write(hex("8008" + "00".repeat(13) + "07" + "00".repeat(8)));
        byte[] flush = packets(socket.getInputStream(), 1);
        assertThat(ByteBufUtil.hexDump(flush))
            .isEqualTo("8108" + "00".repeat(5) + "04" + "00".repeat(7) + "07" + "00".repeat(8));
        socket.getOutputStream().write(hex("8010" + "00".repeat(13) + "08" + "00".repeat(8)));
        String statistics = new String(packets(socket.getInputStream(), 20), US_ASCII);
        assertThat(statistics).contains("version" + RealMemcached.VERSION);
      }
    }
  }

  /** The head of a set with opaque 9, of an array, in hexadecimal. */
  private static String set(String key, int expiryMillis, int value) {
    String name = ByteBufUtil.hexDump(key.getBytes(US_ASCII));
    int body = 8 + key.length() + value;
    return "8001%04x08000000%08x000000090000000000000000".formatted(key.length(), body)
        + "00000800%08x%s".formatted(expiryMillis, name);
  }

  private static byte[] hex(String text) {
    return ByteBufUtil.decodeHexDump(text);
  }

  @Test
  void shouldTurnMillisecondsIntoSecondsAndStreamLargeValues() throws Exception {
    String done = "810100000000000000000000000000090000000000000000";
    try (RealMemcached server = RealMemcached.start();
        InProcessGateway gateway = new InProcessGateway()) {
      gateway.start(yaml(server, "meta"));
      try (Socket socket = connect(gateway.address("nodes"));
          Socket direct = connect(server.address())) {
        int size = 500_000;
        socket.getOutputStream().write(hex(set("big", 99_500, size)));
        socket.getOutputStream().write(new byte[size]);
        byte[] answer = socket.getInputStream().readNBytes(HEADER);
        assertThat(ByteBufUtil.hexDump(answer)).isEqualTo(done);
        direct.getOutputStream().write("mg big s t f\r\n".getBytes(US_ASCII));
        String item = new String(direct.getInputStream().readNBytes(20), US_ASCII);
        assertThat(item).matches("HD s500000 t(100|[89]\\d) f20(?s:.*)");
        socket.getOutputStream().write(hex(set("neg", -1, 1) + "76"));
        assertThat(ByteBufUtil.hexDump(socket.getInputStream().readNBytes(HEADER))).isEqualTo(done);
        socket.getOutputStream().write(hex(set("big", 0, 2_000_000)));
        socket.getOutputStream().write(new byte[2_000_000]);
        byte[] refused = socket.getInputStream().readNBytes(HEADER);
        assertThat(refused[7]).as("status of an item over the limit").isEqualTo((byte) 4);
        socket
            .getOutputStream()
            .write(hex("80000003000000000000000300000009" + "00".repeat(8) + "626967"));
        byte[] missed = socket.getInputStream().readNBytes(HEADER + 4);
        assertThat(missed[7]).as("status of what it would have replaced").isEqualTo((byte) 1);
      }
    }
  }
}
