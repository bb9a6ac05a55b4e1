package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.codecs.memcached.binary.Opcode;
import sluice.testkit.Bytes;
import sluice.testkit.Packet;
import sluice.testkit.Patience;
import sluice.testkit.scripted.ScriptedServer;

/** Clients of Apache Ignite's dialect before memcacheds that misbehave. */
class IgniteClientsTest {
  private static final int HEADER = 24;
  private static final int FAILURE = 4;
  private static final int OPAQUE = 0x0badcafe;
  private static final long TIMEOUT_MILLIS = 2_000;

  /** A request, and what the memcached has to say for it to be done. */
  private enum Asked {
    GET(packet(Opcode.GETK, "", "k", ""), "VALUE k 2048 3\r\nabc\r\nEND\r\n", 4 + 1 + 3),
    SET(packet(Opcode.SET, "\0\0\10\0\0\0\0\0", "k", "abc"), "STORED\r\n", 0),
    REMOVE(packet(Opcode.DELETE, "", "k", ""), "DELETED\r\n", 0);

    private final String request;
    private final String reply;
    private final int body;

    Asked(String request, String reply, int body) {
      this.request = request;
      this.reply = reply;
      this.body = body;
    }

    int opcode() {
      return request.charAt(1);
    }

    byte[] request() {
      return new Bytes().ascii(request).toArray();
    }

    /** What a node answers that could not do it: a get has types even then. */
    byte[] failure() {
      boolean get = this == GET;
      Bytes packet = new Bytes().int8(0x81).int8(opcode()).int16(0).int8(get ? 4 : 0).int8(0);
      packet.int16(FAILURE).int32(get ? 4 : 0).int32(OPAQUE).int64(0);
      return (get ? packet.int32(0) : packet).toArray();
    }
  }

  private static String packet(int opcode, String extras, String key, String value) {
    return Packet.text(opcode, extras, key, value, OPAQUE);
  }

  private static RunningGateway gateway(ScriptedServer server) {
    return RunningGateway.before(server.address()).clients("ignite").dialect("text").start();
  }

  private static void shouldBeDone(RawClient client, Asked asked) throws IOException {
    client.send(asked.request());
    Bytes header = new Bytes().bytes(client.read(HEADER));
    assertThat(header.uint8(1)).isEqualTo(asked.opcode());
    assertThat(header.uint16(6)).as("status").isZero();
    assertThat(header.int32At(8)).as("body").isEqualTo(asked.body);
    assertThat(header.int32At(12)).as("opaque").isEqualTo(OPAQUE);
    client.read(asked.body);
  }

  @ParameterizedTest
  @EnumSource
  void shouldFailARequestWhoseReplyEndsAnywhere(Asked asked) throws Exception {
    AtomicInteger length = new AtomicInteger();
    ScriptedServer.Script script =
        request -> {
          request.reply(asked.reply.substring(0, length.get()));
          if (length.get() < asked.reply.length()) {
            request.socket().close();
          }
        };
    try (ScriptedServer server = new ScriptedServer(script);
        RunningGateway gateway = gateway(server);
        RawClient client = new RawClient(gateway.address())) {
      for (int bytes = 0; bytes < asked.reply.length(); bytes++) {
        length.set(bytes);
        byte[] failure = asked.failure();
        client.send(asked.request());
        assertThat(client.read(failure.length)).as("%d bytes", bytes).isEqualTo(failure);
        length.set(asked.reply.length());
        shouldBeDone(client, asked);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldFailARequestThatGetsNoReplyToIt(Asked asked) throws Exception {
    AtomicInteger lies = new AtomicInteger(1);
    ScriptedServer.Script script =
        request -> request.reply(lies.getAndDecrement() > 0 ? "VALUE x 0 1\r\ny\r\n" : asked.reply);
    try (ScriptedServer server = new ScriptedServer(script);
        RunningGateway gateway = gateway(server);
        RawClient client = new RawClient(gateway.address())) {
      byte[] failure = asked.failure();
      client.send(asked.request());
      assertThat(client.read(failure.length)).isEqualTo(failure);
      assertThat(gateway.gateway().scrape())
          .containsPattern("sluice_server_protocol_errors_total\\{[^}]*} 1");
      shouldBeDone(client, asked);
    }
  }

  @Test
  void shouldFailInTimeAndInOrderWhatASilentServerWasAsked() throws Exception {
    ScriptedServer.Script script =
        request -> {
          if (request.line().startsWith("delete ")) {
            request.reply("DELETED\r\n");
          }
        };
    try (ScriptedServer server = new ScriptedServer(script);
        RunningGateway gateway =
            RunningGateway.before(server.address())
                .clients("ignite")
                .dialect("text")
                .timeout(TIMEOUT_MILLIS + "ms")
                .queueTimeout("20s")
                .start();
        RawClient client = new RawClient(gateway.address())) {
      long begin = System.nanoTime();
      Bytes expected = new Bytes();
      for (Asked asked : new Asked[] {Asked.GET, Asked.SET, Asked.GET}) {
        client.send(asked.request());
        expected.bytes(asked.failure());
      }
      byte[] answers = client.read(expected.length());
      assertThat(Arrays.equals(answers, expected.toArray())).isTrue();
      long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
      assertThat(took).isGreaterThanOrEqualTo(TIMEOUT_MILLIS);
      shouldBeDone(client, Asked.REMOVE);
      assertThat(Patience.soon(() -> gateway.inFlight() == 0)).isTrue();
    }
  }
}
