package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static sluice.gateway.torture.Scenario.get;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/**
 * Clients that do not wait. A request that arrived whole before its client closed is carried out. A
 * client that only half-closes gets every reply.
 */
class ImpatientClientsTest {
  private static final int RUNS = Integer.getInteger("sluice.impatient.runs", 400);
  private static final int MOST = 5000;
  private static final int MANY = 1500;

  /** Rules that read and write the bytes of requests in different ways. */
  private static final Set<KindOfRule> CUT_EVERYWHERE =
      EnumSet.of(KindOfRule.PLAIN, KindOfRule.EMBEDDED);

  /**
   * Before other rules, one place of so many is cut; which ones, differs from run to run. The long
   * run cuts everywhere.
   */
  private static final int FEW = 6;

  private static final int LARGE = 150_000;

  /** From where the value begins, or up to the request's end. */
  private static final int[] LARGE_CUTS = {1, 2, 16_385, 65_536, 65_537, 131_073, -3, -2, -1, 0};

  /** Gets that are sent before their replies are read; they fit into the sockets' buffers. */
  private static final int AT_ONCE = 500;

  /** So long nothing was heard of a server, and it is asked whether it is there. */
  private static final long SILENCE_MILLIS = 250;

  private static String key(int run, int i) {
    return "k" + run + "x" + i;
  }

  private static String value(int i, int length) {
    return Integer.toString(i).concat("v".repeat(length)).substring(0, length);
  }

