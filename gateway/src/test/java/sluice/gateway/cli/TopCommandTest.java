package sluice.gateway.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.gateway.process.Gateway;
import sluice.gateway.top.GatewayToWatch;

class TopCommandTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int top(String... arguments) {
    return top(new PrintStream(out, true, UTF_8), arguments);
  }

  private int top(PrintStream to, String... arguments) {
    List<String> words = new ArrayList<>(List.of("top"));
    words.addAll(List.of(arguments));
    return new Main(to, new PrintStream(err, true, UTF_8)).run(words.toArray(String[]::new));
  }

  @Test
  void shouldShowAGatewayThatRunsOnce() throws Exception {
    Gateway gateway = GatewayToWatch.start();
    try {
      String[] address = gateway.address("cache").split(":");
      try (Socket client = new Socket(address[0], Integer.parseInt(address[1]))) {
        client.setSoTimeout(20_000);
        client
            .getOutputStream()
            .write("set a 0 0 1\r\nx\r\nget a\r\nget dead\r\nquit\r\n".getBytes(UTF_8));
        client.getInputStream().readAllBytes();
      }
      assertThat(top("--once", gateway.adminAddress())).isZero();
    } finally {
      gateway.close().await(20, TimeUnit.SECONDS);
    }
    String screen = out.toString(UTF_8);
    assertThat(screen)
        .startsWith(gateway.adminAddress() + "  running  up ")
        .contains("errors 33.33%")
        .containsPattern("cache +0 +0.00 ")
        .containsPattern("local +embedded +up ")
        .containsPattern("dead +127.0.0.1:1 +down .*is unreachable")
        .containsPattern("cache local +100.00% +0.00% +a\n")
        .doesNotContain("\u001b");
    assertThat(err.toString(UTF_8)).isEmpty();
  }

  @Test
  void shouldShowScreenAfterScreenUntilNobodyReadsThem() throws Exception {
    Gateway gateway = GatewayToWatch.start();
    try {
      PrintStream closing =
          new PrintStream(
              new OutputStream() {
                private int screens;

                @Override
                public void write(int b) {
                  out.write(b);
                }

                @Override
                public void flush() throws java.io.IOException {
                  if (++screens == 2) {
                    throw new java.io.IOException("nobody reads this");
                  }
                }
              },
              false,
              UTF_8);
      assertThat(top(closing, "--every", "1", gateway.adminAddress())).isZero();
    } finally {
      gateway.close().await(20, TimeUnit.SECONDS);
    }
    assertThat(out.toString(UTF_8).split("\u001b\\[H\u001b\\[2J")).hasSize(3);
    assertThat(out.toString(UTF_8)).contains("\u001b[32mrunning\u001b[0m");
  }

  @Test
  void shouldSayThatNobodyAnswers() {
    assertThat(top("--once", "127.0.0.1:1")).isEqualTo(1);
    assertThat(err.toString(UTF_8))
        .startsWith("sluice: the admin port at 127.0.0.1:1 does not answer: ");
    assertThat(out.size()).isZero();
  }

  @Test
  void shouldSayThatItFoundAMemcachedPort() throws Exception {
    Gateway gateway = GatewayToWatch.start();
    try {
      assertThat(top("--once", gateway.address("cache"))).isEqualTo(1);
      assertThat(err.toString(UTF_8))
          .isEqualTo(
              "sluice: "
                  + gateway.address("cache")
                  + ": found a memcached port (version 1.6.45), expected the admin port of a"
                  + " gateway\n");
    } finally {
      gateway.close().await(20, TimeUnit.SECONDS);
    }
    assertThat(out.size()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ERROR                  | a port that does not speak HTTP",
        "HTTP/1.1 404 Not Found | an HTTP server that is no gateway",
        "HTTP/1.1 200 OK        | an HTTP server that is no gateway"
      })
  void shouldSayWhatElseItFound(String answer, String found) throws Exception {
    Thread thread;
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      thread = new Thread(() -> answer(server, answer + "\r\n\r\n{}"));
      thread.start();
      String address = "127.0.0.1:" + server.getLocalPort();
      assertThat(top("--once", address)).isEqualTo(1);
      assertThat(err.toString(UTF_8))
          .isEqualTo(
              "sluice: "
                  + address
                  + ": found "
                  + found
                  + ", expected the admin port of a gateway\n");
    }
    thread.join();
  }

  /** Answers whatever it is asked, until the socket is closed. */
  private static void answer(ServerSocket server, String answer) {
    while (!server.isClosed()) {
      try (Socket client = server.accept()) {
        if (client.getInputStream().read(new byte[1024]) > 0) {
          client.getOutputStream().write(answer.getBytes(UTF_8));
        }
      } catch (IOException closed) {
        // also a client that has closed its connection
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"--twice", "--every", "127.0.0.1:1 127.0.0.1:2"})
  void shouldRefuseWhatItDoesNotKnow(String arguments) {
    assertThat(top(arguments.split(" "))).isEqualTo(2);
    assertThat(err.toString(UTF_8))
        .isEqualTo(
            "sluice: found top "
                + arguments
                + ", expected top [--once] [--every SECONDS] [HOST:PORT]\n");
  }

  @ParameterizedTest
  @CsvSource({
    "--every 0,             --every:   found 0,                     1 to 9999",
    "--every 1.5,           --every:   found 1.5,                   1 to 9999",
    "localhost,             HOST:PORT: found localhost,             a host and a port",
    "http://localhost:9901, HOST:PORT: found http://localhost:9901, a host and a port"
  })
  void shouldNameTheOneValueThatIsWrong(String arguments, String found, String expected) {
    assertThat(top(arguments.split(" "))).isEqualTo(2);
    assertThat(err.toString(UTF_8))
        .startsWith("sluice: top: " + found.replaceAll(" +", " ") + ", expected " + expected)
        .hasLineCount(1);
  }
}
