package sluice.gateway.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.gateway.tls.Certificates;
import sluice.gateway.tls.HoldingSocket;
import sluice.testkit.Acceptor;

/** Replies in several TLS records that the gateway reads at once. */
class RecordsOfOneReadTest {
  @TempDir Path directory;

  private static ServerSocket listener() throws IOException {
    return new ServerSocket(0, 8, InetAddress.getLoopbackAddress()) {
      @Override
      public Socket accept() throws IOException {
        Socket socket = new HoldingSocket();
        implAccept(socket);
        return socket;
      }
    };
  }

  /** Answers three sets with a broken reply and two others. */
  private static void serve(SSLContext tls, HoldingSocket socket) {
    try (SSLSocket encrypted =
        (SSLSocket) tls.getSocketFactory().createSocket(socket, (InputStream) null, true)) {
      BufferedReader in =
          new BufferedReader(new InputStreamReader(encrypted.getInputStream(), ISO_8859_1));
      OutputStream out = encrypted.getOutputStream();
      int sets = 0;
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.equals("version")) {
          out.write("VERSION 1.6.45\r\n".getBytes(ISO_8859_1));
        } else if (line.equals("value") && ++sets == 3) {
          socket.hold();
          for (String reply : new String[] {"BOGUS\r\n", "STORED\r\n", "STORED\r\n"}) {
            out.write(reply.getBytes(ISO_8859_1));
          }
          socket.sendAll();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldNotCountBehindABrokenReply() throws Exception {
    Certificates authority = Certificates.of(directory, "ca");
    SSLContext tls = authority.context(authority.issue("server"));
    try (Acceptor server =
            new Acceptor(
                listener(), "TLS server", (number, socket) -> serve(tls, (HoldingSocket) socket));
        Scenario scenario = new Scenario()) {
      String encrypted = "tls: {ca: " + authority.file() + "}";
      scenario.gateway("{pool: main}", Scenario.pool("main", encrypted, server.address()));
      RawClient client = scenario.client();
      String sets = "";
      for (String key : new String[] {"a", "b", "c"}) {
        sets += "set " + key + " 0 0 5\r\nvalue\r\n";
      }
      client.send(sets);
      for (int i = 0; i < 3; i++) {
        assertThat(client.line()).startsWith("SERVER_ERROR ").endsWith("broke the protocol");
      }
    }
  }
}
