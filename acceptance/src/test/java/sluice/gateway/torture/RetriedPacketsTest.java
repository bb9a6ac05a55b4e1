package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.testkit.Acceptor;
import sluice.testkit.Bytes;
import sluice.testkit.Opcode;
import sluice.testkit.Packet;

/** Reads of binary servers that are sent again when their connection is lost. */
class RetriedPacketsTest {
  private static final String KEY = "k";
  private static final String RULE = "{pool: p}";
  private static final String RENAMING_RULE = "{pool: p, key: {add: 'a:'}}";

  /** A binary server that closes the connection once. It has every key. */
  private static final class Forgetful {
    private final List<Integer> asked = new CopyOnWriteArrayList<>();
    private final List<Integer> opaques = new CopyOnWriteArrayList<>();
    private final int fatal;
    private volatile boolean hasClosed;

    /**
     * A server.
     *
     * @param fatal the opcode at which it closes the connection; it answers no other before
     */
    Forgetful(int fatal) {
      this.fatal = fatal;
    }

    void serve(int number, Socket socket) {
      try (socket;
          DataInputStream in = new DataInputStream(socket.getInputStream())) {
        while (in.readUnsignedByte() == 0x80) {
          int opcode = in.readUnsignedByte();
          int keyLength = in.readUnsignedShort();
          int extras = in.readUnsignedByte();
          in.readNBytes(3);
          int body = in.readInt();
          int opaque = in.readInt();
          in.readNBytes(Long.BYTES + extras);
          String key = new String(in.readNBytes(keyLength), ISO_8859_1);
          in.readNBytes(body - extras - keyLength);
          if (opcode == Opcode.VERSION || opcode == Opcode.NOOP) {
            reply(socket, opcode, opaque, "", "", opcode == Opcode.NOOP ? "" : "1.6.18");
            continue;
          }
          asked.add(opcode);
          opaques.add(opaque);
          if (hasClosed) {
            boolean withKey = opcode == Opcode.GETK || opcode == Opcode.GATK;
            reply(socket, opcode, opaque, "\0\0\0\0", withKey ? key : "", "value");
          } else if (opcode == fatal) {
            hasClosed = true;
            return;
          }
        }
      } catch (IOException e) {
        // closed by the gateway
      }
    }

    private static void reply(
        Socket socket, int opcode, int opaque, String extras, String key, String value)
        throws IOException {
      Bytes reply = new Bytes().int8(0x81).int8(opcode).int16(key.length()).int8(extras.length());
      reply.int8(0).int16(0).int32(extras.length() + key.length() + value.length());
      reply.int32(opaque).int64(0).ascii(extras).ascii(key).ascii(value);
      socket.getOutputStream().write(reply.toArray());
    }
  }

  private static byte[] packet(int opcode, String extras, String value, int opaque) {
    return Packet.bytes(opcode, extras, KEY, value, opaque);
  }

  private static String replyOf(RawClient client) throws IOException {
    Bytes header = new Bytes().bytes(client.read(24));
    String body = new String(client.read(header.int32At(8)), ISO_8859_1);
    return header.uint16(6) + " " + header.int32At(12) + " " + body.substring(header.uint8(4));
  }

  @ParameterizedTest
  @CsvSource({
    "GET, 0, '', 0 77 value",
    "GETQ, 9, '', 0 77 value",
    "GETKQ, 13, '', 0 77 kvalue",
    "GAT, 29, tttt, 0 77 value"
  })
  void shouldRetryPacketsThatRead(String name, int opcode, String extras, String reply)
      throws IOException {
    for (String rule : List.of(RULE, RENAMING_RULE)) {
      Forgetful forgetful = new Forgetful(Opcode.loud(opcode));
      try (Acceptor server = Acceptor.onLoopback(0, "forgetful", forgetful::serve);
          Scenario scenario = new Scenario()) {
        scenario.gateway(rule, Scenario.pool("p", "retries: {max: 1}", server.address()));
        RawClient client = scenario.client();
        client.send(packet(opcode, extras, "", 77));
        assertThat(replyOf(client)).as(name).isEqualTo(reply);
        assertThat(forgetful.asked).hasSize(2);
        assertThat(scenario.metric("sluice_retried_requests_total", "")).isEqualTo(1);
      }
    }
  }

