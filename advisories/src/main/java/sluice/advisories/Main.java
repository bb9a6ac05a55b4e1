package sluice.advisories;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import sluice.gateway.cli.CommandLines;
import sluice.names.build.AllowedHere;

/** Program that the build runs, in the process of the build; {@code ./sluice advisories}. */
@AllowedHere("a command line writes to its terminal")
@Command(
    name = "advisories",
    customSynopsis = "advisories check|update LIST DIRECTORY",
    description = {
      "Checks the shipped dependencies for known security advisories.",
      "An update asks api.osv.dev for them first."
    },
    exitCodeList = {
      "0:no part has an advisory, but for the exceptions",
      "1:one has, or was not looked up, or the service did not answer",
      "2:the command line is wrong"
    })
public final class Main implements Callable<Integer> {
  private final PrintStream err;

  @Parameters(
      index = "0",
      paramLabel = "check|update",
      converter = ActionConverter.class,
      description = "whether to renew what is known first")
  private Action action;

  @Parameters(index = "1", paramLabel = "LIST", description = "what is shipped, as Maven lists it")
  private Path list;

  @Parameters(
      index = "2",
      paramLabel = "DIRECTORY",
      description = "has known.json and exceptions.json")
  private Path directory;

  private Main(PrintStream err) {
    this.err = err;
  }

  /**
   * Runs one check.
   *
   * @throws IllegalStateException if it finds something or cannot be done: an exit would end the
   *     build's own process
   */
  public static void main(String[] arguments) {
    int code = run(System.err, arguments);
    if (code == CommandLines.WRONG) {
      throw new IllegalStateException("the command line is wrong: see above");
    }
    if (code != CommandLines.FINE) {
      throw new IllegalStateException(
          "what is shipped has known advisories, or was not looked up: see above");
    }
  }

  /** Runs one and prints to err. */
  static int run(PrintStream err, String... arguments) {
    return CommandLines.of(CommandSpec.forAnnotatedObject(new Main(err)), err, err)
        .execute(arguments);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<Dependency> shipped = Dependency.read(list);
    Path known = directory.resolve("known.json");
    LocalDate today = LocalDate.now(ZoneOffset.UTC);
    if (action == Action.UPDATE) {
      update(new Osv(Osv.PUBLIC, Duration.ofSeconds(30)), shipped, known, today);
    }
    Snapshot snapshot = Snapshot.read(known);
    Scan scan =
        Scan.of(
            shipped, snapshot, Scan.Exemption.read(directory.resolve("exceptions.json")), today);
    scan.warnings().forEach(warning -> err.println("[WARNING] sluice: " + warning));
    scan.failures().forEach(failure -> err.println("[ERROR] sluice: " + failure));
    if (!scan.failures().isEmpty()) {
      return CommandLines.FAILED;
    }
    err.println(
        "[INFO] sluice: %d parts are shipped, none has one of the %d advisories known as of %s (exceptions.json aside)"
            .formatted(shipped.size(), snapshot.advisories().size(), snapshot.asOf()));
    return CommandLines.FINE;
  }

  /** Whether what is known is renewed before it is compared. */
  private enum Action {
    CHECK,
    UPDATE
  }

  static final class ActionConverter implements ITypeConverter<Action> {
    @Override
    public Action convert(String value) {
      return switch (value) {
        case "check" -> Action.CHECK;
        case "update" -> Action.UPDATE;
        default -> throw CommandLines.expected("check or update");
      };
    }
  }

  /** Renews known; when the service does not answer for every package, known stays as it is. */
  static void update(Osv osv, List<Dependency> shipped, Path known, LocalDate today)
      throws IOException, InterruptedException {
    try {
      osv.ask(
              shipped.stream().map(Dependency::name).collect(Collectors.toCollection(TreeSet::new)),
              today)
          .write(known);
    } catch (IOException failed) {
      throw new IOException(
          failed.getMessage() + "; " + known.getFileName() + " stays as it was", failed);
    }
  }
}
