package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import sluice.testkit.Acceptor;

/** Large value on its way to a server that takes no more of it, and answers nothing else. */
class StuckValueTest {
  private static final int LENGTH = 32 << 20;

  /** Answers until it is sent a value; from then on it reads nothing, on no connection. */
  private static void serve(Socket socket, CountDownLatch frozen, CountDownLatch ended) {
    try {
      BufferedReader in =
          new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1));
      while (true) {
        if (frozen.getCount() == 0) {
          ended.await();
          return;
        }
        String line = in.readLine();
        if (line == null) {
          return;
        } else if (line.startsWith("set ")) {
          frozen.countDown();
        } else if (frozen.getCount() > 0) {
          String reply = line.equals("version") ? "VERSION 1.6.45\r\n" : "END\r\n";
          socket.getOutputStream().write(reply.getBytes(ISO_8859_1));
        }
      }
    } catch (IOException | InterruptedException e) {
      // the gateway has closed the connection
    }
  }

  /** The server wakes the client again and again: connections to it are tried, and fail. */
  @Test
  void shouldFailThoughTheServerIsTriedAgainMoreOftenThanTheQueueTimeoutPasses() throws Exception {
    CountDownLatch frozen = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    ServerSocket listener = Acceptor.listenWithBuffer(64 * 1024);
    try (Acceptor server =
            new Acceptor(
                listener, "frozen server", (number, socket) -> serve(socket, frozen, ended));
        RunningGateway gateway =
            RunningGateway.ofLargeItems(
                server.address(),
                "timeout: 300ms, queueTimeout: 2s, connections: {probeAfter: 100ms, connectTimeout:"
                    + " 200ms}");
        RawClient client = new RawClient(gateway.address());
        RawClient other = new RawClient(gateway.address())) {
      Scenario.becomes(() -> Scenario.get(other, "ok").equals("END"));
      Thread sender = new Thread(() -> send(client));
      sender.start();
      frozen.await();
      other.send("get k\r\n");
      assertThat(other.line()).startsWith("SERVER_ERROR ");
      assertThat(client.line()).startsWith("SERVER_ERROR ");
      ended.countDown();
      sender.join();
    } finally {
      ended.countDown();
    }
  }

  private static void send(RawClient client) {
    try {
      client.send("set k 0 0 " + LENGTH + "\r\n");
      String part = "x".repeat(1 << 20);
      for (int i = 0; i < LENGTH >> 20; i++) {
        client.send(part);
      }
      client.send("\r\n");
    } catch (SocketException e) {
      // it was closed
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
