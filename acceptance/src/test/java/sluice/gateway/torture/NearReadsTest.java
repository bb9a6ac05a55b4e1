package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.Bytes;
import sluice.testkit.Packet;
import sluice.testkit.scripted.ScriptedServer;

/**
 * A near cache whose replies live for an hour: what is answered from it shows by a change that was
 * made behind the gateway's back.
 */
class NearReadsTest extends ClosingTest {
  private static final String NEAR = "nearCache: {size: 4MiB, ttl: 1h}";

  private RunningGateway start(int loops, String rules, String more, InetSocketAddress... pools) {
    return closing(RunningGateway.routed(loops, rules, RunningGateway.pools(more, pools)));
  }

  private static String value(RawClient client, String key) throws IOException {
    return read(client, "get " + key + "\r\n");
  }

  /** The value that a text read of one key gets, or its only line. */
  private static String read(RawClient client, String request) throws IOException {
    String line = client.ask(request);
    if (!line.startsWith("VALUE ")) {
      return line;
    }
    String value = client.line();
    assertThat(client.line()).isEqualTo("END");
    return value;
  }

  private static String store(RawClient client, String key, String value) throws IOException {
    return client.ask("set " + key + " 7 0 " + value.length() + "\r\n" + value + "\r\n");
  }

  /** Two pools may have a server in common: what one writes is what the other's cache has read. */
  @ParameterizedTest
  @ValueSource(strings = {"", ", dialect: binary"})
  void shouldForgetWhatIsWrittenThroughAnotherPoolOfTheServer(String more) throws Exception {
    RealMemcached server = closing(RealMemcached.start());
    RealMemcached other = closing(RealMemcached.start());
    String rules =
        "{match: {prefix: 'b:'}, key: {strip: 'b:'}, pool: b}, "
            + "{match: {prefix: 'c:'}, key: {strip: 'c:'}, pool: c}, {pool: a, "
            + NEAR
            + "}";
    RunningGateway gateway =
        start(2, rules, more, server.address(), server.address(), other.address());
    RawClient client = client(gateway.address());
    RawClient writer = client(gateway.address());
    assertThat(store(client, "k", "old")).isEqualTo("STORED");
    assertThat(value(client, "k")).isEqualTo("old");
    assertThat(store(writer, "b:k", "new")).isEqualTo("STORED");
    assertThat(value(client, "k")).isEqualTo("new");
    assertThat(writer.ask("delete b:k\r\n")).isEqualTo("DELETED");
    assertThat(value(client, "k")).isEqualTo("END");

    assertThat(store(client, "k", "kept")).isEqualTo("STORED");
    assertThat(value(client, "k")).isEqualTo("kept");
    assertThat(store(client(server.address()), "k", "hidden")).isEqualTo("STORED");
    assertThat(store(writer, "c:k", "elsewhere")).isEqualTo("STORED");
    assertThat(value(client, "k")).isEqualTo("kept"); // nothing of this server has been written
  }

