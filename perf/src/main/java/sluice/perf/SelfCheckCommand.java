package sluice.perf;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import sluice.gateway.cli.CommandLines;
import sluice.names.build.AllowedHere;
import sluice.testkit.selfcheck.SelfCheck;
import sluice.testkit.selfcheck.Tally;

/** {@code perf/selfcheck}: load that judges every reply of a server. */
@AllowedHere("a command line writes to its terminal")
@Command(
    name = "selfcheck",
    customSynopsis =
        "selfcheck HOST:PORT [--requests N] [--text N] [--meta N] [--binary N] [--depth N]"
            + " [--largest BYTES] [--seed N] [--seconds N] [--reply-limit-seconds N] [--tolerant]"
            + " [--classic-only]",
    description = "Sends random requests on connections of each dialect, and checks every reply.",
    exitCodeList = {
      "0:all replies were right",
      "1:a wrong reply, a hang or (without --tolerant) an error",
      "2:the command line is wrong"
    })
public final class SelfCheckCommand implements Callable<Integer> {
  private final PrintStream out;

  @Parameters(
      paramLabel = "HOST:PORT",
      converter = OptionValues.TcpConverter.class,
      description = "address of the server")
  private InetSocketAddress server;

  @Option(
      names = "--requests",
      paramLabel = "N",
      defaultValue = "100000",
      converter = OptionValues.NumberConverter.class,
      description = "total number of requests (default: 100,000)")
  private long requests;

  @Option(
      names = "--text",
      paramLabel = "N",
      defaultValue = "4",
      converter = OptionValues.CountConverter.class,
      description = "connections of classic text (default: 4)")
  private int text;

  @Option(
      names = "--meta",
      paramLabel = "N",
      defaultValue = "4",
      converter = OptionValues.CountConverter.class,
      description = "connections of meta (default: 4)")
  private int meta;

  @Option(
      names = "--binary",
      paramLabel = "N",
      defaultValue = "4",
      converter = OptionValues.CountConverter.class,
      description = "connections of binary (default: 4)")
  private int binary;

  @Option(
      names = "--depth",
      paramLabel = "N",
      defaultValue = "32",
      converter = OptionValues.PositiveCountConverter.class,
      description = "most requests that are pipelined (default: 32)")
  private int depth;

  @Option(
      names = "--largest",
      paramLabel = "BYTES",
      defaultValue = "4096",
      converter = OptionValues.CountConverter.class,
      description = "length of the longest value (default: 4096)")
  private int largest;

  @Option(
      names = "--seed",
      paramLabel = "N",
      converter = OptionValues.SeedConverter.class,
      description = "seed of the random choices; printed, so that a run can be repeated")
  private @Nullable Long seed;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "600",
      converter = OptionValues.CountConverter.class,
      description = "stop after N seconds, even if requests are left (default: 600)")
  private int seconds;

  @Option(
      names = "--reply-limit-seconds",
      paramLabel = "N",
      defaultValue = "10",
      converter = OptionValues.CountConverter.class,
      description = "time after which a missing reply counts as a hang (default: 10)")
  private int replyLimitSeconds;

  @Option(
      names = "--tolerant",
      description = {
        "expect faults: count errors and closed connections,",
        "and do not fail because of them"
      })
  private boolean tolerant;

  @Option(
      names = "--classic-only",
      description = "send no mn on text connections, for proxies that do not know it")
  private boolean classicOnly;

  private SelfCheckCommand(PrintStream out) {
    this.out = out;
  }

  /** Runs one check. */
  public static void main(String[] arguments) {
    System.exit(run(System.out, arguments));
  }

  /** Runs one and prints to out. */
  static int run(PrintStream out, String... arguments) {
    return commandLine(out).execute(arguments);
  }

  static CommandLine commandLine(PrintStream out) {
    return CommandLines.of(CommandSpec.forAnnotatedObject(new SelfCheckCommand(out)), out, out);
  }

  @Override
  public Integer call() throws IOException {
    SelfCheck check =
        SelfCheck.against(server)
            .connections(text, meta, binary)
            .requests(requests)
            .depth(depth)
            .largestValue(largest)
            .deadline(Duration.ofSeconds(seconds))
            .replyLimit(Duration.ofSeconds(replyLimitSeconds));
    if (seed != null) {
      check.seed(seed);
    }
    if (tolerant) {
      check.tolerant();
    }
    if (classicOnly) {
      check.classicOnly();
    }
    out.println("seed " + check.seed());
    Tally tally = check.run();
    out.println(tally);
    boolean failed = tally.wrong() > 0 || tally.hangs() > 0;
    boolean faulty = tally.errors() + tally.unanswered() + tally.reconnects() > 0;
    return failed || (faulty && !tolerant) ? CommandLines.FAILED : CommandLines.FINE;
  }
}
