package sluice.gateway.listen;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** PROXY headers, without sockets. */
class ProxyHeaderHandlerTest {
  private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";
  private static final byte[] BEHIND = "get a\r\nPROXY \r\n".getBytes(ISO_8859_1);

  /** A channel whose first handler reads a header; behind it, what follows is gathered. */
  private static final class Connection implements ProxyHeaderHandler.Owner, AutoCloseable {
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private long buffered;
    private final ProxyHeaderHandler handler =
        new ProxyHeaderHandler(this, change -> buffered += change, 5_000);
    private final StringBuilder events = new StringBuilder();
    private final StringBuilder read = new StringBuilder();

    Connection() {
      channel.freezeTime();
      channel.pipeline().addFirst("proxy header", handler);
    }

    @Override
    public void headerRead(InetSocketAddress client) {
      events.append(client).append(' ');
      channel
          .pipeline()
          .addLast(
              new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext ctx, Object message) {
                  ByteBuf bytes = (ByteBuf) message;
                  read.append(bytes.toString(ISO_8859_1));
                  bytes.release();
                }
              });
    }

    @Override
    public void headerMissing(String problem) {
      events.append(problem).append(' ');
    }

    @Override
    public void headerEnded() {
      events.append("ended");
    }

    Connection send(byte[] bytes, int from, int to) {
      if (from < to && channel.isOpen()) {
        ByteBuf in = channel.alloc().buffer().writeBytes(bytes, from, to - from);
        channel.writeInbound(in);
      }
      return this;
    }

    Connection send(byte[] bytes) {
      return send(bytes, 0, bytes.length);
    }

    @Override
    public void close() {
      channel.finishAndReleaseAll();
      assertThat(buffered).as("bytes that count as held").isZero();
      assertThat(events.toString()).endsWith("ended").doesNotContain("endedended");
    }
  }

  private static byte[] version1(String line) {
    return (line + "\r\n").getBytes(ISO_8859_1);
  }

  /** A header of version 2: command and family in hex, then addresses and TLVs in hex. */
  private static byte[] version2(String command, String family, String rest) {
    return HexFormat.of()
        .parseHex(SIGNATURE + "2" + command + family + "%04x".formatted(rest.length() / 2) + rest);
  }

  private static final String IPV4 = "cb007107" + "0a000001" + "1267" + "2bcb";
  private static final String IPV6 =
      "20010db8000000000000000000000007" + "20010db8000000000000000000000001" + "1267" + "2bcb";
  private static final String MAPPED =
      "00000000000000000000ffffcb007107" + "00000000000000000000ffff0a000001" + "1267" + "2bcb";
  private static final String PATHS = "2f".repeat(216);
  private static final String UNIQUE_ID = "05" + "0003" + "313233";

  private static Arguments header(String client, byte[] header) {
    return Arguments.of(client, header);
  }

  static Stream<Arguments> headers() {
    String ipv4 = "/203.0.113.7:4711";
    String ipv6 = "/[2001:db8:0:0:0:0:0:7]:4711";
    return Stream.of(
        header(ipv4, version1("PROXY TCP4 203.0.113.7 10.0.0.1 4711 11211")),
        header(ipv6, version1("PROXY TCP6 2001:db8::7 2001:db8::1 4711 11211")),
        header(ipv4, version1("PROXY TCP6 ::ffff:203.0.113.7 ::ffff:10.0.0.1 4711 11211")),
        header("/255.255.255.255:65535", version1("PROXY TCP4 255.255.255.255 0.0.0.0 65535 1")),
        header(
            "/[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535",
            version1(
                "PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"
                    + " ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535")),
        header(
            "/[fe80:0:0:0:0:0:0:7]:4711", version1("PROXY TCP6 fe80::7%eth0 fe80::1 4711 11211")),
        header("null", version1("PROXY UNKNOWN")),
        header("null", version1("PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535")),
        header("null", version1("PROXY UNKNOWN " + "x".repeat(107 - 16))),
        header(ipv4, version2("1", "11", IPV4)),
        header(ipv6, version2("1", "21", IPV6)),
        header(ipv4, version2("1", "21", MAPPED)),
        header(ipv4, version2("1", "11", IPV4 + UNIQUE_ID)),
        header(ipv6, version2("1", "21", IPV6 + UNIQUE_ID + UNIQUE_ID)),
        header(ipv4, version2("1", "11", IPV4 + "20ffff00")), // a TLV that lies about its length
        header(ipv4, version2("1", "11", IPV4 + "ee".repeat(4096 - 16 - 12))),
        header("null", version2("0", "00", "")),
        header("null", version2("0", "11", IPV4)),
        header("null", version2("0", "00", UNIQUE_ID)),
        header("null", version2("1", "00", "")),
        header("null", version2("1", "00", UNIQUE_ID)),
        header("null", version2("1", "12", IPV4)), // a datagram
        header("null", version2("1", "31", PATHS)));
  }

  @ParameterizedTest
  @MethodSource("headers")
  void shouldReadAHeaderWhereverItIsCut(String client, byte[] header) {
    byte[] all = Arrays.copyOf(header, header.length + BEHIND.length);
    System.arraycopy(BEHIND, 0, all, header.length, BEHIND.length);
    for (int cut = 0; cut <= all.length; cut += cut > 300 && cut < 4000 ? 97 : 1) {
      try (Connection connection = new Connection()) {
        connection.send(all, 0, cut);
        if (cut < header.length) {
          assertThat(connection.events).as("cut at " + cut).isEmpty();
          assertThat(connection.buffered).isEqualTo(cut);
        }
        connection.send(all, cut, all.length);
        assertThat(connection.events).as("cut at " + cut).hasToString(client + " ended");
        assertThat(connection.read).hasToString(new String(BEHIND, ISO_8859_1));
        assertThat(connection.channel.isOpen()).isTrue();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("headers")
  void shouldReadAHeaderByteByByte(String client, byte[] header) {
    try (Connection connection = new Connection()) {
      for (int i = 0; i < header.length; i++) {
        assertThat(connection.events).isEmpty();
        connection.send(header, i, i + 1);
      }
      assertThat(connection.events).hasToString(client + " ended");
      assertThat(connection.read).isEmpty();
      connection.send(BEHIND);
      assertThat(connection.read).hasToString(new String(BEHIND, ISO_8859_1));
    }
  }

  static Stream<Arguments> malformed() {
    return Stream.of(
        Arguments.of("g", "found \"g\", expected a PROXY header"),
        Arguments.of("get k\r\nsecret\r\n", "found \"get k\", expected a PROXY header"),
        Arguments.of("PROXX TCP4", "found \"PROXX TCP4\", expected a PROXY header"),
        Arguments.of("proxy TCP4", "found \"proxy TCP4\", expected a PROXY header"),
        Arguments.of("\r\n", null), // may become the signature
        Arguments.of("\r\nget k", "found 0d 0a 67 65 74 20 6b, expected a PROXY header"),
        Arguments.of("\26\3\1", "found what looks like TLS, expected a PROXY header"),
        Arguments.of("\200\12", "found 80 0a, expected a PROXY header"),
        Arguments.of(
            "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\n",
            "found \"PROXY TCP4 1.2.3.4 5.6.7\", expected a PROXY header that ends with CR and LF"),
        Arguments.of(
            "PROXY UNKNOWN " + "x".repeat(107 - 14),
            "found \"PROXY UNKNOWN xxxxxxxxxx\", expected a PROXY header of version 1 with at most"
                + " 107 bytes"),
        Arguments.of("PROXY UNKNOWN " + "x".repeat(106 - 14), null));
  }

  @ParameterizedTest
  @MethodSource("malformed")
  void shouldSayWhatCameInstead(String sent, String problem) {
    byte[] bytes = sent.getBytes(ISO_8859_1);
    try (Connection connection = new Connection()) {
      connection.send(bytes);
      if (problem == null) {
        assertThat(connection.events).isEmpty();
      } else {
        assertThat(connection.events.toString()).startsWith(problem + " ");
        assertThat(connection.channel.isOpen()).isFalse();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PROXY ",
        "PROXY  TCP4 1.2.3.4 5.6.7.8 1 2",
        "PROXY TCP4",
        "PROXY TCP4 1.2.3.4 5.6.7.8 1",
        "PROXY TCP4 1.2.3.4 5.6.7.8 1 2 3",
        "PROXY TCP4 1.2.3 5.6.7.8 1 2",
        "PROXY TCP4 1.2.3.256 5.6.7.8 1 2",
        "PROXY TCP4 ::1 ::2 1 2",
        "PROXY TCP4 localhost localhost 1 2",
        "PROXY TCP6 1.2.3.4 5.6.7.8 1 2",
        "PROXY TCP4 1.2.3.4 5.6.7.8 -1 2",
        "PROXY TCP4 1.2.3.4 5.6.7.8 65536 2",
        "PROXY TCP4 1.2.3.4 5.6.7.8 x 2",
        "PROXY TCP4 1.2.3.4 5.6.7.8 +1 2",
        "PROXY TCP4 1.2.3.4 5.6.7.8 00000000001 2",
        "PROXY TCP4 010.1.1.1 5.6.7.8 1 2",
        "PROXY TCP4 1.2.3.4 5.6.7.08 1 2",
        "PROXY TCP6 [::1] ::2 1 2",
        "PROXY TCP6 ::1 ::2 1 +2",
        "PROXY UDP4 1.2.3.4 5.6.7.8 1 2",
        "PROXY UNIX_STREAM a b 1 2",
        "PROXY tcp4 1.2.3.4 5.6.7.8 1 2"
      })
  void shouldRefuseALineThatIsNoHeader(String line) {
    try (Connection connection = new Connection()) {
      connection.send(version1(line)).send(BEHIND);
      assertThat(connection.events.toString())
          .startsWith("found \"PROXY ")
          .contains("expected a PROXY header that is well-formed");
      assertThat(connection.channel.isOpen()).isFalse();
      assertThat(connection.read).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "11, with version 2", // version 1 of the binary form
    "31, with version 2",
    "22, with version 2", // no command
    "2f, with version 2"
  })
  void shouldRefuseAnotherVersionAtItsByte(String versionAndCommand, String problem) {
    try (Connection connection = new Connection()) {
      connection.send(HexFormat.of().parseHex(SIGNATURE + versionAndCommand));
      assertThat(connection.events.toString()).contains("expected a PROXY header " + problem);
      assertThat(connection.channel.isOpen()).isFalse();
    }
  }

  static Stream<byte[]> shortAddresses() {
    return Stream.of(
        version2("1", "11", IPV4.substring(2)),
        version2("1", "11", ""),
        version2("1", "21", IPV4),
        version2("1", "31", PATHS.substring(2)),
        version2("1", "41", IPV4)); // no such family
  }

  @ParameterizedTest
  @MethodSource("shortAddresses")
  void shouldRefuseAddressesThatAreNotWhole(byte[] header) {
    try (Connection connection = new Connection()) {
      connection.send(header).send(BEHIND);
      assertThat(connection.events.toString()).contains("a PROXY header that is well-formed");
      assertThat(connection.channel.isOpen()).isFalse();
      assertThat(connection.read).isEmpty();
    }
  }

  @Test
  void shouldNotWaitForMoreThanAHeaderMayHave() {
    try (Connection connection = new Connection()) {
      connection.send(HexFormat.of().parseHex(SIGNATURE + "2111" + "0ff1"));
      assertThat(connection.events.toString())
          .startsWith("found a PROXY header of 4097 bytes, expected one of at most 4096 bytes");
      assertThat(connection.channel.isOpen()).isFalse();
    }
  }

  @Test
  void shouldWaitNoLongerThanItMay() {
    try (Connection silent = new Connection();
        Connection slow = new Connection();
        Connection ready = new Connection()) {
      slow.send("PROXY TC".getBytes(ISO_8859_1));
      ready.send(version1("PROXY UNKNOWN"));
      for (Connection each : List.of(silent, slow, ready)) {
        each.channel.advanceTimeBy(4_999, TimeUnit.MILLISECONDS);
        each.channel.runScheduledPendingTasks();
        assertThat(each.channel.isOpen()).isTrue();
        each.channel.advanceTimeBy(2, TimeUnit.MILLISECONDS);
        each.channel.runScheduledPendingTasks();
      }
      assertThat(silent.events.toString())
          .startsWith("found nothing within 5 s, expected a PROXY header ");
      assertThat(slow.events.toString())
          .startsWith("found \"PROXY TC\" and no more within 5 s, expected a PROXY header ");
      assertThat(silent.channel.isOpen()).isFalse();
      assertThat(slow.channel.isOpen()).isFalse();
      assertThat(ready.channel.isOpen()).isTrue();
    }
  }

  @Test
  void shouldTellOfAConnectionThatClosesInsideOfItsHeaderOnly() {
    Connection probe = new Connection();
    probe.close();
    assertThat(probe.events).hasToString("ended");
    byte[] header = version1("PROXY TCP4 203.0.113.7 10.0.0.1 4711 11211");
    for (int cut = 1; cut < header.length; cut++) {
      Connection connection = new Connection();
      connection.send(header, 0, cut).close();
      assertThat(connection.events.toString())
          .startsWith("found \"P")
          .endsWith(" and the end, expected a PROXY header ended");
    }
    Connection left = new Connection();
    left.send(header).close();
    assertThat(left.events).hasToString("/203.0.113.7:4711 ended");
  }

  @Test
  void shouldLeaveWithoutAWordWhenTheListenerShutsDown() {
    try (Connection waiting = new Connection();
        Connection read = new Connection()) {
      waiting.send("PROXY".getBytes(ISO_8859_1));
      waiting.handler.abandon();
      waiting.channel.runPendingTasks();
      assertThat(waiting.channel.isOpen()).isFalse();
      assertThat(waiting.events).hasToString("ended");
      read.send(version1("PROXY UNKNOWN"));
      read.handler.abandon();
      assertThat(read.channel.isOpen()).isTrue();
    }
  }

  @Test
  void shouldPassOnNothingToAReaderThatClosed() {
    EmbeddedChannel channel = new EmbeddedChannel();
    List<String> problems = new ArrayList<>();
    channel
        .pipeline()
        .addFirst(
            new ProxyHeaderHandler(
                new ProxyHeaderHandler.Owner() {
                  @Override
                  public void headerRead(InetSocketAddress client) {
                    channel.close();
                  }

                  @Override
                  public void headerMissing(String problem) {
                    problems.add(problem);
                  }

                  @Override
                  public void headerEnded() {}
                },
                change -> {},
                5_000));
    ByteBuf bytes = Unpooled.buffer().writeBytes(version1("PROXY UNKNOWN")).writeBytes(BEHIND);
    channel.writeInbound(bytes);
    assertThat(bytes.refCnt()).isZero();
    assertThat(channel.inboundMessages()).isEmpty();
    assertThat(problems).isEmpty();
    channel.finishAndReleaseAll();
  }

  /** Headers with some bytes changed, cut anywhere: one of three ends, and nothing is thrown. */
  @Test
  void shouldSurviveAnyBytes() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<byte[]> headers = headers().map(arguments -> (byte[]) arguments.get()[1]).toList();
    int[] ends = new int[3];
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = headers.get(random.nextInt(headers.size())).clone();
      int changes = random.nextInt(4);
      for (int i = 0; i < changes; i++) {
        bytes[random.nextInt(Math.min(bytes.length, 60))] = (byte) random.nextInt(256);
      }
      try (Connection connection = new Connection()) {
        int cut = random.nextInt(bytes.length + 1);
        connection.send(bytes, 0, cut).send(bytes, cut, bytes.length);
        connection.channel.checkException();
        boolean open = connection.channel.isOpen();
        String events = connection.events.toString();
        if (events.isEmpty()) {
          ends[0]++;
          assertThat(open).as("seed " + seed).isTrue();
        } else if (events.startsWith("found ")) {
          ends[1]++;
          assertThat(open).as("seed " + seed).isFalse();
        } else {
          ends[2]++;
          assertThat(open).as("seed " + seed).isTrue();
        }
        assertThat(connection.buffered).as("seed " + seed).isBetween(0L, (long) bytes.length);
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + HexFormat.of().formatHex(bytes), e);
      }
    }
    assertThat(ends[1]).as("headers that were refused, seed " + seed).isGreaterThan(1_000);
    assertThat(ends[2]).as("headers that were read, seed " + seed).isGreaterThan(1_000);
  }
}
