package sluice.perf.torture;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
    assertThat(torture("--steps", Integer.toString(kinds + 2), "--leaks", "paranoid"))
        .as(() -> output)
        .isZero();
    for (Fault fault : Fault.values()) {
      assertThat(output).contains(" " + fault.label() + " ");
    }
    assertThat(output).contains("PASSED").doesNotContain("writes: 0 acknowledged");
  }

  @Test
  @Tag("long")
  void shouldFailNoRequestInAThousandReloads() throws Exception {
    assertThat(torture("--only", "reloads", "--steps", "1000")).as(() -> output).isZero();
  }

  /** What a checker does not find when it is there, it does not find when it happens. */
  @ParameterizedTest
  @CsvSource({
    "swap, wrong replies to steady",
    "acknowledge, 'was acknowledged, but not by the server that the route names'",
    "drop, came before the answer to"
  })
  void shouldFailBeforeAProxyThatLies(String deed, String finding) throws Exception {
    assertThat(
            torture("--only", "none", "--requests", "8000", "--leaks", "simple", "--wrong", deed))
        .as(() -> output)
        .isEqualTo(1);
    assertThat(output).contains("FAILED").contains(finding);
  }

  @Test
  void shouldSayWhatItDoesNotUnderstand() throws Exception {
    assertThat(torture("--only", "boredom")).isEqualTo(2);
    assertThat(output).contains("found the fault boredom").contains("usage: sluice torture");
  }
}
