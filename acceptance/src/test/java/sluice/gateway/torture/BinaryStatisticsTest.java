package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.testkit.Acceptor;
import sluice.testkit.Bytes;
import sluice.testkit.Opcode;

/** Statistics of a binary server whose packets contain bytes of clients, or have no end. */
class BinaryStatisticsTest {
  private static final int STAT = 0x10;
  private static final String RULE = "{pool: p}";

  private final Scenario scenario = new Scenario();
  private final Map<String, Integer> connections = new ConcurrentHashMap<>(); // by key or name
  private Acceptor server;
  private volatile String dump = "";

  @BeforeEach
  void start() throws IOException {
    server = Acceptor.onLoopback(0, "binary", this::serve);
  }

  @AfterEach
  void end() throws IOException {
    scenario.close();
    server.close();
  }

  private void serve(int number, Socket socket) {
    try (socket;
        DataInputStream in = new DataInputStream(socket.getInputStream())) {
      while (in.readUnsignedByte() == 0x80) {
        int opcode = in.readUnsignedByte();
        int keyLength = in.readUnsignedShort();
        in.readNBytes(4);
        int body = in.readInt();
        int opaque = in.readInt();
        in.readNBytes(Long.BYTES);
        String key = new String(in.readNBytes(keyLength), ISO_8859_1);
        in.readNBytes(body - keyLength);
        if (!key.isEmpty()) {
          connections.put(key, number);
        }
        Bytes reply = new Bytes();
        switch (opcode) {
          case STAT -> statistics(reply, key, opaque);
          case Opcode.GET -> packet(reply, opcode, opaque, "\0\0\0\0", "", "x");
          default -> packet(reply, opcode, opaque, "", "", opcode == Opcode.NOOP ? "" : "1.6.18");
        }
        socket.getOutputStream().write(reply.toArray());
      }
    } catch (IOException e) {
      // closed by the gateway
    }
  }

  private void statistics(Bytes reply, String name, int opaque) {
    if (name.equals("detail dump")) {
      packet(reply, STAT, opaque, "", "detailed", dump + "END\r\n");
      packet(reply, STAT, opaque, "", "", "");
    } else { // memcached 1.4.27 to 1.6.24 forget the last packet behind this one
      packet(reply, STAT, opaque, "", "sizes_status", "enabled");
    }
  }

  private static void packet(
      Bytes reply, int opcode, int opaque, String extras, String key, String value) {
    reply.int8(0x81).int8(opcode).int16(key.length()).int8(extras.length()).int8(0).int16(0);
    reply.int32(extras.length() + key.length() + value.length()).int32(opaque).int64(0);
    reply.ascii(extras).ascii(key).ascii(value);
  }

  private static byte[] request(int opcode, String key, int opaque) {
    Bytes packet = new Bytes().int8(0x80).int8(opcode).int16(key.length()).int32(0);
    return packet.int32(key.length()).int32(opaque).int64(0).ascii(key).toArray();
  }

  /** The status and the opaque of the next packet. */
  private static String replyOf(RawClient client) throws IOException {
    Bytes header = new Bytes().bytes(client.read(24));
    client.read(header.int32At(8));
    return header.uint16(6) + " " + header.int32At(12);
  }

  @Test
  void shouldEndADumpOnceAndWriteNoLineOfAClient() throws IOException {
    dump =
        """
        PREFIX foo get 1 hit 0 set 1 del 0
        PREFIX x
        END
        VALUE a 0 1
        Z
        END
         get 1 hit 0 set 0 del 0
        """
            .replace("\n", "\r\n");
    scenario.gateway(RULE, Scenario.pool("p", "dialect: binary", server.address()));
    RawClient client = scenario.client().send("stats detail dump\r\nget a\r\n");
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      lines.add(client.line());
    }
    assertThat(lines)
        .containsExactly(
            "PREFIX foo get 1 hit 0 set 1 del 0", "PREFIX x", "END", "VALUE a 0 1", "x", "END");
  }

  @Test
  void shouldBreakNoConnectionOfOthersByALongDump() throws IOException {
    dump = "PREFIX foo get 1 hit 0 set 1 del 0\r\n".repeat(3000);
    scenario.gateway(RULE, Scenario.pool("p", "dialect: binary", server.address()));
    RawClient client = scenario.client();
    assertThat(Scenario.get(client, "a")).isEqualTo("x");
    assertThat(client.ask("stats detail dump\r\n")).startsWith("SERVER_ERROR ");
    assertThat(Scenario.get(client, "b")).isEqualTo("x");
    assertThat(connections.get("b")).isEqualTo(connections.get("a"));
    assertThat(connections.get("detail dump")).isNotEqualTo(connections.get("a"));
  }

  /** The client that asks for it waits in vain: neither other clients nor the server pay for it. */
  @Test
  void shouldBreakNoConnectionOfOthersByStatisticsWithoutAnEnd() throws IOException {
    String more = "dialect: binary, health: {failures: 1, ejectFor: 1h..1h, maxEjected: 100%}";
    String pool = Scenario.pool("p", more, server.address());
    scenario.gateway(RULE, pool.replace("timeout: 10s,", "timeout: 6s, queueTimeout: 10s,"));
    RawClient other = scenario.client();
    assertThat(replyOf(other.send(request(Opcode.GET, "a", 1)))).isEqualTo("0 1");
    RawClient client = scenario.client().send(request(STAT, "sizes_enable", 2));
    Scenario.becomes(() -> connections.containsKey("sizes_enable"));
    assertThat(replyOf(other.send(request(Opcode.GET, "b", 3)))).isEqualTo("0 3");
    assertThat(replyOf(client)).isEqualTo(Opcode.STATUS_TEMPORARY_FAILURE + " 2");
    assertThat(replyOf(other.send(request(Opcode.GET, "c", 4)))).isEqualTo("0 4");
    assertThat(connections.get("c")).isEqualTo(connections.get("a"));
    assertThat(connections.get("sizes_enable")).isNotEqualTo(connections.get("a"));
  }
}
