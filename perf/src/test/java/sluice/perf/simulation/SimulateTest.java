package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class SimulateTest {
  private static final Pattern REQUESTS = Pattern.compile("requests=([0-9]+)");
  private static final Pattern HASH = Pattern.compile("hash=([0-9a-f]{16})");

  /** What the command prints, in a process with the options of {@code perf/simulate}. */
  private static String simulate(int expectedCode, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx768m",
            "-XX:TieredStopAtLevel=1", // in a short run, C2 takes as long as the simulations
            "-XX:+UseSerialGC",
            "-XX:+UnlockExperimentalVMOptions",
            "-XX:hashCode=2",
            "-Dsluice.embedded.seed=1",
            "-Dio.netty.allocator.type=unpooled",
            "-Dvertx.disableDnsResolver=true"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Simulate.class.getName()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(() -> output).isEqualTo(expectedCode);
    return output;
  }

  /** As many as a minute has room for, each twice; other seeds in each run of the suite. */
  @Test
  void shouldFindNothingAndDoTheSameAgain() throws Exception {
    String output = simulate(0, "--seeds", "1000", "--minutes", "10", "--twice", "--at-most", "60");
    System.out.print(output);
    assertThat(output).contains("PASSED").containsPattern("[1-9][0-9]* of them repeated");
  }

  @Test
  void shouldFindNothingWhereSomethingWasFound() throws Exception {
    long plans = Corpus.plans().size();
    assertThat(simulate(0, "--corpus")).contains("PASSED: %d of %d seeds".formatted(plans, plans));
  }

  /** One test, because each process takes seconds to start. */
  @Test
  void shouldDoTheSameInSeveralProcessesAndRunAPartOfASimulation() throws Exception {
    String alone = simulate(0, "--seeds", "2", "--first", "7", "--seconds", "5");
    String shared = simulate(0, "--seeds", "2", "--first", "7", "--seconds", "5", "--jobs", "2");
    assertThat(hashes(shared)).hasSize(2).containsExactlyInAnyOrderElementsOf(hashes(alone));
    String some =
        simulate(0, "--seeds 1 --first 7 --seconds 5 --only-faults 0 --only-clients 1".split(" "));
    assertThat(requests(some)).isPositive().isLessThan(requests(alone));
  }

  private static List<String> hashes(String output) {
    return HASH.matcher(output).results().map(found -> found.group(1)).distinct().toList();
  }

  private static long requests(String output) {
    Matcher found = REQUESTS.matcher(output);
    assertThat(found.find()).as(output).isTrue();
    return Long.parseLong(found.group(1));
  }

  @Test
  void shouldRefuseAWrongCommandLine() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PrintStream out = new PrintStream(bytes, true, UTF_8)) {
      assertThat(Simulate.run(out, "--seeds", "none")).isEqualTo(2);
    }
    assertThat(bytes.toString(UTF_8)).contains("--seeds").contains("none");
  }
}
