package sluice.perf.simulation;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
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
      "sluice simulate [--seeds N] [--first SEED] [--minutes N | --seconds N]"
          + " [--only-faults N,N] [--only-clients N,N] [--at-most SECONDS] [--jobs N]"
          + " [--twice] [--trace]",
      "sluice simulate --corpus"
    },
    description = {
      "Runs two gateways on a simulated network, clock and scheduler.",
      "Clients check every reply while servers and connections fail. A seed always leads to the",
      "same run, so that a finding can be repeated.",
      "A seed's line counts the replies: exact if only one was right, weak if a fault allowed",
      "several, excused if a fault or a slow client caused an error or a missing reply."
    },
    exitCodeList = {
      "0:no seed had a finding",
      "1:a seed had a finding, or differed when it was repeated",
      "2:the command line is wrong"
    })
public final class Simulate implements Callable<Integer> {
  private static final int ANY = 1_000_000_000;

  /** How many simulations may look for a smaller one with a finding. */
  private static final int MOST_RUNS = 60;

  /** Seeds for which a process is started, unless the user says how many processes there are. */
  private static final int LEAST_SEEDS = 8;

  private final PrintStream out;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      defaultValue = "100",
      converter = OptionValues.CountConverter.class,
      description = "number of simulations (default: 100)")
  private int seeds;

  @Option(
      names = "--first",
      paramLabel = "SEED",
      description = "first seed; the others follow it (default: random)")
  private @Nullable Long first;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "10",
      converter = OptionValues.CountConverter.class,
      description = "virtual minutes per simulation (default: 10)")
  private int minutes;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      converter = OptionValues.CountConverter.class,
      description = "virtual seconds per simulation, instead of minutes")
  private @Nullable Integer seconds;

  @Option(
      names = "--only-faults",
      paramLabel = "N",
      split = ",",
      description = "cause only these faults of each simulation, counted from 1; 0 for none")
  private @Nullable Set<Integer> faults;

  @Option(
      names = "--only-clients",
      paramLabel = "N",
      split = ",",
      description = "run only these clients of each simulation, counted from 1")
  private @Nullable Set<Integer> clients;

  @Option(
      names = "--at-most",
      paramLabel = "SECONDS",
      defaultValue = "1000000",
      converter = OptionValues.CountConverter.class,
      description = "start no further simulation after this time")
  private int atMost;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      converter = OptionValues.CountConverter.class,
      description = "number of processes that share the seeds (default: one for each processor)")
  private @Nullable Integer jobs;

  @Option(
      names = "--corpus",
      description = "run the simulations that once had a finding, instead of seeds")
  private boolean corpus;

  @Option(
      names = "--step",
      paramLabel = "N",
      defaultValue = "1",
      hidden = true,
      converter = OptionValues.CountConverter.class)
  private int step;

  @Option(names = "--twice", description = "run each seed in two processes, and compare the runs")
  private boolean twice;

  @Option(names = "--trace", description = "print everything that happens, and the gateways' logs")
  private boolean trace;

  @Option(names = "--part", hidden = true)
  private boolean part; // of a run with several processes

  @Option(names = "--swapped", hidden = true)
  private boolean swapped; // each pair of seeds in the other order

  private long began;
  private long requests;
  private Tally.Counts replies = Tally.Counts.NONE;
  private int ran;
  private int failed;

  private Simulate(PrintStream out) {
    this.out = out;
  }

  /** Runs the command. */
  public static void main(String[] arguments) {
    TlsParameters.set();
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
    String summary;
    boolean fine;
    int processCount = processCount();
    if ((processCount > 1 || twice) && !trace && !corpus && !part) {
      Processes processes = new Processes(out, twice);
      processes.run(first, seeds, processCount, limits());
      fine = processes.isFine();
      summary = processes.summary();
    } else {
      List<Plan> plans = corpus ? Corpus.plans() : List.of();
      Thread thread = new SimulationThread(() -> simulate(plans));
      thread.start();
      thread.join();
      fine = failed == 0 && ran > 0;
      summary =
          String.format(
              Locale.ROOT,
              "%d of %d seeds without a finding, %,d requests, %d %% of replies judged exactly",
              ran - failed,
              ran,
              requests,
              replies.percentExact());
    }
    if (!part) {
      out.printf(
          Locale.ROOT,
          "%s: %s, %.0f s%n",
          fine ? "PASSED" : "FAILED",
          summary,
          (System.nanoTime() - began) / 1e9);
    }
    return fine ? CommandLines.FINE : CommandLines.FAILED;
  }

  /** The number of processes of one group. A few seeds are not worth the start of a second one. */
  private int processCount() {
    if (jobs != null) {
      return jobs;
    }
    int groups = twice ? 2 : 1;
    int most = Math.max(1, Runtime.getRuntime().availableProcessors() / groups);
    return Math.max(1, Math.min(most, seeds / LEAST_SEEDS));
  }

  private List<String> limits() {
    List<String> limits = new ArrayList<>();
    limits.addAll(List.of("--minutes", String.valueOf(minutes)));
    limits.addAll(List.of("--at-most", String.valueOf(atMost)));
    if (seconds != null) {
      limits.addAll(List.of("--seconds", String.valueOf(seconds)));
    }
    if (faults != null) {
      limits.addAll(List.of("--only-faults", Plan.list(faults)));
    }
    if (clients != null) {
      limits.addAll(List.of("--only-clients", Plan.list(clients)));
    }
    return limits;
  }

  private void simulate(List<Plan> plans) {
    ErrorLog log = ErrorLog.install(trace);
    var unused =
        Life.run(Plan.of(0, 1), null, log); // static buffers are allocated at their first use
    if (corpus) {
      plans.forEach(plan -> run(plan, log));
      return;
    }
    long from = first == null ? 0 : first;
    for (int i = 0; i < seeds; i++) {
      int index = swapped && (i ^ 1) < seeds ? i ^ 1 : i;
      run(plan(from + (long) index * step), log);
      boolean isPair = !part || i % 2 == 1; // the other process has run the same two seeds, too
      if (isPair && TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began) >= atMost) {
        return;
      }
    }
  }

  private Plan plan(long seed) {
    return new Plan(seed, seconds == null ? minutes * 60L : seconds, faults, clients);
  }

  private void run(Plan plan, ErrorLog log) {
    Life.Outcome outcome = Life.run(plan, trace ? out : null, log);
    print(plan, outcome);
    if (!outcome.findings().isEmpty() && !trace) {
      Plan smaller =
          new Shrinker(plan, outcome, other -> Life.run(other, null, log), MOST_RUNS).shrink();
      if (!smaller.equals(plan)) {
        out.println("  or: " + smaller.command());
      }
    }
    if (part) {
      out.println(Processes.END);
    }
    out.flush();
  }

  private void print(Plan plan, Life.Outcome outcome) {
    boolean fine = outcome.findings().isEmpty();
    ran++;
    requests += outcome.requests();
    replies = replies.plus(outcome.replies());
    failed += fine ? 0 : 1;
    out.printf(
        Locale.ROOT,
        "seed %d: hash=%016x requests=%d %s faults=%d events=%d %s%n",
        outcome.seed(),
        outcome.hash(),
        outcome.requests(),
        outcome.replies().line(),
        outcome.faults(),
        outcome.events(),
        fine ? "ok" : "FAILED");
    outcome.findings().forEach(finding -> out.println("  " + finding));
    if (!fine) {
      out.println("  to repeat it: " + plan.command());
    }
  }
}
