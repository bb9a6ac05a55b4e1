package sluice.gateway.admin;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Callers of the admin port that do not take its answers. */
class UnsentAnswersTest {
  /** More than the kernel holds of a connection whose receiver does not read. */
  private static final int LENGTH = 8 << 20;

  private final FakeView view = new FakeView();
  private final Vertx vertx =
      Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1).setWorkerPoolSize(1));
  private int port;

  private void listen(long mostUnsent) throws Exception {
    view.configuration = "x".repeat(LENGTH);
    String address =
        new AdminServer(vertx, view, AdminPort.OPEN, Callers::isLoopback, mostUnsent)
            .listen("127.0.0.1:0")
            .await(60, TimeUnit.SECONDS);
    port = Integer.parseInt(address.substring(address.indexOf(':') + 1));
  }

  @AfterEach
  void stop() throws Exception {
    vertx.close().await(60, TimeUnit.SECONDS);
  }

  /** A caller whose system takes little of an answer that is not read. */
  private Socket connect() throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(64 * 1024);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    socket.setSoTimeout(60_000);
    return socket;
  }

  /** A caller whose answer has begun. */
  private Socket ask(String path) throws IOException {
    return ask(path, "Connection: close\r\n");
  }

  private Socket ask(String path, String headers) throws IOException {
    Socket socket = connect();
    String request = "GET " + path + " HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n";
    socket.getOutputStream().write(request.getBytes(US_ASCII));
    assertThat(socket.getInputStream().read()).isEqualTo('H');
    return socket;
  }

  /** Number of bytes that still come. */
  private static long rest(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    byte[] part = new byte[64 * 1024];
    long count = 0;
    try {
      for (int n = in.read(part); n >= 0; n = in.read(part)) {
        count += n;
      }
    } catch (SocketException reset) {
      // no more comes
    }
    return count;
  }

  /** Vert.x would wait until the one that asked longest ago has taken its answer. */
  @Test
  void shouldNotKeepAConnectionBeyondTheirNumberBecauseItDoesNotRead() throws Exception {
    listen(Long.MAX_VALUE);
    List<Socket> open = new ArrayList<>();
    try (Socket silent = ask("/config")) {
      for (int i = 0; i < 127; i++) {
        open.add(connect());
      }
      open.add(ask("/version"));
      assertThat(rest(open.get(127))).isPositive();
      assertThat(rest(silent)).isLessThan(LENGTH);
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  /** Otherwise it could send without end, and each part of it would take memory. */
  @Test
  void shouldCutOffABodyThatDoesNotEndAlthoughItsCallerDoesNotRead() throws Exception {
    listen(Long.MAX_VALUE);
    String head = "POST /version HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    String chunk = "400\r\n" + "x".repeat(1024) + "\r\n";
    try (Socket caller = ask("/config", "")) {
      caller.getOutputStream().write((head + chunk.repeat(8)).getBytes(US_ASCII));
      for (int i = 0; i < 3; i++) {
        try (Socket later = ask("/version")) { // the port has read the body then
          assertThat(rest(later)).isPositive();
        }
      }
      assertThat(rest(caller)).isLessThan(LENGTH);
    }
  }

  @Test
  void shouldCloseTheConnectionsWhoseAnswersHaveWaitedLongest() throws Exception {
    listen(LENGTH * 5L / 2);
    try (Socket first = ask("/config");
        Socket second = ask("/config");
        Socket third = ask("/config");
        Socket later = ask("/version")) { // the port has written what the third does not take
      assertThat(rest(later)).isPositive();
      assertThat(rest(third)).isGreaterThan(LENGTH);
      assertThat(rest(second)).isGreaterThan(LENGTH);
      assertThat(rest(first)).isLessThan(LENGTH);
    }
  }

  @Test
  void shouldNotCountAnswersThatWereTaken() throws Exception {
    listen(LENGTH * 5L / 2);
    try (Socket first = ask("/config")) {
      for (int i = 0; i < 3; i++) {
        try (Socket other = ask("/config")) {
          assertThat(rest(other)).isGreaterThan(LENGTH);
        }
      }
      assertThat(rest(first)).isGreaterThan(LENGTH);
    }
  }

  @Test
  void shouldSendAnAnswerThatIsLargerThanTheLimit() throws Exception {
    listen(1);
    try (Socket only = ask("/config")) {
      assertThat(rest(only)).isGreaterThan(LENGTH);
    }
  }
}
