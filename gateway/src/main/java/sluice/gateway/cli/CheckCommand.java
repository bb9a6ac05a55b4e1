package sluice.gateway.cli;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import sluice.config.CheckReport;
import sluice.config.ConfigurationPrinter;
import sluice.config.LoadResult;
import sluice.config.Loader;

/** {@code sluice check}: every problem of a configuration file. */
@Command(
    name = "check",
    customSynopsis = "sluice check -c FILE [--format text|json] [--print]",
    description = {
      "Prints every problem of FILE.",
      "A problem is FILE:line:column: path: found X, expected Y, and the line with a caret.",
      "Warnings go to stderr, and do not change the exit code. With --format json, they are",
      "in the output."
    },
    exitCodeList = {"0:FILE is valid", "2:the command line or FILE is wrong"})
final class CheckCommand implements Callable<Integer> {
  private final PrintStream out;
  private final PrintStream err;

  @Option(
      names = "-c",
      paramLabel = "FILE",
      required = true,
      description = "the configuration to check")
  private Path file;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      converter = FormatConverter.class,
      completionCandidates = Formats.class,
      defaultValue = "text",
      description = "text for people, json for programs (default: text)")
  private Format format;

  @Option(names = "--print", description = "print the effective configuration, with all defaults")
  private boolean print;

  CheckCommand(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  @Override
  public Integer call() {
    LoadResult result = Loader.load(file);
    CheckReport report = CheckReport.of(result, file);
    if (format == Format.JSON) {
      out.print(report.json(print));
    } else {
      report.problems().forEach(out::println);
      report.warnings().forEach(err::println);
      if (result.isValid() && print) {
        out.print(ConfigurationPrinter.toYaml(result.configuration()));
      } else if (result.isValid()) {
        out.println(report.summary());
      }
    }
    return result.isValid() ? CommandLines.FINE : CommandLines.WRONG;
  }

  /** Form of the report. */
  private enum Format {
    TEXT,
    JSON
  }

  /** The names of all forms. */
  static final class Formats implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return List.of("text", "json").iterator();
    }
  }

  /** The form of a report by its name. */
  static final class FormatConverter implements ITypeConverter<Format> {
    @Override
    public Format convert(String name) {
      return switch (name) {
        case "text" -> Format.TEXT;
        case "json" -> Format.JSON;
        default -> throw CommandLines.expected("text or json");
      };
    }
  }
}
