package sluice.perf;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import sluice.load.process.Memcached;
import sluice.testkit.FreePort;

@Timeout(60)
class SelfCheckCommandTest {
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();

  private int check(String... arguments) {
    try (PrintStream out = new PrintStream(said, true, UTF_8)) {
      return SelfCheckCommand.run(out, arguments);
    }
  }

  private String said() {
    return said.toString(UTF_8);
  }

  @Test
  void shouldFindNothingWrongWithAMemcached() throws Exception {
    int port = FreePort.number();
    try (Memcached memcached = new Memcached(port)) {
      String address = "127.0.0.1:" + memcached.address().getPort();
      int code =
          check("--requests", "5000", "--seed", "-7", address, "--meta", "1", "--classic-only");
      assertThat(code).as(said()).isZero();
    }
    assertThat(said()).startsWith("seed -7\n").hasLineCount(2);
  }

  /** Where nobody listens, connections are made again and again. */
  @Test
  void shouldFailOfErrorsUnlessTheyAreExpected() throws Exception {
    String address = "127.0.0.1:" + FreePort.number();
    assertThat(check(address, "--seconds", "1")).as(said()).isEqualTo(1);
    assertThat(check(address, "--seconds", "1", "--tolerant")).as(said()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "--requests, -1, a whole number",
    "--text, x, 0 to 999999999",
    "--meta, -4, 0 to 999999999",
    "--binary, 1.5, 0 to 999999999",
    "--depth, 0, 1 to 999999999",
    "--largest, 4K, 0 to 999999999",
    "--seed, seven, a whole number",
    "--seconds, 1m, 0 to 999999999",
    "--reply-limit-seconds, -1, 0 to 999999999"
  })
  void shouldRefuseAValueByItself(String option, String found, String expected) {
    assertThat(check("127.0.0.1:1", option, found)).isEqualTo(2);
    assertThat(said()).isEqualTo("selfcheck: %s: found %s, expected %s\n", option, found, expected);
  }

  @Test
  void shouldRefuseAnAddressThatIsNone() {
    assertThat(check("unix:/s")).isEqualTo(2);
    assertThat(said())
        .isEqualTo(
            "selfcheck: HOST:PORT: found unix:/s, expected a host and a port, such as"
                + " 127.0.0.1:11211\n");
  }

  @Test
  void shouldSayHowItIsUsed() {
    assertThat(check()).isEqualTo(2);
    assertThat(check("127.0.0.1:1", "--patient")).isEqualTo(2);
    assertThat(said().lines())
        .hasSize(2)
        .first()
        .asString()
        .startsWith("selfcheck: found selfcheck, expected selfcheck HOST:PORT [--requests N] ");
    assertThat(said())
        .contains("\nselfcheck: found selfcheck 127.0.0.1:1 --patient, expected selfcheck ");
  }

  @Test
  void shouldHelp() {
    assertThat(check("--help")).isZero();
    assertThat(said())
        .startsWith("usage: selfcheck HOST:PORT [--requests N] ")
        .contains("--reply-limit-seconds");
  }

  @Test
  void shouldNameEveryOptionInItsForm() {
    CommandSpec command = SelfCheckCommand.commandLine(System.out).getCommandSpec();
    for (OptionSpec option : command.options()) {
      if (!option.usageHelp()) {
        assertThat(command.usageMessage().customSynopsis()[0]).contains("[" + option.longestName());
      }
    }
  }
}
