package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import sluice.testkit.scripted.ScriptedServer;

/** Large value on its way to a server that takes no more of it, and answers nothing else. */
class StuckValueTest {
  private static final int LENGTH = 32 << 20;

  /** The server wakes the client again and again: connections to it are tried, and fail. */
  @Test
  void shouldFailThoughTheServerIsTriedAgainMoreOftenThanTheQueueTimeoutPasses() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    ScriptedServer.Script frozen =
        request -> {
          if (!request.line().startsWith("get ok")) {
            ended.await();
          }
          ScriptedServer.behave(request);
        };
    try (ScriptedServer server = ScriptedServer.withSmallBuffers(frozen);
        RunningGateway gateway =
            RunningGateway.of(
                """
                admin: {bind: 127.0.0.1:0}
                process: {eventLoops: 1}
                listeners: {cache: {bind: 127.0.0.1:0, route: main, limits: {itemSize: 64MiB}}}
                routes: {main: [{pool: main}]}
                pools:
                  main:
                    servers: ["%s"]
                    timeout: 300ms
                    queueTimeout: 2s
                    connections: {probeAfter: 100ms, connectTimeout: 200ms}
                """
                    .formatted(Scenario.name(server.address())));
        RawClient client = new RawClient(gateway.address());
        RawClient other = new RawClient(gateway.address())) {
      assertThat(Scenario.get(other, "ok")).isEqualTo("ok");
      Thread sender = new Thread(() -> send(client));
      sender.start();
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
