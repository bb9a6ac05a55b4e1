package sluice.perf;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** CPU time of a proxy and of the load that drives it, over a number of requests. */
public final class ProcessTimes {
  /** The kernel's USER_HZ, which /proc counts in. */
  private static final long TICKS_PER_SECOND = 100;

  /** The names of HotSpot's compiler threads, which the kernel cuts after 15 characters. */
  private static final Pattern COMPILER = Pattern.compile("C[12] Compiler");

  private final String pid;
  private final long[] before;
  private final long ownBefore;
  private final long begin;
  private final long switchesBefore;
  private final Map<Path, Long> compilersBefore;

  private ProcessTimes(String pid) throws IOException {
    this.pid = pid;
    before = ticks(pid);
    switchesBefore = switches(pid);
    compilersBefore = compilers(pid);
    ownBefore = ownNanos();
    begin = System.nanoTime();
  }

  /**
   * Begins a window.
   *
   * @param pid of the proxy; empty for none, whose times are 0
   * @throws IOException if there is no such process
   */
  public static ProcessTimes begin(String pid) throws IOException {
    return new ProcessTimes(pid);
  }

  /** When the window began, as {@link System#nanoTime} counts. */
  public long beginNanos() {
    return begin;
  }

  /**
   * Ends the window: {@code what=COUNT seconds= per_second= user_us= system_us= cpu_us=
   * compiler_us= generator_us= switches= resident_kib=}.
   *
   * <p>Times are microseconds of CPU for each of {@code what}; switches are the proxy's context
   * switches. {@code compiler_us} is the part of {@code cpu_us} that a JVM's compiler threads took.
   *
   * @throws IOException if the proxy has ended
   */
  public String perRequest(String what, long count) throws IOException {
    double elapsed = (System.nanoTime() - begin) / 1e9;
    double own = (ownNanos() - ownBefore) / 1e3;
    long[] after = ticks(pid);
    double user = (after[0] - before[0]) * 1e6 / TICKS_PER_SECOND / count;
    double system = (after[1] - before[1]) * 1e6 / TICKS_PER_SECOND / count;
    return String.format(
        Locale.ROOT,
        "%s=%d seconds=%.3f per_second=%.0f user_us=%.3f system_us=%.3f cpu_us=%.3f"
            + " compiler_us=%.3f generator_us=%.3f switches=%.4f resident_kib=%d",
        what,
        count,
        elapsed,
        count / elapsed,
        user,
        system,
        user + system,
        (double) compilerNanos() / 1e3 / count,
        own / count,
        (double) (switches(pid) - switchesBefore) / count,
        pid.isEmpty() ? 0 : number(Path.of("/proc", pid, "status"), "VmRSS:"));
  }

  /** Of all threads that live, by their own will and not. */
  private static long switches(String pid) throws IOException {
    if (pid.isEmpty()) {
      return 0;
    }
    long all = 0;
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc", pid, "task"))) {
      for (Path thread : threads) {
        Path status = thread.resolve("status");
        all += number(status, "voluntary_ctxt_switches:");
        all += number(status, "nonvoluntary_ctxt_switches:");
      }
    }
    return all;
  }

  /**
   * CPU time of the compiler threads since the window began. Threads that have ended are not
   * counted.
   */
  private long compilerNanos() throws IOException {
    long all = 0;
    for (Map.Entry<Path, Long> thread : compilers(pid).entrySet()) {
      all += thread.getValue() - compilersBefore.getOrDefault(thread.getKey(), 0L);
    }
    return all;
  }

  /** CPU time, in nanoseconds, of a JVM's compiler threads, by their directories in /proc. */
  private static Map<Path, Long> compilers(String pid) throws IOException {
    Map<Path, Long> found = new HashMap<>();
    if (pid.isEmpty()) {
      return found;
    }
    try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc", pid, "task"))) {
      for (Path thread : threads) {
        addCompiler(found, thread);
      }
    }
    return found;
  }

  /** Adds the CPU time of thread, a directory in /proc, if it is a compiler thread. */
  private static void addCompiler(Map<Path, Long> found, Path thread) throws IOException {
    try {
      if (COMPILER.matcher(Files.readString(thread.resolve("comm"), ISO_8859_1)).lookingAt()) {
        String times = Files.readString(thread.resolve("schedstat"), ISO_8859_1);
        found.put(thread, Long.parseLong(times.substring(0, times.indexOf(' '))));
      }
    } catch (NoSuchFileException e) {
      return; // the thread has ended since it was listed
    }
  }

  /** The number behind a name; 0 if the thread has ended since it was listed. */
  private static long number(Path status, String name) throws IOException {
    try {
      for (String line : Files.readAllLines(status, ISO_8859_1)) {
        if (line.startsWith(name)) {
          return Long.parseLong(line.replaceAll("\\D", ""));
        }
      }
    } catch (NoSuchFileException e) {
      return 0;
    }
    throw new IOException(status + ": found no " + name);
  }

  /** User and system ticks of all threads of a process. */
  private static long[] ticks(String pid) throws IOException {
    if (pid.isEmpty()) {
      return new long[2];
    }
    String stat = Files.readString(Path.of("/proc", pid, "stat"), ISO_8859_1);
    // The name, in brackets, may hold spaces; user and system time are fields 14 and 15.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return new long[] {Long.parseLong(fields[11]), Long.parseLong(fields[12])};
  }

  private static long ownNanos() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }
}
