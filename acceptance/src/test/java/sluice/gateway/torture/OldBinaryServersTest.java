package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.testkit.Acceptor;
import sluice.testkit.Bytes;
import sluice.testkit.Opcode;

/** Text clients of binary servers whose text protocol lacks some commands. */
class OldBinaryServersTest {
  /** A server that has every key. */
  private static void serve(Socket socket) {
    try (socket;
        DataInputStream in = new DataInputStream(socket.getInputStream())) {
      while (in.readUnsignedByte() == 0x80) {
        int opcode = in.readUnsignedByte();
        int keyLength = in.readUnsignedShort();
        in.readNBytes(4);
        int body = in.readInt();
        int opaque = in.readInt();
        in.readNBytes(Long.BYTES + body - keyLength);
        String key = new String(in.readNBytes(keyLength), ISO_8859_1);
        switch (opcode) {
          case Opcode.NOOP -> reply(socket, opcode, opaque, "", "");
          case Opcode.VERSION -> reply(socket, opcode, opaque, "", "1.4.15");
          default -> reply(socket, opcode, opaque, "\0\0\0\0", "of " + key);
        }
      }
    } catch (IOException e) {
      // closed by the gateway
    }
  }

  private static void reply(Socket socket, int opcode, int opaque, String extras, String value)
      throws IOException {
    Bytes reply = new Bytes().int8(0x81).int8(opcode).int16(0).int8(extras.length());
    reply.int8(0).int16(0).int32(extras.length() + value.length());
    reply.int32(opaque).int64(0).ascii(extras).ascii(value);
    socket.getOutputStream().write(reply.toArray());
  }

  /** What they get are packets, for which the version does not matter. */
  @ParameterizedTest
  @ValueSource(strings = {"a", "a b", "a b c"})
  void shouldTouchAndReadOneKeyOrSeveral(String keys) throws IOException {
    try (Acceptor server = Acceptor.onLoopback(0, "old", (number, socket) -> serve(socket));
        Scenario scenario = new Scenario()) {
      scenario.gateway("{pool: p}", Scenario.pool("p", "dialect: binary", server.address()));
      RawClient client = scenario.client();
      client.send("gat 10 " + keys + "\r\nmn\r\n");
      for (String key : keys.split(" ")) {
        assertThat(client.line()).isEqualTo("VALUE " + key + " 0 4");
        assertThat(client.line()).isEqualTo("of " + key);
      }
      assertThat(client.line()).isEqualTo("END");
      assertThat(client.line()).isEqualTo("MN");
    }
  }
}
