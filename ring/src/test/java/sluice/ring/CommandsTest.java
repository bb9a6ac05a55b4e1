package sluice.ring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.datastax.oss.driver.api.core.DefaultConsistencyLevel;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import sluice.gateway.cli.CommandLines;

/** What the programs of this module take on their command lines; nothing is started. */
class CommandsTest {
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(said, true, UTF_8);
  private final CommandLine workload = WorkloadCommand.commandLine(out, out);
  private final CommandLine wan = WanLoad.commandLine(out, out);

  private String said() {
    return said.toString(UTF_8);
  }

  private WorkloadCommand parsed(String... arguments) {
    workload.parseArgs(arguments);
    return workload.getCommand();
  }

  @Test
  void shouldWriteToItsOwnRingUnlessToldOtherwise() {
    WorkloadCommand command = parsed();
    assertThat(command.nodes()).isEmpty();
    assertThat(command.workload())
        .isEqualTo(new Workload(10_000, 1024, 50, 32, DefaultConsistencyLevel.ALL));
  }

  @Test
  void shouldWriteWhatItIsTold() {
    WorkloadCommand command =
        parsed(
            ("--nodes 127.0.0.1:9042,127.0.0.1:9043 --rows 20 --size 0 --compressible 100"
                    + " --parallel 4 --level LOCAL_QUORUM --rounds 1")
                .split(" "));
    InetAddress loopback = InetAddress.getLoopbackAddress();
    assertThat(command.nodes())
        .containsExactly(
            new InetSocketAddress(loopback, 9042), new InetSocketAddress(loopback, 9043));
    assertThat(command.workload())
        .isEqualTo(new Workload(20, 0, 100, 4, DefaultConsistencyLevel.LOCAL_QUORUM));
  }

  @ParameterizedTest
  @CsvSource({
    "--nodes, localhost, hosts and ports with commas between them",
    "--rows, 0, 1 to 999999999",
    "--size, -1, 0 to 999999999",
    "--compressible, 101, 0 to 100",
    "--parallel, many, 1 to 999999999",
    "--rounds, 1.5, 0 to 999999999"
  })
  void shouldRefuseAValueByItself(String option, String found, String expected) {
    assertThat(workload.execute(option, found)).isEqualTo(CommandLines.WRONG);
    assertThat(said()).isEqualTo("workload: %s: found %s, expected %s\n", option, found, expected);
  }

  @Test
  void shouldNameTheLevelsThatThereAre() {
    assertThat(workload.execute("--level", "all")).isEqualTo(CommandLines.WRONG);
    assertThat(said())
        .startsWith("workload: --level: found all, expected ANY, ONE, TWO, THREE, QUORUM, ALL,");
  }

  @Test
  void shouldSayHowTheyAreUsed() {
    assertThat(workload.execute("--rows")).isEqualTo(CommandLines.WRONG);
    assertThat(workload.execute("--column", "1")).isEqualTo(CommandLines.WRONG);
    assertThat(wan.execute("recording")).isEqualTo(CommandLines.WRONG);
    assertThat(wan.execute("recording", "0")).isEqualTo(CommandLines.WRONG);
    assertThat(said().lines())
        .hasSize(4)
        .contains(
            "WanLoad: found WanLoad recording, expected WanLoad FILE DIVISOR",
            "WanLoad: DIVISOR: found 0, expected 1 to 999999999")
        .anyMatch(line -> line.startsWith("workload: found workload --rows, expected workload ["))
        .anyMatch(line -> line.startsWith("workload: found workload --column 1, expected workl"));
  }

  @Test
  void shouldHelp() {
    assertThat(workload.execute("--help")).isEqualTo(CommandLines.FINE);
    assertThat(wan.execute("--help")).isEqualTo(CommandLines.FINE);
    assertThat(said())
        .startsWith("usage: workload [--nodes ")
        .contains("usage: WanLoad FILE DIVISOR\n");
  }

  @Test
  void shouldNameEveryOptionInItsForm() {
    for (OptionSpec option : workload.getCommandSpec().options()) {
      if (!option.usageHelp()) {
        assertThat(workload.getCommandSpec().usageMessage().customSynopsis()[0])
            .contains("[" + option.longestName() + " ");
      }
    }
  }
}
