package sluice.perf.torture;

import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import sluice.config.model.Transport;
import sluice.gateway.cli.CommandLines;
import sluice.names.build.AllowedHere;
import sluice.perf.OptionValues;

/** {@code sluice torture}: self-checking load on a gateway, under faults. */
@AllowedHere("a command line writes to its terminal")
@Command(
    name = "torture",
    customSynopsis = {
      "sluice torture [--seed N] [--requests N] [--minutes N] [--only FAULTS] [--steps N]"
          + " [--pause-ms N] [--timeout-ms N] [--slack-ms N] [--leaks LEVEL] [--wrong ERRORS]"
          + " [--transport NAME] [--directory DIR]"
    },
    description = {
      "Tests a gateway with self-checking load and faults.",
      "Every reply is checked while servers, configuration and certificates of the gateway change",
      "and fail."
    },
    exitCodeList = {"0:all checks passed", "1:a check failed", "2:the command line is wrong"})
public final class Torture implements Callable<Integer> {
  private static final long PARANOID_UP_TO = 200_000;
  private static final long UNTIL_STEPS = 1L << 50;
  private static final long REQUESTS = 1_000_000;

  private final PrintStream out;

  @Option(
      names = "--seed",
      paramLabel = "N",
      converter = OptionValues.NumberConverter.class,
      description = "seed of the random choices; printed, so that a run can be repeated")
  private @Nullable Long seed;

