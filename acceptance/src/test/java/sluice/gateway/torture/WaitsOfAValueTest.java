package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import sluice.testkit.Acceptor;

/** Large value that had to wait for its server: the waits end with it. */
class WaitsOfAValueTest {
  private static final int LENGTH = 24 << 20;

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        return null;
      }
      line.append((char) b);
    }
    return line.toString().strip();
  }

  /** Reads values late, and then takes a moment to say its version. */
  private static void serve(Socket socket, AtomicBoolean stored) {
    try {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      for (String line = line(in); line != null; line = line(in)) {
        String reply = "END\r\n";
        if (line.equals("version")) {
          TimeUnit.MILLISECONDS.sleep(stored.get() ? 150 : 0);
          reply = "VERSION 1.6.45\r\n";
        } else if (line.startsWith("set ")) {
          TimeUnit.MILLISECONDS.sleep(300);
          in.skipNBytes(LENGTH + 2);
          stored.set(true);
          reply = "STORED\r\n";
        }
        socket.getOutputStream().write(reply.getBytes(ISO_8859_1));
      }
    } catch (IOException | InterruptedException e) {
      // the gateway has closed the connection
    }
  }

  @Test
  void shouldNotCountForTheNextRequest() throws Exception {
    AtomicBoolean stored = new AtomicBoolean();
    ServerSocket listener = Acceptor.listenWithBuffer(64 * 1024);
    try (Acceptor server =
            new Acceptor(listener, "late server", (number, socket) -> serve(socket, stored));
        RunningGateway gateway =
            RunningGateway.ofLargeItems(
                server.address(),
                "timeout: 10s, queueTimeout: 3s, connections: {probeAfter: 500ms, connectTimeout:"
                    + " 10s}");
        RawClient client = new RawClient(gateway.address())) {
      assertThat(Scenario.get(client, "k")).isEqualTo("END");
      client.send("set k 0 0 " + LENGTH + "\r\n" + "x".repeat(LENGTH) + "\r\n");
      assertThat(client.line()).isEqualTo("STORED");
      TimeUnit.MILLISECONDS.sleep(3100); // longer than a request may wait, and than is silence
      assertThat(Scenario.get(client, "k")).isEqualTo("END");
    }
  }
}
