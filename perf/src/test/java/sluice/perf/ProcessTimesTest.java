package sluice.perf;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ProcessTimesTest {
  private static final Pattern TIMES =
      Pattern.compile("loads=1 .* cpu_us=([\\d.]+) compiler_us=([\\d.]+) generator_us=.*");

  /** Microseconds of all threads, and of the compiler threads. */
  private static double[] times(ProcessTimes window) throws IOException {
    Matcher found = TIMES.matcher(window.perRequest("loads", 1));
    assertThat(found.matches()).isTrue();
    return new double[] {Double.parseDouble(found.group(1)), Double.parseDouble(found.group(2))};
  }

  /** Code that the JVM has to compile, as it runs again and again. */
  private static void run(int round) {
    String text = "ab".repeat(50 + round % 50) + "c";
    assertThat(Pattern.compile("(a|b)*c{1," + (1 + round % 50) + "}").matcher(text).find())
        .isTrue();
  }

  @Test
  @Timeout(value = 2, unit = TimeUnit.MINUTES)
  void shouldCountTheCompilerThreadsOfAJvm() throws IOException {
    ProcessTimes window = ProcessTimes.begin("" + ProcessHandle.current().pid());
    double[] times = times(window);
    for (int round = 0; times[1] == 0; round++) { // until the time limit of this test
      run(round);
      times = times(window);
    }
    assertThat(times[1]).isPositive();
  }

  @Test
  void shouldHaveNoTimesWithoutAProcess() throws IOException {
    assertThat(times(ProcessTimes.begin(""))).containsExactly(0, 0);
  }
}