  @Option(
      names = "--requests",
      paramLabel = "N",
      converter = OptionValues.NumberConverter.class,
      description = "total number of requests; 1,000,000 unless this or --steps is given")
  private @Nullable Long requests;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "60",
      converter = OptionValues.CountConverter.class,
      description = "stop after N minutes, even if requests are left (default: 60)")
  private int minutes;

  @Option(
      names = "--only",
      paramLabel = "FAULTS",
      converter = FaultsConverter.class,
      completionCandidates = FaultsConverter.FaultLabels.class,
      description = {
        "faults to cause: none, or some of these, separated by commas:",
        "${COMPLETION-CANDIDATES}.",
        "reloads means reload,renew-certificates; with these, no request may fail"
      })
  private @Nullable Faults only;

  @Option(
      names = "--steps",
      paramLabel = "N",
      defaultValue = "0",
      converter = OptionValues.CountConverter.class,
      description = "stop after N faults instead of after the requests")
  private int steps;

  @Option(
      names = "--pause-ms",
      paramLabel = "N",
      defaultValue = "0",
      converter = OptionValues.CountConverter.class,
      description = "longest pause between two faults")
  private int pauseMillis;

  @Option(
      names = "--timeout-ms",
      paramLabel = "N",
      defaultValue = "300",
      converter = OptionValues.CountConverter.class,
      description = "timeout of the gateway's pools (default: 300)")
  private int timeoutMillis;

  @Option(
      names = "--slack-ms",
      paramLabel = "N",
      defaultValue = "2000",
      converter = OptionValues.CountConverter.class,
      description = "extra time that the gateway may take to report a failure (default: 2000)")
  private int slackMillis;

  @Option(
      names = "--leaks",
      paramLabel = "LEVEL",
      converter = LeaksConverter.class,
      description = "paranoid (watch every buffer) or simple; default: depends on --requests")
  private @Nullable Leaks leaks;

  @Option(
      names = "--wrong",
      paramLabel = "ERRORS",
      converter = DeedsConverter.class,
      completionCandidates = DeedsConverter.DeedLabels.class,
      description = {
        "deliberate errors of the gateway or of a proxy, separated by commas:",
        "${COMPLETION-CANDIDATES}. The run must fail"
      })
  private @Nullable Deeds wrong;

  @Option(
      names = "--transport",
      paramLabel = "NAME",
      defaultValue = "auto",
      converter = TransportConverter.class,
      description = "socket transport: auto, epoll, io_uring or nio (default: auto)")
  private Transport transport = Transport.AUTO;

  @Option(
      names = "--directory",
      paramLabel = "DIR",
      description = "directory for logs and the configuration (default: a new one)")
  private @Nullable Path directory;

  private Torture(PrintStream out) {
    this.out = out;
  }

  /** Runs one. */
  public static void main(String[] arguments) {
    System.exit(run(System.out, arguments));
  }

  /** Runs one and prints to out. */
  static int run(PrintStream out, String... arguments) {
    return commandLine(new Torture(out)).execute(arguments);
  }

  static CommandLine commandLine(Torture torture) {
    return CommandLines.of(CommandSpec.forAnnotatedObject(torture), torture.out, torture.out);
  }

  /** What a run is to be by the command line, which is valid. */
  static Options options(String... arguments) {
    Torture torture = new Torture(System.out);
    commandLine(torture).parseArgs(arguments);
    return torture.options();
  }

  @Override
  public Integer call() throws Exception {
    return new Run(options(), out).run() ? CommandLines.FINE : CommandLines.FAILED;
  }

  private Options options() {
    Set<Fault> faults = only == null ? EnumSet.allOf(Fault.class) : only.chosen();
    Set<Options.Wrong> deeds = wrong == null ? EnumSet.noneOf(Options.Wrong.class) : wrong.chosen();
    long number = requests != null ? requests : steps > 0 ? UNTIL_STEPS : REQUESTS;
    // Nothing is to fail, so nothing may run into a timeout, however busy the machine is.
    boolean gentle = !Options.breaksRequests(faults) && deeds.isEmpty();
    return new Options(
        seed == null ? System.nanoTime() & 0xffffffL : seed,
        number,
        Duration.ofMinutes(minutes),
        steps,
        faults,
        deeds,
        gentle ? Math.max(timeoutMillis, 10_000) : timeoutMillis,
        pauseMillis > 0 ? pauseMillis : gentle ? 100 : 400,
        slackMillis,
        leaks == null ? number <= PARANOID_UP_TO && steps == 0 : leaks == Leaks.PARANOID,
        transport,
        directory);
  }

  private record Faults(Set<Fault> chosen) {}

  private record Deeds(Set<Options.Wrong> chosen) {}

  /** How many buffers are watched for leaks. */
  private enum Leaks {
    /** Every buffer. */
    PARANOID,
    /** A sample of them. */
    SIMPLE
  }

  /** No converter of booleans: picocli gives those nothing but true and false. */
  static final class LeaksConverter implements ITypeConverter<Leaks> {
    @Override
    public Leaks convert(String value) {
      return switch (value) {
        case "paranoid" -> Leaks.PARANOID;
        case "simple" -> Leaks.SIMPLE;
        default -> throw CommandLines.expected("paranoid or simple");
      };
    }
  }

  /** Transports by their labels. */
  static final class TransportConverter implements ITypeConverter<Transport> {
    @Override
    public Transport convert(String value) {
      return Arrays.stream(Transport.values())
          .filter(transport -> transport.label().equals(value))
          .findFirst()
          .orElseThrow(() -> CommandLines.expected("auto, epoll, io_uring or nio"));
    }
  }

  /** Faults by their labels. */
  static final class FaultsConverter implements ITypeConverter<Faults> {
    /** What may be named. */
    static final class FaultLabels extends ArrayList<String> {
      private static final long serialVersionUID = 1;

      FaultLabels() {
        super(Arrays.stream(Fault.values()).map(Fault::label).toList());
        add("reloads");
      }
    }

    @Override
    public Faults convert(String value) {
      Set<Fault> faults = EnumSet.noneOf(Fault.class);
      for (String label : value.split(",", -1)) {
        switch (label) {
          case "none" -> {}
          case "reloads" -> {
            faults.add(Fault.RELOAD);
            faults.add(Fault.RENEW_CERTIFICATES);
          }
          default ->
              faults.add(
                  Arrays.stream(Fault.values())
                      .filter(fault -> fault.label().equals(label))
                      .findFirst()
                      .orElseThrow(
                          () ->
                              CommandLines.expected(
                                  "none, or of " + String.join(", ", new FaultLabels()))));
        }
      }
      return new Faults(faults);
    }
  }

  /** Deeds by their labels. */
  static final class DeedsConverter implements ITypeConverter<Deeds> {
    /** What may be named. */
    static final class DeedLabels extends ArrayList<String> {
      private static final long serialVersionUID = 1;

      DeedLabels() {
        super(Arrays.stream(Options.Wrong.values()).map(Options.Wrong::label).toList());
      }
    }

    @Override
    public Deeds convert(String value) {
      Set<Options.Wrong> deeds = EnumSet.noneOf(Options.Wrong.class);
      for (String label : value.split(",", -1)) {
        deeds.add(
            Arrays.stream(Options.Wrong.values())
                .filter(deed -> deed.label().equals(label))
                .findFirst()
                .orElseThrow(
                    () -> CommandLines.expected("of " + String.join(", ", new DeedLabels()))));
      }
      return new Deeds(deeds);
    }
  }
}
