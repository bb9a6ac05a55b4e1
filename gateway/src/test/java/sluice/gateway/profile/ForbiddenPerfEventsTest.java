package sluice.gateway.profile;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A profile of processor time in a process that the kernel refuses perf events, as in most pods.
 */
class ForbiddenPerfEventsTest {
  /** What the child does: it prints the engine, and the profile. */
  static final class Child {
    private Child() {}

    /** Records a profile of itself. */
    public static void main(String[] arguments) throws Exception {
      Profiler profiler = new Profiler();
      profiler.reserve(new ProfileRequest(ProfileEvent.CPU, 1, ProfileFormat.COLLAPSED));
      Profiler.Recording recording = profiler.start();
      ThreadMXBean threads = ManagementFactory.getThreadMXBean();
      long end = threads.getCurrentThreadCpuTime() + 300_000_000L;
      while (threads.getCurrentThreadCpuTime() < end) {
        Thread.onSpinWait();
      }
      Profile profile = recording.finish();
      System.out.println("engine=" + profile.engine().label());
      System.out.println(new String(profile.content(), UTF_8));
    }
  }

  @Test
  void shouldRecordByTimersAndSaySo() throws Exception {
    Path script = Path.of(ForbiddenPerfEventsTest.class.getResource("no-perf-events.py").toURI());
    Process process =
        new ProcessBuilder(
                List.of(
                    "python3",
                    script.toString(),
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    Child.class.getName()))
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    assertThat(said)
        .contains("engine=ctimer\n")
        .contains("sluice/gateway/profile/ForbiddenPerfEventsTest$Child.main");
  }
}
