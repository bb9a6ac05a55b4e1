package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import sluice.gateway.fixtures.RealMemcached;
import sluice.testkit.Acceptor;
import sluice.testkit.Bytes;
import sluice.testkit.Opcode;

/** Fills for clients that speak packets, while the gateway reads the warm pool by lines. */
class WarmUpPacketsTest {
  /** Something between a gateway and a server, which withholds each packet that deletes. */
  private static final class Between {
    private final InetSocketAddress server;
    private final CountDownLatch mayDelete = new CountDownLatch(1);

    Between(InetSocketAddress server) {
      this.server = server;
    }

    void serve(int number, Socket gateway) {
      try (gateway;
          Socket onwards = new Socket(server.getAddress(), server.getPort());
          DataInputStream in = new DataInputStream(gateway.getInputStream())) {
        Thread back = new Thread(() -> copy(onwards, gateway));
        back.start();
        OutputStream out = onwards.getOutputStream();
        for (int first = in.read(); first >= 0; first = in.read()) {
          Bytes request = new Bytes().int8(first);
          if (first == 0x80) {
            byte[] head = in.readNBytes(23);
            request.bytes(head);
            request.bytes(in.readNBytes(new Bytes().int8(first).bytes(head).int32At(8)));
            if (head[0] == Opcode.DELETE) {
              mayDelete.await();
            }
          }
          out.write(request.toArray());
        }
      } catch (IOException | InterruptedException e) {
        // one of them has closed
      }
    }

    private static void copy(Socket from, Socket to) {
      try {
        from.getInputStream().transferTo(to.getOutputStream());
      } catch (IOException e) {
        // one of them has closed
      }
    }
  }

  private static byte[] packet(int opcode, int opaque) {
    Bytes packet = new Bytes().int8(0x80).int8(opcode).int16(1).int8(0).int8(0).int16(0).int32(1);
    return packet.int32(opaque).int64(0).ascii("k").toArray();
  }

  private static int statusOf(RawClient client, int opaque) throws IOException {
    Bytes header = new Bytes().bytes(client.read(24));
    client.read(header.int32At(8));
    assertThat(header.int32At(12)).isEqualTo(opaque);
    return header.uint16(6);
  }

  private static long counts(RawClient client, String key) throws IOException {
    Bytes packet = new Bytes().int8(0x80).int8(Opcode.INCREMENT).int16(1).int8(20).int8(0);
    packet.int16(0).int32(21).int32(7).int64(0).int64(1).int64(1).int32(0).ascii(key);
    client.send(packet.toArray());
    Bytes header = new Bytes().bytes(client.read(24));
    Bytes body = new Bytes().bytes(client.read(header.int32At(8)));
    assertThat(header.uint16(6)).as("status").isZero();
    return body.int64At(0);
  }

  /** Most clients send an initial value, which is for a counter that neither pool has. */
  @Test
  void shouldCountOnFromTheWarmPoolsNumber() throws Exception {
    try (Scenario scenario = new Scenario()) {
      RealMemcached cold = scenario.memcached();
      RealMemcached warm = scenario.memcached();
      scenario.gateway(
          "{warmUp: {cold: cold, warm: warm}}",
          Scenario.pool("cold", "", cold.address()),
          Scenario.pool("warm", "", warm.address()));
      assertThat(Scenario.set(scenario.client(warm.address()), "k", "1000")).isEqualTo("STORED");
      RawClient client = scenario.client();
      assertThat(counts(client, "k")).isEqualTo(1001);
      assertThat(counts(client, "k")).isEqualTo(1002);
      assertThat(counts(client, "n")).isEqualTo(1);
      assertThat(counts(client, "n")).isEqualTo(2);
    }
  }

  /** The delete and the read that fills use two connections, one for each dialect. */
  @Test
  void shouldNotBringBackWhatTheClientHasDeleted() throws Exception {
    try (RealMemcached cold = RealMemcached.start();
        RealMemcached warm = RealMemcached.start();
        RawClient toWarm = new RawClient(warm.address());
        RawClient toCold = new RawClient(cold.address())) {
      assertThat(toWarm.ask("set k 0 0 3\r\nold\r\n")).isEqualTo("STORED");
      Between between = new Between(warm.address());
      try (Acceptor delays = Acceptor.onLoopback(0, "between", between::serve);
          Scenario scenario = new Scenario()) {
        scenario.gateway(
            "{warmUp: {cold: cold, warm: warm}}",
            Scenario.pool("cold", "", cold.address()),
            Scenario.pool("warm", "", delays.address()));
        RawClient client = scenario.client();
        client.send(
            new Bytes().bytes(packet(Opcode.DELETE, 1)).bytes(packet(Opcode.GET, 2)).toArray());
        Thread.sleep(300); // long enough for a fill that does not wait
        between.mayDelete.countDown();
        assertThat(statusOf(client, 1)).as("deleted").isZero();
        assertThat(statusOf(client, 2)).as("not found").isOne();
        assertThat(toCold.ask("get k\r\n")).isEqualTo("END");
      }
    }
  }
}
