package sluice.perf.internode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import sluice.codecs.internode.Framing;
import sluice.gateway.cli.CommandLines;
import sluice.load.internode.Nodes;

/** What the programs take that {@code perf/internode} runs; nothing is started. */
class InternodeCommandsTest {
  private static final String PLACES =
      "--writers 7001 --replicas 7002 --to-writers 127.0.0.1:7003 --to-replicas 127.0.0.1:7004";

  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(said, true, UTF_8);

  private String said() {
    return said.toString(UTF_8);
  }

  private int load(String arguments) {
    return InternodeLoad.run(out, arguments.split(" "));
  }

  private InternodeLoad parsed(String arguments) {
    CommandLine line = InternodeLoad.commandLine(out);
    line.parseArgs(arguments.split(" "));
    return line.getCommand();
  }

  @Test
  void shouldTakeWhatTheScriptSays() {
    InternodeLoad load =
        parsed(
            "--pid 17 "
                + PLACES
                + " --framing lz4 --payload 122880-139264 --window 4 --conversations 250 --warm 0"
                + " --seconds 0.5");
    assertThat(load.places())
        .isEqualTo(
            new Nodes.Places(
                new InetSocketAddress(LOOPBACK, 7001),
                new InetSocketAddress(LOOPBACK, 7002),
                new InetSocketAddress(LOOPBACK, 7003),
                new InetSocketAddress(LOOPBACK, 7004)));
    assertThat(load.talk()).isEqualTo(new Nodes.Talk(Framing.LZ4, 250, 4, 122_880, 139_264));
  }

  @Test
  void shouldHaveDefaults() {
    assertThat(parsed(PLACES).talk()).isEqualTo(new Nodes.Talk(Framing.CRC, 4, 1, 60, 250));
    assertThat(parsed(PLACES + " --framing CRC").talk().framing()).isEqualTo(Framing.CRC);
  }

  @ParameterizedTest
  @CsvSource({
    "--writers, 0, 1 to 65535",
    "--replicas, 65536, 1 to 65535",
    "--to-writers, 7003, 'a host and a port, such as 127.0.0.1:11211'",
    "--to-replicas, unix:/s, 'a host and a port, such as 127.0.0.1:11211'",
    "--pid, self, the number of a process",
    "--framing, unprotected, crc or lz4",
    "--conversations, 0, 1 to 250",
    "--conversations, 251, 1 to 250",
    "--window, 0, 1 to 999999999",
    "--payload, 60, MIN-MAX of 1 to ",
    "--payload, 0-60, MIN-MAX of 1 to ",
    "--payload, 61-60, MIN-MAX of 1 to ",
    "--payload, 1-999999999, MIN-MAX of 1 to ",
    "--warm, -1, 0 or more",
    "--seconds, soon, 0 or more"
  })
  void shouldRefuseAValueByItself(String option, String found, String expected) {
    String others = PLACES.replaceAll(option + " [^ ]+ ?", "");
    assertThat(load(option + " " + found + " " + others)).isEqualTo(CommandLines.WRONG);
    assertThat(said())
        .startsWith("InternodeLoad: %s: found %s, expected %s".formatted(option, found, expected))
        .hasLineCount(1);
  }

  @Test
  void shouldSayHowItIsUsed() {
    assertThat(load("--writers 7001")).isEqualTo(CommandLines.WRONG);
    assertThat(load(PLACES + " --depth 1")).isEqualTo(CommandLines.WRONG);
    assertThat(load(PLACES + " --window")).isEqualTo(CommandLines.WRONG);
    assertThat(said().lines())
        .hasSize(3)
        .allMatch(line -> line.contains(", expected InternodeLoad --writers PORT --replicas PORT"))
        .first()
        .asString()
        .startsWith("InternodeLoad: found InternodeLoad --writers 7001, expected ");
  }

  @Test
  void shouldRelayWhereItIsTold() {
    CommandLine line = PlainRelay.commandLine(out);
    line.parseArgs("127.0.0.1:1=127.0.0.1:2", "127.0.0.1:3=127.0.0.1:4");
    List<PlainRelay.Passage> passages =
        line.getCommandSpec().positionalParameters().get(0).getValue();
    assertThat(passages)
        .containsExactly(
            new PlainRelay.Passage(
                new InetSocketAddress(LOOPBACK, 1), new InetSocketAddress(LOOPBACK, 2)),
            new PlainRelay.Passage(
                new InetSocketAddress(LOOPBACK, 3), new InetSocketAddress(LOOPBACK, 4)));
  }

  @Test
  void shouldRefuseWhatIsNoPassage() {
    assertThat(PlainRelay.run(out)).isEqualTo(CommandLines.WRONG);
    assertThat(PlainRelay.run(out, "127.0.0.1:1")).isEqualTo(CommandLines.WRONG);
    assertThat(PlainRelay.run(out, "127.0.0.1:1=2")).isEqualTo(CommandLines.WRONG);
    assertThat(PlainRelay.run(out, "--fast", "127.0.0.1:1=127.0.0.1:2"))
        .isEqualTo(CommandLines.WRONG);
    String form = "HOST:PORT=HOST:PORT";
    assertThat(said())
        .isEqualTo(
            """
            PlainRelay: found PlainRelay, expected PlainRelay %1$s...
            PlainRelay: %1$s: found 127.0.0.1:1, expected two addresses with = between them
            PlainRelay: %1$s: found 127.0.0.1:1=2, expected a host and a port, such as 127.0.0.1:11211
            PlainRelay: found PlainRelay --fast 127.0.0.1:1=127.0.0.1:2, expected PlainRelay %1$s...
            """,
            form);
  }

  @Test
  void shouldHelp() {
    assertThat(load("--help")).isEqualTo(CommandLines.FINE);
    assertThat(PlainRelay.run(out, "--help")).isEqualTo(CommandLines.FINE);
    assertThat(said())
        .startsWith("usage: InternodeLoad --writers PORT ")
        .contains("process whose CPU time is measured")
        .contains("usage: PlainRelay HOST:PORT=HOST:PORT...\n");
  }

  @Test
  void shouldNameEveryOptionInItsForm() {
    CommandSpec command = InternodeLoad.commandLine(out).getCommandSpec();
    for (OptionSpec option : command.options()) {
      if (!option.usageHelp()) {
        assertThat(command.usageMessage().customSynopsis()[0])
            .contains((option.required() ? "" : "[") + option.longestName() + " ");
      }
    }
  }
}
