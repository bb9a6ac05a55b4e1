package sluice.ring;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import net.spy.memcached.ConnectionFactoryBuilder;
import net.spy.memcached.ConnectionFactoryBuilder.Protocol;
import net.spy.memcached.FailureMode;
import net.spy.memcached.MemcachedClient;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** memcached's clients, through the gateway, before a real Ignite node. */
@Tag("ring")
@SuppressWarnings("JavaUtilDate") // one of the types that spymemcached stores
class IgniteTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  @TempDir static Path directory;

  private static IgniteNode node;
  private static GatewayProcess gateway;
  private static int port;
  private static int countingPort;

  @BeforeAll
  static void start() throws IOException {
    node = new IgniteNode(directory);
    port = Loopback.freePort();
    countingPort = Loopback.freePort();
    gateway = new GatewayProcess(directory, "gateway");
    gateway.start(
        """
        listeners:
          cache: {bind: '127.0.0.1:%d', route: cache}
          counting: {bind: '127.0.0.1:%d', route: counting}
        routes:
          cache:
            - {match: {prefix: 'other:'}, pool: other}
            - {match: {prefix: 'nowhere:'}, pool: nowhere}
            - {pool: nodes}
          counting: [{pool: counting}]
        pools:
          nodes: {protocol: ignite, servers: ['127.0.0.1:%3$d'], timeout: 20s, connections: {connectTimeout: 20s}}
          other: {protocol: ignite, servers: ['127.0.0.1:%3$d'], timeout: 20s, connections: {connectTimeout: 20s}, ignite: {cacheName: other}}
          nowhere: {protocol: ignite, servers: ['127.0.0.1:%3$d'], timeout: 20s, connections: {connectTimeout: 20s}, ignite: {cacheName: nowhere}}
          counting: {protocol: ignite, servers: ['127.0.0.1:%3$d'], timeout: 20s, connections: {connectTimeout: 20s}, ignite: {counters: atomic}}
        """
            .formatted(port, countingPort, node.port()));
  }

  @AfterAll
  static void stop() {
    if (gateway != null) {
      gateway.close();
    }
    if (node != null) {
      node.close();
    }
  }

  /** A connection to the gateway. */
  private static final class Connection implements AutoCloseable {
    private final Socket socket = new Socket();

    Connection(int port) throws IOException {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      socket.setSoTimeout((int) TIMEOUT.toMillis());
      socket.setTcpNoDelay(true);
    }

    /** The answer to text, which must be as long as what is expected. */
    void expect(String request, String answer) throws IOException {
      socket.getOutputStream().write(request.getBytes(ISO_8859_1));
      byte[] found = socket.getInputStream().readNBytes(answer.length());
      assertThat(new String(found, ISO_8859_1)).as(request).isEqualTo(answer);
    }

    void expectHex(String request, String answer) throws IOException {
      socket.getOutputStream().write(hex(request));
      byte[] found = socket.getInputStream().readNBytes(hex(answer).length);
      assertThat(ByteBufUtil.hexDump(found)).as(request).isEqualTo(answer.replace(" ", ""));
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private static byte[] hex(String text) {
    return ByteBufUtil.decodeHexDump(text.replace(" ", ""));
  }

  /** What the node itself says that it has: types and value, behind the header of a hit. */
  private static String stored(String key) throws IOException {
    byte[] name = key.getBytes(UTF_8);
    String head = "8000 %04x 00 00 0000 %08x 00000000 0000000000000000";
    byte[] request = hex(head.formatted(name.length, name.length) + ByteBufUtil.hexDump(name));
    byte[] answer = node.ask(request);
    assertThat(answer[7]).as("status of " + key).isZero();
    return ByteBufUtil.hexDump(answer, 24, answer.length - 24);
  }

  @Test
  void shouldServePymemcache() throws Exception {
    String python = Path.of("src/test/python/ignite_operations.py").toAbsolutePath().toString();
    AssertionError last = null;
    for (String interpreter : List.of("python3", "/usr/bin/python3")) {
      Process process =
          new ProcessBuilder(interpreter, python, Integer.toString(port))
              .redirectErrorStream(true)
              .start();
      String output = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
      if (process.exitValue() == 0) {
        assertThat(output).isEqualTo("as expected\n");
        return;
      }
      last = new AssertionError(output);
      if (!output.contains("No module named")) {
        break;
      }
    }
    throw last;
  }

  @Test
  void shouldServeSpymemcachedWithTheTypesOfJava() throws Exception {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("string", "a string: \u20ac");
    values.put("boolean", true);
    values.put("integer", 42);
    values.put("large integer", -1);
    values.put("long", 1L << 40);
    values.put("byte", (byte) -7);
    values.put("float", 1.5f);
    values.put("double", -2.25);
    values.put("date", new Date(1_700_000_000_000L));
    values.put("bytes", new byte[] {0, -1, 13, 10});
    System.setProperty("net.spy.log.LoggerImpl", "net.spy.memcached.compat.log.SLF4JLogger");
    MemcachedClient client =
        new MemcachedClient(
            new ConnectionFactoryBuilder()
                .setProtocol(Protocol.BINARY)
                .setOpTimeout(TIMEOUT.toMillis())
                .setFailureMode(FailureMode.Cancel)
                .setDaemon(true)
                .build(),
            List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)));
    try {
      long begin = System.nanoTime();
      while (client.getAvailableServers().isEmpty()) { // what is asked before is cancelled
        assertThat(System.nanoTime() - begin).isLessThan(TIMEOUT.toNanos());
        TimeUnit.MILLISECONDS.sleep(10);
      }
      for (Map.Entry<String, Object> entry : values.entrySet()) {
        String key = "spy-" + entry.getKey().replace(' ', '-');
        Object value = entry.getValue();
        assertThat(client.get(key)).isNull();
        assertThat(client.delete(key).get()).as("delete what is not there").isFalse();
        assertThat(client.replace(key, 0, value).get()).isFalse();
        assertThat(client.add(key, 0, value).get()).as(key).isTrue();
        assertThat(client.add(key, 0, "another").get()).isFalse();
        assertThat(client.get(key)).isEqualTo(value);
        assertThat(client.set(key, 0, "first").get()).isTrue();
        assertThat(client.get(key)).isEqualTo("first");
        assertThat(client.replace(key, 0, value).get()).isTrue();
        assertThat(client.get(key)).isEqualTo(value);
      }
      assertThat(client.getBulk("spy-string", "spy-missing", "spy-long"))
          .isEqualTo(Map.of("spy-string", values.get("string"), "spy-long", 1L << 40));
      for (String name : values.keySet()) {
        String key = "spy-" + name.replace(' ', '-');
        assertThat(client.delete(key).get()).isTrue();
        assertThat(client.get(key)).isNull();
      }
    } finally {
      client.shutdown();
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "text is a string             | 0    | h\u00e9         | 0000 68c3a9",
        "other bytes are an array     | 0    | \\xff\\x00      | 0800 ff00",
        "an array                     | 2048 | abc             | 0800 616263",
        "a number of fewer bytes      | 512  | *               | 0200 0000002a",
        "a long                       | 768  | 12345678        | 0300 3132333435363738",
        "a boolean                    | 256  | 1               | 0100 31"
      })
  void shouldStoreTheTypeThatTheFlagsAreAndReadItBack(
      String name, int flags, String escaped, String expected) throws IOException {
    String value =
        escaped.startsWith("\\x")
            ? new String(hex(escaped.replace("\\x", "")), ISO_8859_1)
            : new String(escaped.getBytes(UTF_8), ISO_8859_1);
    try (Connection connection = new Connection(port)) {
      String set = "set typed " + flags + " 0 " + value.length() + "\r\n" + value + "\r\n";
      connection.expect(set, "STORED\r\n");
      assertThat(stored("typed")).isEqualTo("0000" + expected.replace(" ", ""));
      byte[] back = hex(expected.substring(5));
      int backFlags = Integer.parseInt(expected.substring(0, 4), 16);
      connection.expect(
          "get typed\r\n",
          "VALUE typed "
              + backFlags
              + " "
              + back.length
              + "\r\n"
              + new String(back, ISO_8859_1)
              + "\r\nEND\r\n");
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "flags without a type   | set r 2 0 1\\r"
            + "\\n"
            + "a\\r"
            + "\\n"
            + "            | SERVER_ERROR Ignite cannot keep these flags",
        "a type of the key      | set r 131072 0 1\\r"
            + "\\n"
            + "a\\r"
            + "\\n"
            + "       | SERVER_ERROR Ignite cannot keep these flags",
        "an object              | set r 1 0 4\\r"
            + "\\n"
            + "abcd\\r"
            + "\\n"
            + "         | SERVER_ERROR Ignite would read the serialized object as its own",
        "a number too long      | set r 512 0 5\\r"
            + "\\n"
            + "abcde\\r"
            + "\\n"
            + "      | SERVER_ERROR the value does not have the type that its flags state",
        "an empty value         | set r 0 0 0\\r"
            + "\\n"
            + "\\r"
            + "\\n"
            + "             | SERVER_ERROR Ignite stores no empty values",
        "cas                    | cas r 0 0 1 5\\r"
            + "\\n"
            + "a\\r"
            + "\\n"
            + "          | CLIENT_ERROR unsupported: cas, which Ignite does not have",
        "gets                   | gets r\\r"
            + "\\n"
            + "                        | CLIENT_ERROR unsupported: cas, which Ignite does not have",
        "touch                  | touch r 10\\r"
            + "\\n"
            + "                    | CLIENT_ERROR unsupported: the time to live of an existing"
            + " item, which Ignite cannot change",
        "incr                   | incr r 1\\r"
            + "\\n"
            + "                      | CLIENT_ERROR unsupported: counters, which Ignite keeps"
            + " outside the cache",
        "a key that is no text  | get \\377\\r"
            + "\\n"
            + "                     | CLIENT_ERROR unsupported: a key that is not UTF-8, which"
            + " Ignite cannot store",
        "meta's time to live    | mg r t\\r"
            + "\\n"
            + "                        | CLIENT_ERROR unsupported: item fields that Ignite does not"
            + " report",
      })
  void shouldRefuseAndGoOn(String name, String escaped, String answer) throws IOException {
    try (Connection connection = new Connection(port)) {
      connection.expect(escaped.translateEscapes(), answer + "\r\n");
      connection.expect("get r\r\n", "END\r\n");
    }
  }

  @Test
  void shouldTurnTimesToLiveIntoMilliseconds() throws IOException {
    try (Connection connection = new Connection(port)) {
      long soon = System.currentTimeMillis() / 1000 + 2;
      connection.expect("set t1 0 1 1\r\na\r\n", "STORED\r\n");
      connection.expect("set t2 0 " + soon + " 1\r\nb\r\n", "STORED\r\n");
      connection.expect("set t3 0 30 1\r\nc\r\n", "STORED\r\n");
      connection.expect("set t4 0 2592000 1\r\nd\r\n", "STORED\r\n"); // more than 31 bits of them
      connection.expect("set t5 0 0 1\r\ne\r\n", "STORED\r\n");
      connection.expect("set t5 0 -1 1\r\nf\r\nget t5\r\n", "STORED\r\nEND\r\n");
      connection.expect("set t5 0 -1 1\r\nf\r\nget t5\r\n", "STORED\r\nEND\r\n");
      connection.expect("replace t5 0 -1 1\r\nf\r\n", "NOT_STORED\r\n");
      connection.expect("set t6 0 2592001 1\r\ng\r\nget t6\r\n", "STORED\r\nEND\r\n");
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(3500));
      connection.expect("get t1 t2 t3 t4\r\n", "VALUE t3 0 1\r\nc\r\nVALUE t4 0 1\r\nd\r\nEND\r\n");
    }
  }

  @Test
  void shouldHideWhatQuietFormsHideAndNeverSendQuit() throws IOException {
    String header = " 00 00 0000 ";
    for (int i = 0; i < 8; i++) { // a node that is sent QUITQ loses one of its threads each time
      try (Connection connection = new Connection(port)) {
        connection.expectHex(
            // SETQ q 1, GETKQ missing, GETKQ q, DELETEQ q, NOOP
            "8011 0001 08 00 0000 0000000a 00000001 0000000000000000 00000000 00000000 71 31"
                + ("800d 0002" + header + "00000002 00000002 0000000000000000 7a7a")
                + ("800d 0001" + header + "00000001 00000003 0000000000000000 71")
                + ("8014 0001" + header + "00000001 00000004 0000000000000000 71")
                + ("800a 0000" + header + "00000000 00000005 0000000000000000"),
            "810d 0001 04 00 0000 00000006 00000003 0000000000000000 00000000 71 31"
                + "810a 0000 00 00 0000 00000000 00000005 0000000000000000");
        connection
            .socket
            .getOutputStream()
            .write(hex("8017 0000 00 00 0000 00000000 00000006 0000000000000000"));
        assertThat(connection.socket.getInputStream().read()).isEqualTo(-1);
      }
    }
    for (int i = 0; i < 8; i++) {
      byte[] noop = hex("800a 0000 00 00 0000 00000000 00000007 0000000000000000");
      assertThat(node.ask(noop)).hasSize(24);
    }
  }

  @Test
  void shouldKeepAConnectionThatIsIdleForLongerThanTheNodeAllows() throws IOException {
    try (Connection connection = new Connection(port)) {
      connection.expect("get idle\r\n", "END\r\n");
      List<String> before = connectionsToNode();
      assertThat(before).isNotEmpty();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(9500));
      assertThat(connectionsToNode()).containsAll(before);
      connection.expect("get idle\r\n", "END\r\n");
    }
  }

  /** Established connections to the node's port, by the ports that they come from. */
  private static List<String> connectionsToNode() throws IOException {
    String remote = ":%04X 01".formatted(node.port());
    return Files.readAllLines(Path.of("/proc/net/tcp")).stream()
        .filter(line -> line.contains(remote))
        .map(line -> line.trim().split(" +")[1])
        .toList();
  }

  @Test
  void shouldUseTheCacheThatThePoolNames() throws IOException {
    try (Connection connection = new Connection(port)) {
      connection.expect("set other:k 0 0 1\r\na\r\nset k 0 0 1\r\nb\r\n", "STORED\r\nSTORED\r\n");
      connection.expect("get other:k\r\n", "VALUE other:k 0 1\r\na\r\nEND\r\n");
      byte[] request =
          hex("8000 0007 00 00 0000 00000007 00000000 0000000000000000 6f746865723a6b");
      assertThat(node.ask(request)[7]).as("in the default cache").isEqualTo((byte) 1);
      connection.expect("delete other:k\r\nget other:k\r\n", "DELETED\r\nEND\r\n");
      connection.expect("set nowhere:k 0 0 1\r\na\r\n", "SERVER_ERROR the server failed\r\n");
    }
  }

  @Test
  void shouldStoreValuesOfAnySizeThatArriveInAnyPieces() throws IOException {
    try (Connection connection = new Connection(port)) {
      for (int size : new int[] {1, 1000, 70_000, 500_000}) {
        for (int flags : new int[] {0, 2048}) {
          char[] value = new char[size];
          Arrays.fill(value, 'v');
          String text = new String(value);
          connection
              .socket
              .getOutputStream()
              .write(
                  ("set big " + flags + " 0 " + size + "\r\n" + text.substring(0, size / 2))
                      .getBytes(ISO_8859_1));
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
          connection.expect(text.substring(size / 2) + "\r\n", "STORED\r\n");
          connection.expect(
              "get big\r\n", "VALUE big " + flags + " " + size + "\r\n" + text + "\r\nEND\r\n");
        }
      }
    }
  }

  @Test
  void shouldCountInAtomicLongsWhereThePoolSaysSo() throws IOException {
    try (Connection connection = new Connection(countingPort)) {
      connection.expect("incr n 3\r\n", "3\r\n");
      connection.expect("incr n 4\r\ndecr n 2\r\n", "7\r\n5\r\n");
      connection.expect("ma m N0 J10 v\r\n", "VA 2\r\n10\r\n");
      connection.expect("ma m N0 J10 v\r\n", "VA 2\r\n11\r\n");
    }
  }

  @Test
  void shouldTellVersionAndStatisticsAndForgetAll() throws IOException {
    try (Connection connection = new Connection(countingPort)) {
      connection.expect("version\r\n", "VERSION 2.18.0\r\n");
      connection.expect("set f 0 0 1\r\na\r\nflush_all\r\nget f\r\n", "STORED\r\nOK\r\nEND\r\n");
      connection.expect("stats\r\n", "STAT reads ");
    }
  }
}