  @Test
  void shouldRetryTheReadsOfTextClients() throws IOException {
    Forgetful forgetful = new Forgetful(Opcode.GET);
    try (Acceptor server = Acceptor.onLoopback(0, "forgetful", forgetful::serve);
        Scenario scenario = new Scenario()) {
      scenario.gateway(
          RULE, Scenario.pool("p", "dialect: binary, retries: {max: 1}", server.address()));
      assertThat(Scenario.get(scenario.client(), KEY)).isEqualTo("value");
      assertThat(forgetful.asked).hasSize(2);
    }
  }

  /** Its item expires with the first reply: the second one would be a miss. */
  @Test
  void shouldNotRetryPacketsThatExpireTheirItem() throws IOException {
    for (String rule : List.of(RULE, RENAMING_RULE)) {
      Forgetful forgetful = new Forgetful(Opcode.GAT);
      try (Acceptor server = Acceptor.onLoopback(0, "forgetful", forgetful::serve);
          Scenario scenario = new Scenario()) {
        scenario.gateway(rule, Scenario.pool("p", "retries: {max: 1}", server.address()));
        RawClient client = scenario.client();
        client.send(packet(Opcode.GATQ, "0000", "", 77)); // a second of 1995
        assertThat(replyOf(client)).startsWith(Opcode.STATUS_TEMPORARY_FAILURE + " 77 ");
        assertThat(forgetful.asked).containsExactly(Opcode.GAT);
      }
    }
  }

  @Test
  void shouldNotRetryReadsOfTextClientsThatExpireTheirItem() throws IOException {
    Forgetful forgetful = new Forgetful(Opcode.GAT);
    try (Acceptor server = Acceptor.onLoopback(0, "forgetful", forgetful::serve);
        Scenario scenario = new Scenario()) {
      scenario.gateway(
          RULE, Scenario.pool("p", "dialect: binary, retries: {max: 1}", server.address()));
      assertThat(scenario.client().ask("gat -1 k\r\n")).startsWith("SERVER_ERROR ");
      assertThat(forgetful.asked).containsExactly(Opcode.GAT);
    }
  }

  @Test
  void shouldNotRetryAReadThatAWriteFollows() throws IOException {
    Forgetful forgetful = new Forgetful(Opcode.SET);
    try (Acceptor server = Acceptor.onLoopback(0, "forgetful", forgetful::serve);
        Scenario scenario = new Scenario()) {
      scenario.gateway(RULE, Scenario.pool("p", "retries: {max: 1}", server.address()));
      RawClient client = scenario.client();
      Bytes both = new Bytes().bytes(packet(Opcode.GET, "", "", 1));
      client.send(both.bytes(packet(Opcode.SETQ, "\0".repeat(8), "v", 2)).toArray());
      assertThat(replyOf(client)).startsWith(Opcode.STATUS_TEMPORARY_FAILURE + " 1 ");
      assertThat(replyOf(client)).startsWith(Opcode.STATUS_TEMPORARY_FAILURE + " 2 ");
      assertThat(forgetful.asked).containsExactly(Opcode.GET, Opcode.SET);
    }
  }

  /** They are in flight together with those that were sent again, whose opaques do not change. */
  @Test
  void shouldGiveOtherOpaquesToTheRequestsOfTheNextConnection() throws IOException {
    Forgetful forgetful = new Forgetful(Opcode.GET);
    try (Acceptor server = Acceptor.onLoopback(0, "forgetful", forgetful::serve);
        Scenario scenario = new Scenario()) {
      scenario.gateway(RULE, Scenario.pool("p", "retries: {max: 1}", server.address()));
      RawClient client = scenario.client();
      List<String> replies = new ArrayList<>();
      for (int opaque = 1; opaque <= 3; opaque++) {
        client.send(packet(Opcode.GET, "", "", opaque));
        replies.add(replyOf(client));
      }
      assertThat(replies).containsExactly("0 1 value", "0 2 value", "0 3 value");
      List<Integer> opaques = forgetful.opaques;
      assertThat(opaques.get(1)).as("of the request that was sent again").isEqualTo(opaques.get(0));
      assertThat(opaques.subList(1, 4)).doesNotHaveDuplicates();
    }
  }
}