  // --- what it answers ----------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"mg k v\r\n", "mg k v s\r\n", "mg k v c\r\n"})
  void shouldKnowTheFlagsOfWhatWasReadWithoutThem(String read) throws Exception {
    RealMemcached server = closing(RealMemcached.start());
    RunningGateway gateway = start(1, "{pool: a, " + NEAR + "}", "", server.address());
    RawClient client = client(gateway.address());
    assertThat(store(client, "k", "abc")).isEqualTo("STORED");
    assertThat(client.ask(read)).startsWith("VA 3");
    assertThat(client.line()).isEqualTo("abc");
    assertThat(store(client(server.address()), "k", "new")).isEqualTo("STORED");

    assertThat(client.ask("get k\r\n")).isEqualTo("VALUE k 7 3");
    assertThat(client.line()).isEqualTo("abc");
    assertThat(client.line()).isEqualTo("END");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", ", dialect: meta", ", dialect: binary", ", compression: {above: 64B}"})
  void shouldAnswerEveryFormOfReadAsTheServerDid(String more) throws Exception {
    RealMemcached server = closing(RealMemcached.start());
    RunningGateway gateway = start(1, "{pool: a, " + NEAR + "}", more, server.address());
    RawClient client = client(gateway.address());
    RawClient direct = client(server.address());
    String old = "x".repeat(100);
    assertThat(store(client, "k", old)).isEqualTo("STORED");
    assertThat(value(client, "k")).isEqualTo(old);
    assertThat(client.ask("mg k v\r\n")).isEqualTo("VA 100"); // shows that the item is not stale
    assertThat(client.line()).isEqualTo(old);
    String cas = direct.ask("mg k c\r\n").substring("HD c".length());
    assertThat(store(direct, "k", "behind its back")).isEqualTo("STORED");

    assertThat(value(client, "k")).isEqualTo(old);
    assertThat(client.ask("gets k\r\n")).isEqualTo("VALUE k 7 100 " + cas);
    assertThat(client.line()).isEqualTo(old);
    assertThat(client.line()).isEqualTo("END");
    assertThat(client.ask("mg k v f c s k O123 q\r\n"))
        .isEqualTo("VA 100 f7 c" + cas + " s100 kk O123");
    assertThat(client.line()).isEqualTo(old);
    assertThat(client.ask("mg aw== b k f v Pp Ll\r\n")).isEqualTo("VA 100 kaw== b f7");
    assertThat(client.line()).isEqualTo(old);
    assertThat(client.ask("mg k s\r\n")).isEqualTo("HD s100");
    assertThat(client.ask("mg k\r\n")).isEqualTo("HD");

    RawClient binary = client(gateway.address());
    Bytes run = new Bytes();
    Packet.add(run, 0x00, "", "k", "", 1); // Get
    Packet.add(run, 0x0d, "", "k", "", 2); // GetKQ
    Packet.add(run, 0x09, "", "missing", "", 3); // GetQ
    Packet.add(run, 0x0a, "", "", "", 4); // Noop
    binary.send(run.toArray());
    byte[] get = binary.read(24);
    assertThat(get).startsWith(0x81, 0x00, 0, 0, 4, 0, 0, 0, 0, 0, 0, 104, 0, 0, 0, 1);
    assertThat(Long.toUnsignedString(java.nio.ByteBuffer.wrap(get).getLong(16))).isEqualTo(cas);
    assertThat(new String(binary.read(104), ISO_8859_1)).isEqualTo("\0\0\0\7" + old);
    assertThat(binary.read(24)).startsWith(0x81, 0x0d, 0, 1, 4, 0, 0, 0, 0, 0, 0, 105, 0, 0, 0, 2);
    assertThat(new String(binary.read(105), ISO_8859_1)).isEqualTo("\0\0\0\7k" + old);
    assertThat(binary.read(24)).startsWith(0x81, 0x0a);

    // A read of many keys takes what is known, and asks for the rest.
    assertThat(store(direct, "other", "o")).isEqualTo("STORED");
    client.send("get missing k other k\r\n");
    assertThat(client.line()).isEqualTo("VALUE k 7 100");
    assertThat(client.line()).isEqualTo(old);
    assertThat(client.line()).isEqualTo("VALUE other 7 1");
    assertThat(client.line()).isEqualTo("o");
    assertThat(client.line()).isEqualTo("VALUE k 7 100");
    assertThat(client.line()).isEqualTo(old);
    assertThat(client.line()).isEqualTo("END");
    assertThat(direct.ask("delete other\r\n")).isEqualTo("DELETED");
    assertThat(value(client, "other")).isEqualTo("o");

    // A cas unique that is not the server's any more fails there, and then the item is read anew.
    assertThat(client.ask("cas k 0 0 1 " + cas + "\r\ny\r\n")).isEqualTo("EXISTS");
    assertThat(value(client, "k")).isEqualTo("behind its back");
    assertThat(gateway.gateway().scrape())
        .containsPattern("sluice_near_cache_requests_total\\{pool=\"a\",result=\"hit\"} [1-9]")
        .containsPattern("sluice_near_cache_requests_total\\{pool=\"a\",result=\"miss\"} [1-9]");
    assertThat(gateway.admin("/explain?listener=cache&command=get&key=k"))
        .contains("a near cache of 4194304 bytes may answer reads");
  }

  @Test
  void shouldPassWhatAsksForMoreThanIsStored() throws Exception {
    RealMemcached server = closing(RealMemcached.start());
    RawClient client = client(start(1, "{pool: a, " + NEAR + "}", "", server.address()).address());
    RawClient direct = client(server.address());
    for (String request : List.of("mg k v t", "mg k v h", "mg k v l", "mg k v N30", "mg k v R1")) {
      assertThat(store(client, "k", "old")).isEqualTo("STORED");
      assertThat(value(client, "k")).isEqualTo("old");
      assertThat(store(direct, "k", "new")).isEqualTo("STORED");
      assertThat(client.ask(request + "\r\n")).as(request).startsWith("VA 3");
      assertThat(client.line()).as(request).isEqualTo("new");
    }
    // What is stale is told with its states, by the server alone.
    assertThat(store(client, "k", "old")).isEqualTo("STORED");
    assertThat(value(client, "k")).isEqualTo("old");
    assertThat(client.ask("md k I T30\r\n")).isEqualTo("HD");
    assertThat(client.ask("mg k v\r\n")).startsWith("VA 3").contains("W", "X");
    assertThat(client.line()).isEqualTo("old");
    assertThat(client.ask("mg k v\r\n")).startsWith("VA 3").contains("X", "Z").doesNotContain("W");
    assertThat(client.line()).isEqualTo("old");
  }

  @Test
  void shouldForgetWhatMayHaveChanged() throws Exception {
    RealMemcached server = closing(RealMemcached.start());
    RawClient direct = client(server.address());
    // Items are read by one rule, and changed by the same or by another.
    String rules =
        "{match: {commands: [get, gets, mg], prefix: k}, pool: a, %s}, {pool: a}".formatted(NEAR);
    for (String each : List.of("{pool: a, " + NEAR + "}", rules)) {
      RawClient client = client(start(1, each, "", server.address()).address());
      for (String change :
          List.of(
              "set k 0 0 1\r\nx",
              "set k 0 0 1 noreply\r\nx",
              "replace k 0 0 1\r\nx",
              "append k 0 0 1\r\nx",
              "prepend k 0 0 1\r\nx",
              "delete k",
              "delete k noreply",
              "incr k 5",
              "decr k 5",
              "touch k 1000",
              "gat 1000 k",
              "gats 1000 k",
              "gat 1000 other k",
              "ms k 1\r\nx",
              "ms aw== 1 b q\r\nx",
              "md k",
              "md k I",
              "ma k",
              "mg k T1000",
              "flush_all",
              "flush_all noreply",
              "cas k 0 0 1 1\r\nx")) {
        assertThat(store(client, "k", "10")).isEqualTo("STORED");
        assertThat(value(client, "k")).isEqualTo("10");
        client.send(change + "\r\nmn\r\n");
        String answer = client.line();
        while (!answer.equals("MN")) {
          answer = client.line();
        }
        assertThat(store(direct, "k", "behind its back")).isEqualTo("STORED");
        assertThat(value(client, "k")).as(change).isEqualTo("behind its back");
      }
    }
  }

  @Test
  void shouldForgetWhatBinaryClientsChange() throws Exception {
    RealMemcached server = closing(RealMemcached.start());
    RunningGateway gateway =
        start(
            1,
            "{match: {dialects: [text]}, pool: a, " + NEAR + "}, {pool: a}",
            "",
            server.address());
    RawClient client = client(gateway.address());
    RawClient binary = client(gateway.address());
    RawClient direct = client(server.address());
    String counts = "\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0";
    for (int opcode : new int[] {0x01, 0x11, 0x04, 0x14, 0x05, 0x15, 0x0e, 0x1c, 0x1d, 0x08}) {
      assertThat(store(client, "k", "10")).isEqualTo("STORED");
      assertThat(value(client, "k")).isEqualTo("10");
      Bytes run = new Bytes();
      switch (opcode) {
        case 0x01, 0x11 -> Packet.add(run, opcode, "\0\0\0\0\0\0\0\0", "k", "v", 1);
        case 0x05, 0x15 -> Packet.add(run, opcode, counts, "k", "", 1);
        case 0x0e -> Packet.add(run, opcode, "", "k", "v", 1);
        case 0x1c, 0x1d -> Packet.add(run, opcode, "\0\0\1\0", "k", "", 1);
        case 0x08 -> Packet.add(run, opcode, "", "", "", 1);
        default -> Packet.add(run, opcode, "", "k", "", 1);
      }
      Packet.add(run, 0x0a, "", "", "", 2);
      binary.send(run.toArray());
      byte[] head = binary.read(24);
      while (head[1] != 0x0a) {
        binary.read(head[11]);
        head = binary.read(24);
      }
      assertThat(store(direct, "k", "new")).isEqualTo("STORED");
      assertThat(value(client, "k")).as("opcode %x", opcode).isEqualTo("new");
    }
  }

  @Test
  void shouldKnowKeysByTheirServersNames() throws Exception {
    RealMemcached server = closing(RealMemcached.start());
    String rules =
        "{match: {prefix: \"a:\"}, pool: a, key: {strip: \"a:\", add: \"x:\"}, %s},"
            + " {match: {prefix: \"b:\"}, pool: a, key: {strip: \"b:\", add: \"x:\"}}, {pool: a}";
    RawClient client = client(start(1, rules.formatted(NEAR), "", server.address()).address());
    assertThat(store(client, "a:k", "1")).isEqualTo("STORED");
    assertThat(value(client, "a:k")).isEqualTo("1");
    assertThat(store(client, "b:k", "2")).isEqualTo("STORED");
    assertThat(value(client, "a:k")).isEqualTo("2");
    assertThat(store(client, "x:k", "3")).isEqualTo("STORED");
    client.send("get a:k b:k x:k\r\n");
    for (String name : List.of("a:k", "b:k", "x:k")) {
      assertThat(client.line()).isEqualTo("VALUE " + name + " 7 1");
      assertThat(client.line()).isEqualTo("3");
    }
    assertThat(client.line()).isEqualTo("END");
  }

  @Test
  void shouldKeepOnlyWhatTheAnsweringPoolSays() throws Exception {
    RealMemcached server = closing(RealMemcached.start());
    RealMemcached shadow = closing(RealMemcached.start());
    String rule = "{pool: a, shadow: {pool: b, percent: 100%}, failover: [c], " + NEAR + "}";
    RawClient client =
        client(start(1, rule, "", server.address(), shadow.address(), shadow.address()).address());
    RawClient direct = client(server.address());
    RawClient copies = client(shadow.address());
    for (int i = 0; i < 20; i++) {
      String key = "k" + i;
      assertThat(store(client, key, "x")).isEqualTo("STORED");
      assertThat(store(copies, key, "of the shadow")).isEqualTo("STORED");
      assertThat(value(client, key)).isEqualTo("x");
      assertThat(store(direct, key, "behind its back")).isEqualTo("STORED");
      assertThat(value(client, key)).isEqualTo("x");
      assertThat(client.ask("delete " + key + "\r\n")).isEqualTo("DELETED");
      assertThat(value(client, key)).isEqualTo("END");
    }
  }

  @Test
  void shouldStayWithinItsSize() throws Exception {
    RealMemcached server = closing(RealMemcached.start("-m", "64"));
    RunningGateway gateway =
        start(1, "{pool: a, nearCache: {size: 1MiB, ttl: 1h}}", "", server.address());
    RawClient client = client(gateway.address());
    String filler = "v".repeat(9_000);
    for (int i = 0; i < 1_000; i++) {
      assertThat(store(client, "k" + i, i + filler)).isEqualTo("STORED");
    }
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 1_000; i++) {
        assertThat(value(client, "k" + i)).isEqualTo(i + filler);
      }
    }
    String large = "l".repeat(400_000); // is not kept
    assertThat(store(client, "large", large)).isEqualTo("STORED");
    assertThat(value(client, "large")).isEqualTo(large);
    assertThat(store(client(server.address()), "large", "new")).isEqualTo("STORED");
    assertThat(value(client, "large")).isEqualTo("new");
    assertThat(gateway.gateway().scrape())
        .containsPattern("sluice_near_cache_evictions_total\\{pool=\"a\"} [1-9]");
  }

  // --- one request for many -------------------------------------------------------------------

  @ParameterizedTest
  @ValueSource(strings = {"VALUE k 0 3 5\r\nabc\r\nEND\r\n", "END\r\n"})
  void shouldSendOneRequestForManyThatAskTheSame(String reply) throws Exception {
    BlockingQueue<ScriptedServer.Request> asked = new LinkedBlockingQueue<>();
    ScriptedServer server = closing(new ScriptedServer(asked::add));
    RunningGateway gateway =
        start(2, "{pool: a, " + NEAR + "}", ", timeout: 30s", server.address());
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      clients.add(client(gateway.address()));
    }
    // The reply to a get would not show that the item is stale, so an mg could not share it.
    clients.get(2).send("mg k v\r\n");
    ScriptedServer.Request first = asked.poll(20, TimeUnit.SECONDS);
    for (int i = 0; i < 12; i++) {
      if (i != 2) {
        clients.get(i).send(i % 3 == 2 ? "mg k v\r\n" : "get k\r\n");
      }
    }
    assertThat(asked.poll(300, TimeUnit.MILLISECONDS)).isNull();
    boolean found = !reply.equals("END\r\n");
    answer(first, reply);
    AtomicInteger more = new AtomicInteger();
    Thread late =
        new Thread(
            () -> {
              try {
                while (true) { // on a machine so slow that some came when it was over
                  answer(asked.take(), reply);
                  more.incrementAndGet();
                }
              } catch (InterruptedException | IOException e) {
                // over
              }
            });
    late.start();
    for (int i = 0; i < 12; i++) {
      if (i % 3 == 2) {
        assertThat(clients.get(i).line()).isEqualTo(found ? "VA 3" : "EN");
      } else {
        assertThat(clients.get(i).line()).isEqualTo(found ? "VALUE k 0 3" : "END");
      }
      if (found) {
        assertThat(clients.get(i).line()).isEqualTo("abc");
        if (i % 3 != 2) {
          assertThat(clients.get(i).line()).isEqualTo("END");
        }
      }
    }
    late.interrupt();
    assertThat(more.get()).isLessThan(found ? 1 : 11);
  }

  @Test
  void shouldSendOneRequestForAKeyThatAllEventLoopsAskForAtOnce() throws Exception {
    ScriptedServer server = closing(new ScriptedServer(request -> answer(request, "VALUE")));
    RunningGateway gateway =
        start(3, "{pool: a, " + NEAR + "}", ", timeout: 30s", server.address());
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      clients.add(client(gateway.address()));
    }
    for (int key = 0; key < 300; key++) {
      for (RawClient client : clients) {
        client.send("mg k" + key + " v\r\n");
      }
      for (RawClient client : clients) {
        assertThat(client.line() + client.line()).isEqualTo("VA 3abc");
      }
    }
    assertThat(server.requests().stream().map(ScriptedServer.Request::key)).doesNotHaveDuplicates();
  }

  /** Answers a text read as it is, a meta read with the same, and its opaque. */
  private static void answer(ScriptedServer.Request request, String reply) throws IOException {
    String line = request.line();
    if (line.startsWith("get")) {
      request.reply(reply);
    } else {
      String opaque = line.substring(line.lastIndexOf(" O"));
      request.reply(
          reply.equals("END\r\n") ? "EN" + opaque + "\r\n" : "VA 3 f0 c5" + opaque + "\r\nabc\r\n");
    }
  }

  @Test
  void shouldGiveThoseWhoWaitWhatAClientThatIsGoneHasAskedFor() throws Exception {
    BlockingQueue<ScriptedServer.Request> asked = new LinkedBlockingQueue<>();
    ScriptedServer server = closing(new ScriptedServer(asked::add));
    RunningGateway gateway =
        start(1, "{pool: a, " + NEAR + "}", ", timeout: 30s", server.address());
    RawClient gone = client(gateway.address());
    RawClient stays = client(gateway.address());
    gone.send("get k\r\n");
    ScriptedServer.Request first = asked.poll(20, TimeUnit.SECONDS);
    stays.send("get k\r\n");
    gone.close();
    first.reply("VALUE k 0 3 5\r\nabc\r\nEND\r\n");
    assertThat(stays.line()).isEqualTo("VALUE k 0 3");
    assertThat(stays.line() + stays.line()).isEqualTo("abcEND");
    assertThat(asked).isEmpty();
  }

  @Test
  void shouldAnswerWhoWaitedForAServerThatDoesNotAnswer() throws Exception {
    BlockingQueue<ScriptedServer.Request> asked = new LinkedBlockingQueue<>();
    ScriptedServer server = closing(new ScriptedServer(asked::add));
    RunningGateway gateway =
        start(
            1, "{pool: a, " + NEAR + "}", ", timeout: 500ms, queueTimeout: 20s", server.address());
    RawClient first = client(gateway.address());
    RawClient waits = client(gateway.address());
    first.send("get k\r\n");
    assertThat(asked.poll(20, TimeUnit.SECONDS)).isNotNull();
    waits.send("get k\r\n");
    assertThat(first.line()).startsWith("SERVER_ERROR ");
    assertThat(waits.line()).startsWith("SERVER_ERROR ");
  }

  @Test
  void shouldKeepNothingOfAReplyThatBreaksTheProtocol() throws Exception {
    AtomicReference<String> reply = new AtomicReference<>("VALUE other 0 3 1\r\nbad\r\nEND\r\n");
    ScriptedServer server = closing(new ScriptedServer(request -> request.reply(reply.get())));
    RunningGateway gateway = start(1, "{pool: a, " + NEAR + "}", "", server.address());
    RawClient client = client(gateway.address());
    for (String wrong :
        List.of(
            "VALUE other 0 3 1\r\nbad\r\nEND\r\n",
            "VALUE k 0 3\r\nbadXX",
            "VALUE k 0 x 1\r\nbad\r\nEND\r\n",
            "VALUE k 0 3 1\r\nbad\r\nNEITHER\r\n", // all of a value, and yet no reply
            "SERVER_ERROR out of memory\r\n")) {
      reply.set(wrong);
      assertThat(client.ask("get k\r\n")).startsWith("SERVER_ERROR ");
    }
    reply.set("VALUE k 0 4 1\r\ngood\r\nEND\r\n");
    assertThat(value(client, "k")).isEqualTo("good");
    reply.set("VALUE k 0 3 1\r\nbad\r\nEND\r\n");
    assertThat(value(client, "k")).isEqualTo("good");
  }

  // --- races ------------------------------------------------------------------------------------

  @Test
  void shouldNotKeepWhatIsOlderThanAChangeThatIsAnswered() throws Exception {
    BlockingQueue<ScriptedServer.Request> asked = new LinkedBlockingQueue<>();
    ScriptedServer server = closing(new ScriptedServer(asked::add));
    RunningGateway gateway =
        start(
            1,
            "{pool: a, " + NEAR + "}",
            ", timeout: 30s, connections: {perEventLoop: 2}",
            server.address());
    RawClient reader = client(gateway.address());
    RawClient writer = client(gateway.address());
    reader.send("get k\r\n");
    ScriptedServer.Request read = asked.poll(20, TimeUnit.SECONDS);
    writer.send("set k 0 0 3\r\nnew\r\n");
    ScriptedServer.Request write = asked.poll(20, TimeUnit.SECONDS);
    assertThat(write.connection()).isNotEqualTo(read.connection());
    // While the change is under way nobody waits for the read that went before it.
    writer.send("get k\r\n");
    ScriptedServer.Request own = asked.poll(20, TimeUnit.SECONDS);
    assertThat(own.connection()).isEqualTo(write.connection());
    write.reply("STORED\r\n");
    assertThat(writer.line()).isEqualTo("STORED");
    read.reply("VALUE k 0 3 1\r\nold\r\nEND\r\n");
    assertThat(reader.line()).isEqualTo("VALUE k 0 3");
    assertThat(reader.line() + reader.line()).isEqualTo("oldEND");
    own.reply("VALUE k 0 3" + (own.line().startsWith("gets") ? " 2" : "") + "\r\nnew\r\nEND\r\n");
    assertThat(writer.line()).isEqualTo("VALUE k 0 3");
    assertThat(writer.line() + writer.line()).isEqualTo("newEND");
    reader.send("get k\r\n");
    ScriptedServer.Request again = asked.poll(20, TimeUnit.SECONDS);
    again.reply("VALUE k 0 3 2\r\nnew\r\nEND\r\n");
    assertThat(reader.line()).isEqualTo("VALUE k 0 3");
    assertThat(reader.line() + reader.line()).isEqualTo("newEND");
    assertThat(value(writer, "k")).isEqualTo("new");
  }

  @Test
  void shouldShowEveryClientWhatAnyWasTold() throws Exception {
    RealMemcached server = closing(RealMemcached.start());
    RunningGateway gateway =
        start(
            2,
            "{match: {commands: [get, gets, mg]}, pool: a, " + NEAR + "}, {pool: a}",
            ", timeout: 10s, connections: {perEventLoop: 2}",
            server.address());
    int keys = 3;
    AtomicInteger[] told = new AtomicInteger[keys];
    for (int key = 0; key < keys; key++) {
      told[key] = new AtomicInteger();
      store(client(gateway.address()), "k" + key, "0");
    }
    AtomicReference<Throwable> wrong = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    AtomicInteger writing = new AtomicInteger(keys);
    for (int key = 0; key < keys; key++) {
      int of = key;
      threads.add(
          new Thread(
              () -> {
                try (RawClient client = new RawClient(gateway.address())) {
                  for (int i = 1; i <= 1_500; i++) {
                    // What is told is the number in the key from here on, or a higher one.
                    assertThat(store(client, "k" + of, Integer.toString(i))).isEqualTo("STORED");
                    told[of].set(i);
                  }
                } catch (Throwable e) {
                  wrong.compareAndSet(null, e);
                } finally {
                  writing.decrementAndGet();
                }
              }));
    }
    AtomicInteger reads = new AtomicInteger();
    for (int reader = 0; reader < 6; reader++) {
      int number = reader;
      threads.add(
          new Thread(
              () -> {
                try (RawClient client = new RawClient(gateway.address())) {
                  int[] seen = new int[keys];
                  for (int i = number; writing.get() > 0; i++) {
                    int key = i % keys;
                    int least = Math.max(told[key].get(), seen[key]);
                    String value;
                    if (number % 2 == 0) {
                      value = value(client, "k" + key);
                    } else {
                      assertThat(client.ask("mg k" + key + " v\r\n")).startsWith("VA ");
                      value = client.line();
                    }
                    assertThat(Integer.parseInt(value)).isGreaterThanOrEqualTo(least);
                    seen[key] = Integer.parseInt(value);
                    reads.incrementAndGet();
                  }
                } catch (Throwable e) {
                  wrong.compareAndSet(null, e);
                }
              }));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join(Duration.ofMinutes(5).toMillis());
      assertThat(thread.isAlive()).isFalse();
    }
    assertThat(wrong.get()).isNull();
    assertThat(reads.get()).isGreaterThan(100);
    assertThat(gateway.gateway().scrape())
        .containsPattern("sluice_near_cache_requests_total\\{pool=\"a\",result=\"hit\"} [1-9]");
  }
}
