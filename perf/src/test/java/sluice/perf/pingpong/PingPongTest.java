package sluice.perf.pingpong;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class PingPongTest {
  private static final int TRIPS = 2_000;

  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  @TempDir private Path directory;

  static Stream<Arguments> rows() {
    return Stream.of(Transport.values())
        .flatMap(
            transport -> Stream.of(Arguments.of(transport, false), Arguments.of(transport, true)));
  }

  private int drive(Transport transport, String at, String... more) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of("drive", "--transport", transport.label(), "--at", at, "--warm", "0"));
    arguments.addAll(List.of("--seconds", "60", "--connections", "8"));
    arguments.addAll(List.of("--pid", "" + ProcessHandle.current().pid()));
    arguments.addAll(List.of(more));
    try (PrintStream out = new PrintStream(said, true, UTF_8)) {
      return PingPong.run(arguments, out);
    }
  }

  private String said() {
    return said.toString(UTF_8);
  }

  @ParameterizedTest(name = "{0}, unix {1}")
  @MethodSource("rows")
  void shouldCountRoundTrips(Transport transport, boolean unix) throws Exception {
    String reason = transport.reasonAgainst();
    assumeTrue(reason == null, () -> transport + " IS NOT AVAILABLE HERE: " + reason);
    String bind = unix ? "unix:" + directory.resolve("s") : "0";
    try (Echo echo = Echo.listen(transport, bind)) {
      int code =
          drive(transport, echo.address(bind), "--size", "5000", "--trips", String.valueOf(TRIPS));
      assertThat(code).as(said()).isZero();
    }
    Matcher line =
        Pattern.compile("trips=(\\d+) .*user_us=[\\d.]+ system_us=[\\d.]+ cpu_us=").matcher(said());
    assertThat(line.find()).as(said()).isTrue();
    assertThat(Integer.parseInt(line.group(1))).isBetween(TRIPS, TRIPS + 8);
  }

  @Test
  void shouldFailWhenOtherBytesComeBack() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      Thread wrong = new Thread(() -> sendBackOneOtherByte(server));
      wrong.start();
      int code = drive(Transport.NIO, "" + server.getLocalPort(), "--connections", "1");
      assertThat(code).isEqualTo(1);
      assertThat(said()).contains("FAILED: connection 0 got other bytes back");
      wrong.join();
    }
  }

  private static void sendBackOneOtherByte(ServerSocket server) {
    try (Socket client = server.accept()) {
      byte[] message = client.getInputStream().readNBytes(100);
      message[99]++;
      client.getOutputStream().write(message);
      client.getInputStream().read(); // until it goes away
    } catch (IOException e) {
      // it went away already
    }
  }

  @Test
  void shouldSayHowItIsUsed() throws Exception {
    assertThat(drive(Transport.NIO, "1", "--size", "1")).isEqualTo(2);
    assertThat(said()).startsWith("usage: PingPong");
  }

  /** The script, with processes of its own, for a moment. */
  @Test
  void shouldPrintMediansOfAlternatingRounds() throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of("pingpong").toAbsolutePath().toString());
    command.addAll(List.of("--classes", System.getProperty("java.class.path")));
    command.addAll(List.of("--rows", "nio/unix,epoll/unix", "--rounds", "1", "--cores", "free"));
    command.addAll(List.of("--first-warm", "0.1", "--warm", "0", "--seconds", "0.3"));
    Process script =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("said").toFile())
            .start();
    assertThat(script.waitFor(50, TimeUnit.SECONDS)).isTrue();
    String printed = Files.readString(directory.resolve("said"));
    assertThat(script.exitValue()).as(printed).isZero();
    assertThat(printed)
        .containsPattern("(?m)^nio/unix +\\d")
        .containsPattern("(?m)^epoll/unix +\\d");
  }
}
