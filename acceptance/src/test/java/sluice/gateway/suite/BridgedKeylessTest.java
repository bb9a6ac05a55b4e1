package sluice.gateway.suite;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.Packet;
import sluice.testkit.Patience;

/** Commands that are about no item, to servers that speak another dialect than the client. */
class BridgedKeylessTest {
  private static final int FLUSH = 0x08;
  private static final int STAT = 0x10;
  private static final int VERBOSITY = 0x1b;
  private static final int NOOP = 0x0a;
  private static final byte[] FENCE = packet(NOOP, "", "");
  private static final byte[] FENCE_REPLY = FENCE.clone();

  static {
    FENCE_REPLY[0] = (byte) 0x81;
  }

  private static byte[] packet(int opcode, String extras, String key) {
    return Packet.bytes(opcode, extras, key, "", 0);
  }

  /** The one reply to a packet: its status, and the bytes behind the header. */
  private static String ask(InetSocketAddress address, byte[] packet) throws Exception {
    try (Conversation client = new Conversation(address)) {
      client.send(List.of(packet, FENCE));
      byte[] all = client.hearUntil(FENCE_REPLY);
      ByteBuffer reply = ByteBuffer.wrap(all);
      assertThat(all[1]).isEqualTo(packet[1]);
      assertThat(reply.getInt(8)).as("all of the body").isEqualTo(all.length - 48);
      return "%02x %s"
          .formatted(reply.getShort(6), new String(all, 24, all.length - 48, ISO_8859_1));
    }
  }

  private static String line(InetSocketAddress address, String line) throws Exception {
    try (Conversation client = new Conversation(address)) {
      String all = client.ask(line + "\r\nmn\r\n", "MN\r\n");
      return all.substring(0, all.length() - "MN\r\n".length());
    }
  }

