package sluice.perf.simulation;

import java.security.SecureRandom;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import sluice.perf.simulation.system.SimulationThread;

/** Command line of the simulation. */
public final class Simulate {
  private static final String USAGE =
      """
      usage: simulate [--seeds N] [--first SEED] [--minutes M] [--at-most SECONDS] [--twice] [--trace]

      Runs two gateways on a simulated network, clock and scheduler, with clients that check every
      reply, and prints a line for each seed. The same seed always does the same.

        --seeds N          how many simulations (default: 100)
        --first SEED       the first seed; the others follow (default: any)
        --minutes M        virtual minutes of each (default: 10)
        --at-most SECONDS  begins no further simulation after that time
        --twice            runs each seed twice, and compares
        --trace            prints everything that happens
      """;

  private long seeds = 100;
  private long first = new SecureRandom().nextInt(1_000_000_000);
  private double minutes = 10;
  private long atMost = Long.MAX_VALUE;
  private boolean twice;
  private boolean trace;
  private int code;

  private Simulate() {}

  /** Runs the command, and ends the process with its exit code. */
  public static void main(String[] arguments) throws InterruptedException {
    Simulate simulate = new Simulate();
    try {
      if (!simulate.parse(arguments)) {
        System.out.print(USAGE);
        return;
      }
    } catch (IllegalArgumentException e) {
      System.err.println("sluice: " + e.getMessage());
      System.err.print(USAGE);
      System.exit(2);
    }
    Thread thread = new SimulationThread(simulate::run);
    thread.start();
    thread.join();
    System.exit(simulate.code);
  }

  private boolean parse(String[] arguments) {
    for (int i = 0; i < arguments.length; i++) {
      switch (arguments[i]) {
        case "--seeds" -> seeds = number(arguments, ++i);
        case "--first" -> first = number(arguments, ++i);
        case "--minutes" -> minutes = decimal(arguments, ++i);
        case "--at-most" -> atMost = number(arguments, ++i);
        case "--twice" -> twice = true;
        case "--trace" -> trace = true;
        case "--help", "-h" -> {
          return false;
        }
        default -> throw new IllegalArgumentException("found " + arguments[i]);
      }
    }
    return true;
  }

  private static long number(String[] arguments, int at) {
    try {
      return Long.parseLong(value(arguments, at));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          arguments[at - 1] + ": found " + arguments[at] + ", expected a number", e);
    }
  }

  private static double decimal(String[] arguments, int at) {
    try {
      return Double.parseDouble(value(arguments, at));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          arguments[at - 1] + ": found " + arguments[at] + ", expected a number", e);
    }
  }

  private static String value(String[] arguments, int at) {
    if (at == arguments.length) {
      throw new IllegalArgumentException(arguments[at - 1] + ": found nothing, expected a value");
    }
    return arguments[at];
  }

  private void run() {
    ErrorLog log = ErrorLog.install();
    var unused = Life.run(0, 1, false, log); // static buffers are allocated at their first use
    long seconds = Math.round(minutes * 60);
    long began = System.nanoTime();
    long requests = 0;
    long failed = 0;
    long ran = 0;
    for (long seed = first; seed < first + seeds; seed++) {
      Life.Outcome outcome = Life.run(seed, seconds, trace, log);
      print(outcome);
      ran++;
      requests += outcome.requests();
      boolean fine = outcome.findings().isEmpty();
      if (twice) {
        Life.Outcome again = Life.run(seed, seconds, false, log);
        if (again.hash() != outcome.hash()) {
          fine = false;
          System.out.printf("  seed %d: the second run had hash=%016x%n", seed, again.hash());
        }
      }
      failed += fine ? 0 : 1;
      if (TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began) >= atMost) {
        break;
      }
    }
    System.out.printf(
        Locale.ROOT,
        "%s: %d of %d seeds without a finding, %,d requests, %.1f s%n",
        failed == 0 ? "PASSED" : "FAILED",
        ran - failed,
        ran,
        requests,
        (System.nanoTime() - began) / 1e9);
    code = failed == 0 ? 0 : 1;
  }

  private void print(Life.Outcome outcome) {
    System.out.printf(
        "seed %d: hash=%016x requests=%d faults=%d events=%d %s%n",
        outcome.seed(),
        outcome.hash(),
        outcome.requests(),
        outcome.faults(),
        outcome.events(),
        outcome.findings().isEmpty() ? "ok" : "FAILED");
    for (String finding : outcome.findings()) {
      System.out.println("  " + finding);
    }
    if (!outcome.findings().isEmpty()) {
      System.out.printf(
          "  again: ./sluice simulate --seeds 1 --first %d --minutes %s%n",
          outcome.seed(), minutes);
    }
  }
}
