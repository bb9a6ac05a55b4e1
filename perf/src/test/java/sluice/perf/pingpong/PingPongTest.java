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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

@Timeout(360)
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
    arguments.addAll(List.of("--seconds", "300"));
    arguments.addAll(List.of("--pid", "" + ProcessHandle.current().pid()));
    arguments.addAll(List.of(more));
    return run(arguments.toArray(String[]::new));
  }

  private int run(String... arguments) {
    try (PrintStream out = new PrintStream(said, true, UTF_8)) {
      return PingPong.run(out, arguments);
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
          drive(
              transport,
              echo.address(bind),
              "--connections",
              "8",
              "--size",
              "5000",
              "--trips",
              String.valueOf(TRIPS));
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

  @ParameterizedTest
  @CsvSource({
    "--size, 3, 4 to 999999999",
    "--connections, 0, 1 to 999999999",
    "--trips, none, a whole number above 0",
    "--warm, -1, 0 or more",
    "--seconds, NaN, 0 or more",
    "--pid, self, the number of a process"
  })
  void shouldRefuseAValueByItself(String option, String found, String expected) {
    assertThat(run("drive", "--transport", "nio", "--at", "1", option, found)).isEqualTo(2);
    assertThat(said())
        .isEqualTo("PingPong: drive: %s: found %s, expected %s\n", option, found, expected);
  }

  @Test
  void shouldRefuseATransportAndAPlaceThatThereCannotBe() {
    assertThat(run("echo", "--transport", "carrier-pigeon", "--at", "0")).isEqualTo(2);
    assertThat(run("echo", "--transport", "nio", "--at", "65536")).isEqualTo(2);
    assertThat(said())
        .isEqualTo(
            """
            PingPong: echo: --transport: found carrier-pigeon, expected nio, epoll or io_uring
            PingPong: echo: --at: found 65536, expected a port, or unix:PATH
            """);
  }

  @Test
  void shouldSayHowItIsUsed() {
    String echo = "PingPong echo --transport TRANSPORT --at PLACE";
    assertThat(run()).isEqualTo(2);
    assertThat(run("echo", "--transport", "nio")).isEqualTo(2);
    assertThat(said().lines())
        .containsExactly(
            "PingPong: found PingPong, expected "
                + echo
                + ", or PingPong drive --transport TRANSPORT --at PLACE [ARGUMENT]...",
            "PingPong: found PingPong echo --transport nio, expected " + echo);
  }

  @Test
  void shouldHelp() {
    assertThat(run("--help")).isZero();
    assertThat(said()).startsWith("usage: PingPong echo ").contains("PingPong drive");
    assertThat(run("drive", "--help")).isZero();
    assertThat(said()).contains("usage: PingPong drive ").contains("--trips");
  }

  @Test
  void shouldNameEveryOptionInTheFormsOfItsCommand() {
    PingPong.commandLine(System.out)
        .getSubcommands()
        .forEach(
            (name, side) -> {
              CommandSpec command = side.getCommandSpec();
              for (OptionSpec option : command.options()) {
                if (!option.usageHelp()) {
                  assertThat(command.usageMessage().customSynopsis()[0])
                      .contains(option.longestName() + " ");
                }
              }
            });
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
    assertThat(script.waitFor(300, TimeUnit.SECONDS)).isTrue();
    String printed = Files.readString(directory.resolve("said"));
    assertThat(script.exitValue()).as(printed).isZero();
    assertThat(printed)
        .containsPattern("(?m)^nio/unix +\\d")
        .containsPattern("(?m)^epoll/unix +\\d");
  }
}
