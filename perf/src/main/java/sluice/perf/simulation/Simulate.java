package sluice.perf.simulation;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import sluice.gateway.cli.CommandLines;
import sluice.names.build.AllowedHere;
import sluice.perf.OptionValues;
import sluice.perf.simulation.system.SimulationThread;

/** {@code sluice simulate}: two gateways in a simulated world, from one seed. */
@AllowedHere("a command line writes to its terminal")
@Command(
    name = "simulate",
    customSynopsis = {
      "sluice simulate [--seeds N] [--first SEED] [--minutes N] [--at-most SECONDS] [--jobs N]"
          + " [--twice] [--trace]"
    },
    description = {
      "Runs two gateways on a simulated network, clock and scheduler.",
      "Clients check every reply while servers and connections fail. The same seed always does the",
      "same, so that a finding can be repeated."
    },
    exitCodeList = {
      "0:no seed had a finding",
      "1:one had, or differed when it was repeated",
      "2:the command line is wrong"
    })
public final class Simulate implements Callable<Integer> {
  /** Ends what a process for some of the seeds prints for one of them. */
  private static final String END = "\f";

  private static final int ANY = 1_000_000_000;

  private final PrintStream out;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      defaultValue = "100",
      converter = OptionValues.CountConverter.class,
      description = "how many simulations; 100 unless it is given")
  private int seeds;

  @Option(
      names = "--first",
      paramLabel = "SEED",
      description = "the first seed, which the others follow; any unless it is given")
  private @Nullable Long first;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "10",
      converter = OptionValues.CountConverter.class,
      description = "virtual minutes of each; 10 unless it is given")
  private int minutes;

  @Option(
      names = "--at-most",
      paramLabel = "SECONDS",
      defaultValue = "1000000",
      converter = OptionValues.CountConverter.class,
      description = "begins no further simulation after that time")
  private int atMost;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      defaultValue = "1",
      converter = OptionValues.CountConverter.class,
      description = "how many processes share the seeds; 1 unless it is given")
  private int jobs;

  @Option(
      names = "--step",
      paramLabel = "N",
      defaultValue = "1",
      hidden = true,
      converter = OptionValues.CountConverter.class)
  private int step;

  @Option(names = "--twice", description = "runs each seed twice, and compares")
  private boolean twice;

  @Option(names = "--trace", description = "prints everything that happens")
  private boolean trace;

  @Option(names = "--part", hidden = true)
  private boolean part; // of a run with several processes

  private long began;
  private long requests;
  private int ran;
  private int failed;
  private boolean broken; // a process ended before its last seed

  private Simulate(PrintStream out) {
    this.out = out;
  }

  /** Runs the command. */
  public static void main(String[] arguments) {
    System.exit(run(System.out, arguments));
  }

  /** Runs the command and prints to out. */
  static int run(PrintStream out, String... arguments) {
    Simulate simulate = new Simulate(out);
    return CommandLines.of(CommandSpec.forAnnotatedObject(simulate), out, out).execute(arguments);
  }

  @Override
  public Integer call() throws InterruptedException, IOException {
    began = System.nanoTime();
    if (first == null) {
      first = (began >>> 10) % ANY;
    }
    if (jobs > 1 && !trace) {
      share(first);
    } else {
      Thread thread = new SimulationThread(this::simulate);
      thread.start();
      thread.join();
    }
    if (!part) {
      out.printf(
          Locale.ROOT,
          "%s: %d of %d seeds without a finding, %,d requests, %.0f s%n",
          isFine() ? "PASSED" : "FAILED",
          ran - failed,
          ran,
          requests,
          (System.nanoTime() - began) / 1e9);
    }
    return isFine() ? CommandLines.FINE : CommandLines.FAILED;
  }

  private boolean isFine() {
    return failed == 0 && ran > 0 && !broken;
  }

  private void simulate() {
    ErrorLog log = ErrorLog.install();
    var unused = Life.run(0, 1, null, log); // static buffers are allocated at their first use
    long from = first == null ? 0 : first;
    for (int i = 0; i < seeds; i++) {
      long seed = from + (long) i * step;
      Life.Outcome outcome = Life.run(seed, minutes * 60L, trace ? out : null, log);
      Life.@Nullable Outcome again = twice ? Life.run(seed, minutes * 60L, null, log) : null;
      print(outcome, again);
      if (TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began) >= atMost) {
        return;
      }
    }
  }

  private void print(Life.Outcome outcome, Life.@Nullable Outcome again) {
    boolean differs = again != null && again.hash() != outcome.hash();
    boolean fine = outcome.findings().isEmpty() && !differs;
    ran++;
    requests += outcome.requests();
    failed += fine ? 0 : 1;
    out.printf(
        Locale.ROOT,
        "seed %d: hash=%016x requests=%d faults=%d events=%d %s%n",
        outcome.seed(),
        outcome.hash(),
        outcome.requests(),
        outcome.faults(),
        outcome.events(),
        fine ? "ok" : "FAILED");
    if (differs && again != null) {
      out.printf(Locale.ROOT, "  found hash=%016x when it was repeated%n", again.hash());
    }
    outcome.findings().forEach(finding -> out.println("  " + finding));
    if (!fine) {
      out.printf(
          Locale.ROOT,
          "  to repeat it: ./sluice simulate --seeds 1 --first %d --minutes %d%n",
          outcome.seed(),
          minutes);
    }
    if (part) {
      out.println(END);
    }
    out.flush();
  }

  // --- several processes
  // ---------------------------------------------------------------------------

  private void share(long from) throws IOException, InterruptedException {
    List<Process> processes = new ArrayList<>();
    List<Thread> readers = new ArrayList<>();
    for (int i = 0; i < Math.min(jobs, seeds); i++) {
      List<String> command = new ArrayList<>();
      command.add(ProcessHandle.current().info().command().orElse("java"));
      command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
      command.addAll(List.of("-cp", System.getProperty("java.class.path")));
      command.add(Simulate.class.getName());
      command.addAll(
          List.of(
              "--part",
              "--seeds",
              String.valueOf((seeds - i + jobs - 1) / jobs),
              "--first",
              String.valueOf((from + i)),
              "--step",
              String.valueOf(jobs),
              "--minutes",
              String.valueOf(minutes),
              "--at-most",
              String.valueOf(atMost)));
      if (twice) {
        command.add("--twice");
      }
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      processes.add(process);
      Thread reader = new Thread(() -> read(process), "reader");
      reader.start();
      readers.add(reader);
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
  }

  private void read(Process process) {
    StringBuilder block = new StringBuilder();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.equals(END)) {
          count(block.toString());
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

  private synchronized void count(String block) {
    out.print(block);
    out.flush();
    String head = block.substring(0, block.indexOf('\n'));
    ran++;
    failed += head.endsWith(" ok") ? 0 : 1;
    int at = head.indexOf("requests=") + "requests=".length();
    requests += Long.parseLong(head.substring(at, head.indexOf(' ', at)));
  }
}
