package sluice.perf.simulation;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import sluice.gateway.cli.CommandLines;

/**
 * Processes that share the seeds of a run, and what they have found.
 *
 * <p>A run that does everything twice has a second group of processes. They run the seeds in
 * another order, so that a simulation that depends on those before it, or on its process, gets
 * another hash.
 */
final class Processes {
  /** Ends what a process prints for a seed. */
  static final String END = "\f";

  private final PrintStream out;
  private final boolean twice;
  private final List<Process> processes = new ArrayList<>();
  private final List<Thread> readers = new ArrayList<>();
  private final Map<String, String> once = new LinkedHashMap<>(); // blocks by seed, if twice
  private long requests;
  private Tally.Counts replies = Tally.Counts.NONE;
  private int ran;
  private int repeated;
  private int failed;
  private boolean broken; // a process ended before its last seed

  Processes(PrintStream out, boolean twice) {
    this.out = out;
    this.twice = twice;
  }

  /**
   * Runs seeds, and prints what became of them.
   *
   * @param limits further arguments of each process
   */
  void run(long first, int seeds, int jobs, List<String> limits)
      throws IOException, InterruptedException {
    for (int i = 0; i < Math.min(jobs, seeds); i++) {
      List<String> share = new ArrayList<>(limits);
      share.addAll(List.of("--first", String.valueOf(first + i), "--step", String.valueOf(jobs)));
      share.addAll(List.of("--seeds", String.valueOf((seeds - i + jobs - 1) / jobs), "--part"));
      start(share);
      if (twice) {
        share.add("--swapped");
        start(share);
      }
    }
    for (Thread reader : readers) {
      reader.join();
    }
    for (Process process : processes) {
      int code = process.waitFor();
      if (code != CommandLines.FINE && code != CommandLines.FAILED) {
        out.printf(Locale.ROOT, "a process of the run ended with exit code %d%n", code);
        broken = true;
      }
    }
    once.values().forEach(block -> count(block, false)); // the time was over before the second run
  }

  private void start(List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(Simulate.class.getName());
    command.addAll(arguments);
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    processes.add(process);
    Thread reader = new Thread(() -> read(process), "reader");
    reader.start();
    readers.add(reader);
  }

  private void read(Process process) {
    StringBuilder block = new StringBuilder();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.equals(END)) {
          take(block.toString());
          block.setLength(0);
        } else {
          block.append(line).append('\n');
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    out.print(block); // of a process that ended early
  }

  private synchronized void take(String block) {
    if (!twice) {
      count(block, false);
      return;
    }
    String seed = head(block).substring(0, block.indexOf(':'));
    String before = once.remove(seed);
    if (before == null) {
      once.put(seed, block);
      return;
    }
    repeated++;
    boolean differs = !before.equals(block);
    count(before, differs);
    if (differs) {
      out.println("  found when it was repeated: " + block.stripTrailing());
    }
  }

  private void count(String block, boolean differs) {
    out.print(block);
    out.flush();
    String head = head(block);
    ran++;
    failed += !differs && head.endsWith(" ok") ? 0 : 1;
    int at = head.indexOf("requests=") + "requests=".length();
    requests += Long.parseLong(head.substring(at, head.indexOf(' ', at)));
    replies = replies.plus(Tally.Counts.of(head));
  }

  private static String head(String block) {
    return block.substring(0, block.indexOf('\n'));
  }

  /** Whether nothing was found, and every process has run to its end. */
  boolean isFine() {
    return failed == 0 && ran > 0 && !broken && (!twice || repeated > 0);
  }

  /** What became of all of them, in a few words. */
  String summary() {
    return String.format(
        Locale.ROOT,
        "%d of %d seeds without a finding%s, %,d requests, %d %% of replies judged exactly",
        ran - failed,
        ran,
        twice ? ", " + repeated + " of them repeated" : "",
        requests,
        replies.percentExact());
  }
}
