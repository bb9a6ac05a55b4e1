package sluice.perf.torture;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.uring.IoUring;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TortureTest {
  private static final String SEED = Long.toString(Long.getLong("sluice.torture.seed", 20_261_121));

  @TempDir private Path directory;

  private String output;

  private int torture(String... arguments) throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    List<String> all = new ArrayList<>(List.of("--seed", SEED));
    all.addAll(List.of("--directory", directory.toString()));
    all.addAll(List.of(arguments));
    int code;
    try (PrintStream out = new PrintStream(bytes, true, UTF_8)) {
      code = Torture.run(out, all.toArray(String[]::new));
    }
    output = bytes.toString(UTF_8);
    return code;
  }

  @Test
  void shouldStandWhateverHappens() throws Exception {
    int kinds = Fault.values().length;
    // Ten groups of clients, the gateway and its servers start cold on what processors there are.
    assertThat(torture("--steps", "" + (kinds + 2), "--leaks", "paranoid", "--slack-ms", "10000"))
        .as(() -> output)
        .isZero();
    for (Fault fault : Fault.values()) {
      assertThat(output).contains(" " + fault.label() + " ");
    }
    assertThat(output).contains("PASSED").doesNotContain("writes: 0 acknowledged");
  }

  @Test
  @Tag("long")
  void shouldStandWhateverHappensOnIoUring() throws Exception {
    assumeTrue(IoUring.isAvailable(), "this kernel, or its seccomp profile, allows no io_uring");
    assertThat(torture("--steps", "40", "--leaks", "paranoid", "--transport", "io_uring"))
        .as(() -> output)
        .isZero();
    assertThat(output).contains("PASSED").doesNotContain("writes: 0 acknowledged");
  }

  @Test
  @Tag("long")
  void shouldFailNoRequestInAThousandReloads() throws Exception {
    assertThat(torture("--only", "reloads", "--steps", "1000")).as(() -> output).isZero();
  }

  /** What a checker does not find when it is there, it does not find when it happens. */
  @Test
  void shouldFindWhatIsDoneWrong() throws Exception {
    String all =
        Arrays.stream(Options.Wrong.values())
            .map(Options.Wrong::label)
            .collect(Collectors.joining(","));
    // What has timed out may hold anything: on a machine with other work, pools wait for longer.
    assertThat(
            torture(
                "--only",
                "none",
                "--requests",
                "40000",
                "--timeout-ms",
                "3000",
                "--leaks",
                "simple",
                "--wrong",
                all))
        .as(() -> output)
        .isEqualTo(1);
    assertThat(output)
        .contains("FAILED")
        .contains("came before the answer to") // drop
        .containsPattern("clients moving split: .*WRONG [1-9]") // swap
        .containsPattern("clients plain: .*WRONG [1-9]") // cross
        .containsPattern("clients near: .*WRONG [1-9]") // stale
        .containsPattern("clients split: .*WRONG [1-9]") // torn
        .containsPattern("clients shadowed: .*WRONG [1-9]") // shadowed
        .contains("was acknowledged, but not by the server that the route names")
        .containsPattern("; moving \\d+, [1-9]") // acknowledge
        .containsPattern("; replicated 0, [1-9]") // single
        .containsPattern("; near [1-9]\\d*, 0;");
  }

  @Test
  void shouldSayWhatItDoesNotUnderstand() throws Exception {
    assertThat(torture("--only", "boredom")).isEqualTo(2);
    assertThat(output)
        .startsWith("sluice: torture: --only: found boredom, expected none, or of ")
        .hasLineCount(1);
    assertThat(torture("--request", "7")).isEqualTo(2);
    assertThat(output)
        .startsWith("sluice: found torture --seed ")
        .contains(" --request 7, expected torture [--seed N] [--requests N] ")
        .hasLineCount(1);
  }

  @Test
  void shouldHelpAsIsDocumented() throws Exception {
    assertThat(torture("--help")).isZero();
    assertThat(Files.readString(Path.of("../docs/reference/commands.md")))
        .contains("```text\n$ ./sluice torture --help\n" + output + "```\n");
  }
}
