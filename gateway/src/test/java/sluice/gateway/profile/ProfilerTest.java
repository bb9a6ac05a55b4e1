package sluice.gateway.profile;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import one.profiler.AsyncProfiler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProfilerTest {
  private static final ProfileRequest CPU =
      new ProfileRequest(ProfileEvent.CPU, 1, ProfileFormat.COLLAPSED);

  /** What the profiler was told, with all that it can do but what is forbidden. */
  private static final class Told {
    final List<String> commands = new ArrayList<>();
    private final Predicate<String> forbidden;

    Told(Predicate<String> forbidden) {
      this.forbidden = forbidden;
    }

    Profiler profiler() {
      return new Profiler(() -> this::execute, () -> true);
    }

    private String execute(String command) throws java.io.IOException {
      commands.add(command);
      if (forbidden.test(command)) {
        throw new IllegalStateException("No access to perf events");
      }
      return AsyncProfiler.getInstance().execute(command);
    }

    List<Path> files() {
      return commands.stream()
          .filter(command -> command.contains("file="))
          .map(command -> Path.of(command.replaceFirst(".*file=", "")))
          .toList();
    }
  }

  @ParameterizedTest
  @CsvSource({
    ", , , CPU 30 FLAMEGRAPH",
    "alloc, 1, jfr, ALLOC 1 JFR",
    "lock, 50, collapsed, LOCK 50 COLLAPSED",
    "wall, 007, flamegraph, WALL 7 FLAMEGRAPH"
  })
  void shouldReadWhatIsAskedFor(String event, String seconds, String format, String expected) {
    ProfileRequest read = ProfileRequest.parse(event, seconds, format);
    assertThat(read.event() + " " + read.seconds() + " " + read.format()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "cpu,file=/etc/passwd | 1 | jfr | event: found 'cpu,file=/etc/passwd', expected one of cpu,"
            + " alloc, lock, wall",
        "CPU | 1 | jfr | event: found 'CPU', expected one of cpu, alloc, lock, wall",
        "cpu | 0 | jfr | seconds: found 0, expected 1 to 50",
        "cpu | 51 | jfr | seconds: found 51, expected 1 to 50",
        "cpu | -1 | jfr | seconds: found '-1', expected 1 to 50",
        "cpu | 99999999999 | jfr | seconds: found '99999999999', expected 1 to 50",
        "cpu | 1,loop=1 | jfr | seconds: found '1,loop=1', expected 1 to 50",
        "cpu | 1 | tree | format: found 'tree', expected one of flamegraph, jfr, collapsed",
        "cpu | 1 | '' | format: found '', expected one of flamegraph, jfr, collapsed"
      })
  void shouldRefuseWhatIsNotOnTheList(String event, String seconds, String format, String message) {
    assertThatThrownBy(() -> ProfileRequest.parse(event, seconds, format))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(message);
  }

  @Test
  void shouldRecordByTimersWherePerfEventsAreForbiddenAndSaySo() throws Exception {
    Told told = new Told(command -> command.contains("cpu-clock"));
    Profile profile = record(told.profiler(), CPU);
    assertThat(profile.engine()).isEqualTo(Engine.CTIMER);
    assertThat(profile.fileName()).isEqualTo("cpu-ctimer-1s.txt");
    assertThat(new String(profile.content(), UTF_8))
        .contains("sluice/gateway/profile/ProfilerTest.burn");
  }

  @Test
  void shouldRecordByTimersWherePerfEventsWouldLeaveTheKernelOut() throws Exception {
    Told told = new Told(command -> false);
    Profile profile = record(new Profiler(() -> told::execute, () -> false), CPU);
    assertThat(profile.engine()).isEqualTo(Engine.CTIMER);
    assertThat(told.commands).noneMatch(command -> command.contains("cpu-clock"));
  }

  @Test
  void shouldSayOnTheFlameGraphWhatTookItsSamples() throws Exception {
    Told told = new Told(command -> command.contains("cpu-clock"));
    ProfileRequest flames = new ProfileRequest(ProfileEvent.CPU, 1, ProfileFormat.FLAMEGRAPH);
    String page = new String(record(told.profiler(), flames).content(), UTF_8);
    // names are written without what they share with the one before
    assertThat(page).contains("<h1>cpu by ctimer</h1>").contains("burn'");
  }

  @Test
  void shouldRecordOneAtATimeAndLeaveNoFiles() throws Exception {
    Told told = new Told(command -> false);
    Profiler profiler = told.profiler();
    assertThat(profiler.reserve(CPU)).isTrue();
    assertThat(profiler.reserve(CPU)).isFalse();
    Profiler.Recording recording = profiler.start();
    assertThat(profiler.reserve(CPU)).isFalse();
    recording.drop();
    assertThat(profiler.recording()).isNull();

    record(profiler, CPU);
    record(profiler, new ProfileRequest(ProfileEvent.WALL, 1, ProfileFormat.JFR));
    assertThat(told.files()).hasSizeGreaterThanOrEqualTo(2).noneMatch(Files::exists);
  }

  @Test
  void shouldSayWhyNothingCanBeRecordedAndBeFreeAgain() {
    Profiler forbidden = new Told(command -> command.startsWith("start")).profiler();
    assertThat(forbidden.reserve(CPU)).isTrue();
    assertThatThrownBy(forbidden::start)
        .isInstanceOf(ProfilerException.class)
        .hasMessage("cannot profile here: No access to perf events");
    assertThat(forbidden.recording()).isNull();

    Profiler absent =
        new Profiler(
            () -> {
              throw new UnsatisfiedLinkError("no such library");
            },
            () -> true);
    assertThat(absent.reserve(CPU)).isTrue();
    assertThatThrownBy(absent::start)
        .isInstanceOf(ProfilerException.class)
        .hasMessage("cannot profile here: no such library");
    assertThat(absent.recording()).isNull();
  }

  private static Profile record(Profiler profiler, ProfileRequest request) throws Exception {
    assertThat(profiler.reserve(request)).isTrue();
    Profiler.Recording recording = profiler.start();
    burn();
    return recording.finish();
  }

  /** Processor time, even on a busy machine. */
  private static void burn() {
    var threads = java.lang.management.ManagementFactory.getThreadMXBean();
    long end = threads.getCurrentThreadCpuTime() + 300_000_000L;
    while (threads.getCurrentThreadCpuTime() < end) {
      Thread.onSpinWait();
    }
  }
}
