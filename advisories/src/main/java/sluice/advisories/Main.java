package sluice.advisories;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import sluice.names.build.AllowedHere;

/**
 * Run by the build: {@code check|update LIST DIRECTORY}; a check that finds something ends by an
 * exception.
 */
@AllowedHere("a command line writes to its terminal")
public final class Main {
  private Main() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    List<Dependency> shipped = Dependency.read(Path.of(arguments[1]));
    Path known = Path.of(arguments[2], "known.json");
    LocalDate today = LocalDate.now(ZoneOffset.UTC);
    if (arguments[0].equals("update")) {
      update(new Osv(Osv.PUBLIC, Duration.ofSeconds(30)), shipped, known, today);
    }
    Snapshot snapshot = Snapshot.read(known);
    Scan scan =
        Scan.of(
            shipped,
            snapshot,
            Scan.Exemption.read(Path.of(arguments[2], "exceptions.json")),
            today);
    scan.warnings().forEach(warning -> System.err.println("[WARNING] sluice: " + warning));
    scan.failures().forEach(failure -> System.err.println("[ERROR] sluice: " + failure));
    if (!scan.failures().isEmpty()) {
      throw new IllegalStateException(
          "what is shipped has known advisories, or was not looked up: see above");
    }
    System.err.println(
        "[INFO] sluice: %d parts are shipped, none has one of the %d advisories known as of %s (exceptions.json aside)"
            .formatted(shipped.size(), snapshot.advisories().size(), snapshot.asOf()));
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