  private static void storeAndClose(Scenario scenario, int run, int sets, int length)
      throws IOException {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < sets; i++) {
      all.append("set ").append(key(run, i)).append(" 0 0 ").append(length).append(" noreply\r\n");
      all.append(value(i, length)).append("\r\n");
    }
    try (RawClient client = new RawClient(scenario.gateway().address())) {
      client.send(all.toString());
    }
  }

  /** Reads what was stored until it is there: no reply says when it is. */
  private static void assertStored(Scenario scenario, int run, int sets, int length)
      throws IOException {
    RawClient reader = scenario.client();
    boolean[] stored = stored(reader, run, sets, length);
    for (int i = 0; i < sets; i++) {
      String key = key(run, i);
      String value = value(i, length);
      assertThat(stored[i] || Patience.soon(() -> get(reader, key).equals(value)))
          .as("set %d of %d in run %d is stored", i, sets, run)
          .isTrue();
    }
    reader.close();
  }

  /** Which values are there already, asked for all at once. */
  private static boolean[] stored(RawClient reader, int run, int sets, int length)
      throws IOException {
    boolean[] stored = new boolean[sets];
    for (int from = 0; from < sets; from += AT_ONCE) {
      int to = Math.min(sets, from + AT_ONCE);
      StringBuilder gets = new StringBuilder();
      for (int i = from; i < to; i++) {
        gets.append("get ").append(key(run, i)).append("\r\n");
      }
      reader.send(gets.toString());
      for (int i = from; i < to; i++) {
        String line = reader.line();
        if (line.startsWith("VALUE ")) {
          stored[i] = reader.line().equals(value(i, length));
          assertThat(reader.line()).isEqualTo("END");
        }
      }
    }
    return stored;
  }

  @ParameterizedTest
  @EnumSource
  void shouldStoreWhatAClientSentBeforeItClosed(KindOfRule rule) throws Exception {
    try (Scenario scenario = rule.start()) {
      int run = 0;
      for (int sets : new int[] {1, 40, 1500}) {
        storeAndClose(scenario, run, sets, 3); // the first finds no connection
        assertStored(scenario, run++, sets, 3);
        storeAndClose(scenario, run, sets, 3);
        assertStored(scenario, run++, sets, 3);
        if (sets == 40) {
          TimeUnit.MILLISECONDS.sleep(SILENCE_MILLIS);
        }
        storeAndClose(scenario, run, sets, 3);
        assertStored(scenario, run++, sets, 3);
      }
      for (int length : new int[] {3000, 200_000}) {
        storeAndClose(scenario, run, 20, length);
        assertStored(scenario, run++, 20, length);
      }
      assertNothingIsLeft(scenario);
    }
  }

  @Tag("long")
  @ParameterizedTest
  @EnumSource
  void shouldStoreWhatAThousandClientsSentBeforeTheyClosed(KindOfRule rule) throws Exception {
    try (Scenario scenario = rule.start()) {
      for (int run = 0; run < RUNS; run++) {
        int sets = run % 10 == 0 ? MOST : 1 + run * 37 % 300;
        storeAndClose(scenario, run, sets, 3);
        assertStored(scenario, run, sets, 3);
        answersAll(scenario, run, sets);
        if (run % 20 == 19) {
          TimeUnit.MILLISECONDS.sleep(SILENCE_MILLIS);
        }
      }
      assertNothingIsLeft(scenario);
    }
  }

  private static void answersAll(Scenario scenario, int run, int gets) throws IOException {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < gets; i++) {
      all.append("get ").append(key(run, i)).append("\r\n");
    }
    try (RawClient client = new RawClient(scenario.gateway().address())) {
      client.send(all.toString()).halfClose();
      for (int i = 0; i < gets; i++) {
        assertThat(client.line()).isEqualTo("VALUE " + key(run, i) + " 0 3");
        assertThat(client.line()).isEqualTo(value(i, 3));
        assertThat(client.line()).isEqualTo("END");
      }
      assertThat(client.readToEnd(Patience.LIMIT)).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldAnswerEveryRequestOfAHalfClosedClient(KindOfRule rule) throws Exception {
    try (Scenario scenario = rule.start()) {
      storeAndClose(scenario, 0, MANY, 3);
      assertStored(scenario, 0, MANY, 3);
      answersAll(scenario, 0, MANY);
      TimeUnit.MILLISECONDS.sleep(SILENCE_MILLIS);
      answersAll(scenario, 0, 1);
      assertNothingIsLeft(scenario);
    }
  }

  private static void assertNothingIsLeft(Scenario scenario) {
    Scenario.becomes(() -> scenario.gateway().inFlight() == 0);
    Scenario.becomes(() -> scenario.gateway().bufferedBytes() == 0);
    assertThat(scenario.metric("sluice_dropped_requests_total", "")).isZero();
    assertThat(scenario.gateway().gateway().scrape()).contains("sluice_overdue_requests_total 0.0");
  }

  /** How a client leaves. */
  private enum Leaving {
    CLOSE,
    HALF_CLOSE,
    RESET
  }

  /** A request about a key that holds 5: what the key holds when it was carried out. */
  private record Cut(String name, byte[] request, String whole) {}

  private static List<Cut> cuts(String key) {
    return List.of(
        new Cut("set", ascii("set " + key + " 0 0 2\r\nab\r\n"), "ab"),
        new Cut("silent set", ascii("set " + key + " 0 0 2 noreply\r\nab\r\n"), "ab"),
        new Cut("append", ascii("append " + key + " 0 0 1\r\n6\r\n"), "56"),
        new Cut("delete", ascii("delete " + key + "\r\n"), "END"),
        new Cut("silent delete", ascii("delete " + key + " noreply\r\n"), "END"),
        new Cut("incr", ascii("incr " + key + " 2\r\n"), "7"),
        new Cut("touch", ascii("touch " + key + " -1\r\n"), "END"),
        new Cut("multi-get", ascii("get " + key + " ka kb kc\r\n"), "5"),
        new Cut("ms", ascii("ms " + key + " 2 T0\r\nab\r\n"), "ab"),
        new Cut("quiet ms", ascii("ms " + key + " 2 q\r\nab\r\n"), "ab"),
        new Cut("md", ascii("md " + key + " q\r\n"), "END"),
        new Cut("ma", ascii("ma " + key + " D2\r\n"), "7"),
        new Cut("binary Set", binary(0x01, 8, key, "ab"), "ab"),
        new Cut("binary SetQ", binary(0x11, 8, key, "ab"), "ab"),
        new Cut("binary DeleteQ", binary(0x14, 0, key, ""), "END"),
        new Cut("binary Delete", binary(0x04, 0, key, ""), "END"));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(ISO_8859_1);
  }

  private static byte[] binary(int opcode, int extras, String key, String value) {
    int body = extras + key.length() + value.length();
    ByteBuffer packet = ByteBuffer.allocate(24 + body);
    packet.put((byte) 0x80).put((byte) opcode).putShort((short) key.length());
    packet.put((byte) extras).put((byte) 0).putShort((short) 0).putInt(body).putInt(7).putLong(0);
    packet.put(new byte[extras]).put(ascii(key)).put(ascii(value));
    return packet.array();
  }

  /** A request that goes before, so that the one that is cut is not the first of its client. */
  private static byte[] withOneBefore(byte[] request) {
    ByteArrayOutputStream both = new ByteArrayOutputStream();
    boolean binary = request[0] == (byte) 0x80;
    both.writeBytes(binary ? binary(0x0a, 0, "", "") : ascii("get kz\r\n"));
    both.writeBytes(request);
    return both.toByteArray();
  }

  /** After how many bytes a request is cut: always near its end, and at its end. */
  private static int[] places(int every, int length) {
    int some = ThreadLocalRandom.current().nextInt(every);
    return IntStream.rangeClosed(0, length)
        .filter(place -> place % every == some || place > length - 3)
        .toArray();
  }

  /** Cut at any byte, a request is carried out if it is whole, and only then. */
  @ParameterizedTest
  @EnumSource
  void shouldCarryOutARequestIfItCameWhole(KindOfRule rule) throws Exception {
    carryOutIfWhole(rule, CUT_EVERYWHERE.contains(rule) ? 1 : FEW);
  }

  @Tag("long")
  @ParameterizedTest
  @EnumSource
  void shouldCarryOutARequestIfItCameWholeWhereverItIsCut(KindOfRule rule) throws Exception {
    carryOutIfWhole(rule, 1);
  }

  private static void carryOutIfWhole(KindOfRule rule, int every) throws Exception {
    try (Scenario scenario = rule.start()) {
      RawClient other = scenario.client();
      int number = 0;
      for (Leaving leaving : Leaving.values()) {
        for (int kind = 0; kind < cuts("k").size(); kind++) {
          int length = cuts("k000000").get(kind).request().length;
          int[] places = places(every, length);
          int first = number;
          for (int sent : places) {
            String key = "k%06d".formatted(number++);
            assertThat(Scenario.set(other, key, "5")).isEqualTo("STORED");
            leave(scenario, cuts(key).get(kind).request(), sent, leaving);
          }
          // The last first: when that is done, so are those of the clients before, or soon.
          for (int i = places.length - 1; i >= 0; i--) {
            String key = "k%06d".formatted(first + i);
            assertBecame(other, rule, leaving, cuts(key).get(kind), key, places[i]);
          }
        }
      }
      assertNothingIsLeft(scenario);
    }
  }

  /** As the other, of a value that is too large to be gathered, cut where something may begin. */
  @ParameterizedTest
  @EnumSource
  void shouldCarryOutALargeWriteIfItCameWhole(KindOfRule rule) throws Exception {
    try (Scenario scenario = rule.start()) {
      RawClient other = scenario.client();
      String value = value(7, LARGE);
      int number = 0;
      for (Leaving leaving : Leaving.values()) {
        for (String command : List.of("set %s 0 0 %d", "set %s 0 0 %d noreply", "ms %s %d")) {
          boolean everywhere = leaving == Leaving.CLOSE || command.equals("ms %s %d");
          for (int cut : everywhere ? LARGE_CUTS : new int[] {-1, 0}) {
            String key = "k%06d".formatted(number++);
            assertThat(Scenario.set(other, key, "5")).isEqualTo("STORED");
            String head = command.formatted(key, LARGE) + "\r\n";
            Cut large = new Cut(command, ascii(head + value + "\r\n"), value);
            int sent = cut > 0 ? head.length() + cut - 1 : large.request().length + cut;
            leave(scenario, large.request(), sent, leaving);
            assertBecame(other, rule, leaving, large, key, sent);
          }
        }
      }
      assertNothingIsLeft(scenario);
    }
  }

  private static void leave(Scenario scenario, byte[] request, int sent, Leaving leaving)
      throws IOException {
    byte[] all = withOneBefore(request);
    int before = all.length - request.length;
    RawClient client = new RawClient(scenario.gateway().address());
    if (request.length > LARGE) {
      // Else the client's kernel resets the connection, and drops what it has not sent yet.
      client.send(Arrays.copyOf(all, before));
      assertThat(client.line()).isEqualTo("END");
      client.send(Arrays.copyOfRange(all, before, before + sent));
    } else {
      client.send(Arrays.copyOf(all, before + sent));
    }
    switch (leaving) {
      case CLOSE -> client.close();
      case HALF_CLOSE -> {
        byte[] replies = client.halfClose().readToEnd(Patience.LIMIT);
        assertThat(replies.length > 0 || request.length > LARGE).isTrue();
        client.close();
      }
      case RESET -> client.reset();
    }
  }

  private static void assertBecame(
      RawClient other, KindOfRule rule, Leaving leaving, Cut cut, String key, int sent)
      throws IOException {
    String where = "%s: %s after %d bytes of %s".formatted(rule, leaving, sent, cut.name());
    boolean whole = sent == cut.request().length;
    if (leaving == Leaving.RESET) {
      // A reset may overtake what was sent before it; half of a request is never one.
      assertThat(get(other, key)).as(where).isIn(whole ? List.of("5", cut.whole()) : List.of("5"));
      return;
    }
    String expected = whole ? cut.whole() : "5";
    assertThat(Patience.soon(() -> get(other, key).equals(expected))).as(where).isTrue();
  }

  /** A request that was read is carried out, though its client has reset the connection. */
  @Test
  void shouldCarryOutWhatWasReadBeforeAReset() throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    ScriptedServer.Script script =
        request -> {
          released.await();
          ScriptedServer.behave(request);
        };
    try (ScriptedServer server = new ScriptedServer(script);
        RunningGateway gateway =
            RunningGateway.before(server.address()).limits("inFlight: 4").timeout("20s").start()) {
      StringBuilder all = new StringBuilder();
      for (int i = 0; i < 100; i++) {
        all.append("set ").append(key(0, i)).append(" 0 0 1 noreply\r\nv\r\n");
      }
      RawClient client = new RawClient(gateway.address());
      client.send(all.toString());
      assertThat(Patience.soon(() -> gateway.inFlight() == 4)).isTrue();
      assertThat(Patience.soon(() -> gateway.bufferedBytes() > 1000)).isTrue();
      client.reset();
      released.countDown();
      assertThat(Patience.soon(() -> server.requests().size() == 100)).isTrue();
      assertThat(Patience.soon(() -> gateway.bufferedBytes() == 0)).isTrue();
      assertThat(Patience.soon(() -> gateway.inFlight() == 0)).isTrue();
    }
  }
}
