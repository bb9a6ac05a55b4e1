package sluice.gateway.cli;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import sluice.config.importing.Import;

/** {@code sluice import}: another proxy's configuration, converted. */
@Command(
    name = "import",
    customSynopsis = {
      "sluice import twemproxy FILE [--accept-moves]",
      "sluice import mcrouter FILE [--accept-moves]"
    },
    description = {
      "Prints a configuration that is equivalent to another proxy's FILE.",
      "Settings without an equivalent are listed on stderr."
    },
    exitCodeList = {
      "0:the configuration was printed; some settings may have no equivalent",
      "1:it was printed, but keys would move to other servers",
      "2:the command line or FILE is wrong"
    })
final class ImportCommand implements Callable<Integer> {
  private final PrintStream out;
  private final PrintStream err;

  @Parameters(
      index = "0",
      paramLabel = "PROXY",
      converter = ProxyConverter.class,
      completionCandidates = Proxies.class,
      description = "twemproxy or mcrouter: the proxy that FILE configures")
  private Function<Path, Import> proxy;

  @Parameters(index = "1", paramLabel = "FILE", description = "the other proxy's configuration")
  private Path file;

  @Option(
      names = "--accept-moves",
      description = "exit with 0 even if keys would move to other servers")
  private boolean acceptsMoves;

  ImportCommand(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  @Override
  public Integer call() {
    Import imported = proxy.apply(file);
    imported.remarks().forEach(err::println);
    imported.configuration().ifPresent(out::print);
    if (imported.configuration().isEmpty()) {
      return CommandLines.WRONG;
    }
    if (imported.keysMove() && !acceptsMoves) {
      err.println(
          "sluice: import: keys would move to other servers (see above);"
              + " use --accept-moves to allow this");
      return CommandLines.FAILED;
    }
    return CommandLines.FINE;
  }

  /** The names of all proxies. */
  static final class Proxies implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return List.of("twemproxy", "mcrouter").iterator();
    }
  }

  /** The reader of a proxy's configuration, by the proxy's name. */
  static final class ProxyConverter implements ITypeConverter<Function<Path, Import>> {
    @Override
    public Function<Path, Import> convert(String name) {
      return switch (name) {
        case "twemproxy" -> Import::twemproxy;
        case "mcrouter" -> Import::mcrouter;
        default -> throw CommandLines.expected("twemproxy or mcrouter");
      };
    }
  }
}