  @ParameterizedTest
  @CsvSource({"meta, 1", "text, 1", "meta, 2", "text, 2"})
  void shouldTellVerbosityToServersThatAreToldLines(String dialect, int servers) throws Exception {
    try (RealMemcached first = RealMemcached.start();
        RealMemcached second = RealMemcached.start();
        InProcessGateway gateway = new InProcessGateway()) {
      RealMemcached[] all =
          servers == 1 ? new RealMemcached[] {first} : new RealMemcached[] {first, second};
      gateway.start(new Topology().servers("cache", dialect, all).yaml());
      assertThat(ask(gateway.address("cache"), packet(VERBOSITY, "\0\0\0\1", ""))).isEqualTo("00 ");
      for (RealMemcached server : all) {
        assertThat(line(server.address(), "stats settings")).contains("STAT verbosity 1\r\n");
      }
      assertThat(ask(gateway.address("cache"), packet(VERBOSITY, "\0\0\0\0", ""))).isEqualTo("00 ");
      for (RealMemcached server : all) {
        assertThat(line(server.address(), "stats settings")).contains("STAT verbosity 0\r\n");
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({"a key, 4, k", "no level, 0, ''", "more than a level, 8, ''"})
  void shouldNotKnowAVerbosityOfAnotherForm(String name, int extras, String key) throws Exception {
    try (RealMemcached server = RealMemcached.start();
        InProcessGateway gateway = new InProcessGateway()) {
      gateway.start(new Topology().servers("cache", "meta", server).yaml());
      assertThat(ask(gateway.address("cache"), packet(VERBOSITY, "\0".repeat(extras), key)))
          .isEqualTo("81 Unknown command");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"same", "binary"})
  void shouldNotSendVerbosityToServersThatDoNotKnowItsOpcode(String dialect) throws Exception {
    try (RealMemcached server = RealMemcached.start();
        InProcessGateway gateway = new InProcessGateway()) {
      gateway.start(new Topology().servers("cache", dialect, server).yaml());
      assertThat(ask(gateway.address("cache"), packet(VERBOSITY, "\0\0\0\1", "")))
          .isEqualTo("81 Unknown command");
      assertThat(line(server.address(), "stats settings")).contains("STAT verbosity 0\r\n");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"meta", "text"})
  void shouldNotTellAVerbosityThatIsNotAllowed(String dialect) throws Exception {
    try (RealMemcached server = RealMemcached.start();
        InProcessGateway gateway = new InProcessGateway()) {
      String yaml = new Topology().servers("cache", dialect, server).yaml();
      gateway.start(yaml.replace("verbosity, ", ""));
      assertThat(ask(gateway.address("cache"), packet(VERBOSITY, "\0\0\0\1", "")))
          .isEqualTo("81 Unknown command");
      assertThat(line(server.address(), "stats settings")).contains("STAT verbosity 0\r\n");
    }
  }

  /** A line with 0 instead of such a time would empty the server at once. */
  @ParameterizedTest
  @ValueSource(strings = {"meta", "text"})
  void shouldNotFlushBeforeATimeThatNoLineCanHave(String dialect) throws Exception {
    try (RealMemcached server = RealMemcached.start();
        InProcessGateway gateway = new InProcessGateway()) {
      gateway.start(new Topology().servers("cache", dialect, server).yaml());
      InetSocketAddress address = gateway.address("cache");
      assertThat(line(address, "set k 0 0 1\r\nx")).isEqualTo("STORED\r\n");
      TimeUnit.MILLISECONDS.sleep(1100); // a flush spares what is stored in the same second
      for (String time : List.of("\u0080\0\0\0", "\u00ff\u00ff\u00ff\u00ff")) {
        assertThat(ask(address, packet(FLUSH, time, ""))).isEqualTo("00 ");
        assertThat(line(address, "get k")).isEqualTo("VALUE k 0 1\r\nx\r\nEND\r\n");
      }
      assertThat(Patience.soon(() -> flushes(address))).isTrue(); // the server's clock may be late
    }
  }

  private static boolean flushes(InetSocketAddress address) throws Exception {
    assertThat(ask(address, packet(FLUSH, "", ""))).isEqualTo("00 ");
    return line(address, "get k").equals("END\r\n");
  }

  /** As memcached does for every opcode. */
  @ParameterizedTest
  @CsvSource({"7f, 251", "1f, 300", "0a, 251"})
  void shouldCloseBehindAKeyThatIsTooLong(String opcode, int length) throws Exception {
    try (RealMemcached server = RealMemcached.start();
        InProcessGateway gateway = new InProcessGateway()) {
      gateway.start(new Topology().servers("cache", "same", server).yaml());
      byte[] packet = packet(Integer.parseInt(opcode, 16), "", "k".repeat(length));
      byte[] expected = untilClosed(server.address(), packet);
      assertThat(untilClosed(gateway.address("cache"), packet)).isEqualTo(expected);
      assertThat(expected[7]).isEqualTo((byte) 4);
    }
  }

  private static byte[] untilClosed(InetSocketAddress address, byte[] packet) throws Exception {
    try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(packet);
      return socket.getInputStream().readAllBytes();
    }
  }

  /** A name of statistics becomes a part of a line: it must not end it. */
  @ParameterizedTest
  @ValueSource(strings = {"meta", "text"})
  void shouldRefuseNamesThatWouldEndTheLine(String dialect) throws Exception {
    try (RealMemcached server = RealMemcached.start();
        InProcessGateway gateway = new InProcessGateway()) {
      gateway.start(new Topology().servers("cache", dialect, server).yaml());
      InetSocketAddress address = gateway.address("cache");
      assertThat(line(address, "set k 0 0 1\r\nx")).isEqualTo("STORED\r\n");
      for (String name : List.of("a\r\nflush_all", "a\nflush_all", "\r\nflush_all\r\n", "a\0b")) {
        assertThat(ask(address, packet(STAT, "", name)))
            .as(Escaped.of(name.getBytes(ISO_8859_1)))
            .isEqualTo("04 CLIENT_ERROR unsupported: this statistics name in a text line");
      }
      assertThat(line(address, "get k")).isEqualTo("VALUE k 0 1\r\nx\r\nEND\r\n");
      assertThat(ask(address, packet(STAT, "", "bogus"))).startsWith("01 ");
    }
  }

  /** A text server has errors of its own for them: of their arguments, and of an option. */
  @ParameterizedTest
  @ValueSource(strings = {"meta", "text"})
  void shouldAnswerWrongStatisticsAsABinaryServer(String dialect) throws Exception {
    try (RealMemcached server = RealMemcached.start();
        InProcessGateway gateway = new InProcessGateway()) {
      gateway.start(new Topology().servers("cache", dialect, server).yaml());
      for (String name : List.of("detail", "detail x", "bogus")) {
        assertThat(ask(gateway.address("cache"), packet(STAT, "", name)))
            .as(name)
            .isEqualTo(ask(server.address(), packet(STAT, "", name)))
            .isEqualTo("01 Not found");
      }
      assertThat(line(gateway.address("cache"), "stats detail"))
          .isEqualTo("CLIENT_ERROR usage: stats detail on|off|dump\r\n");
    }
  }

  @Test
  void shouldAnswerALineWhoseNameIsTooLongForAPacket() throws Exception {
    try (RealMemcached server = RealMemcached.start();
        InProcessGateway gateway = new InProcessGateway()) {
      gateway.start(new Topology().servers("cache", "binary", server).yaml());
      assertThat(line(gateway.address("cache"), "stats " + "n".repeat(251)))
          .isEqualTo("CLIENT_ERROR bad command line format\r\n");
    }
  }
}
