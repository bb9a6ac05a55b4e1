package sluice.gateway.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.net.UnknownHostException;
import java.nio.charset.Charset;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;

/**
 * Common form of all command lines of the project: refusals and help.
 *
 * <p>A command states its forms in its {@code customSynopsis}, each on a line of its own. They
 * begin with the product's name, or with that of a program beside it. A refusal is one line that
 * names what was found and quotes these forms. An option with a wrong value is quoted alone: its
 * converter throws {@link #expected}.
 */
public final class CommandLines {
  /** Exit code: all went well. */
  public static final int FINE = 0;

  /** Exit code: it failed while running. */
  public static final int FAILED = 1;

  /** Exit code: the command line or the configuration is wrong. */
  public static final int WRONG = 2;

  private static final String PRODUCT = "sluice";
  private static final String PREFIX = PRODUCT + " ";
  private static final int HELP_WIDTH = 100;
  private static final int INDENT = "usage: ".length();

  private CommandLines() {}

  /**
   * A command line with the common form.
   *
   * @param command an annotated command, with its subcommands
   * @param out output of requested help
   * @param err output of refusals
   */
  public static CommandLine of(CommandSpec command, PrintStream out, PrintStream err) {
    format(command);
    return new CommandLine(command)
        .setSeparator(" ")
        .setExpandAtFiles(false) // a key may begin with @
        .setUsageHelpWidth(HELP_WIDTH)
        .setOut(writer(out))
        .setErr(writer(err))
        .setParameterExceptionHandler(CommandLines::refuse)
        .setExecutionExceptionHandler(CommandLines::fail);
  }

  /** The exception of a converter for an option with an invalid value. */
  public static TypeConversionException expected(String what) {
    return new TypeConversionException(what);
  }

  /** The whole number that is the value of an option, from least to most. */
  static int number(String text, int least, int most) {
    int number = text.matches("0|[1-9][0-9]{0,8}") ? Integer.parseInt(text) : -1;
    if (number < least || number > most) {
      throw expected(least + " to " + most);
    }
    return number;
  }

  /** The forms of a command, without the product's name. */
  static List<String> forms(CommandSpec command) {
    return Stream.of(command.usageMessage().customSynopsis())
        .map(form -> form.startsWith(PREFIX) ? form.substring(PREFIX.length()) : form)
        .toList();
  }

  private static void format(CommandSpec command) {
    command.addOption(
        OptionSpec.builder("-h", "--help").usageHelp(true).description("print this text").build());
    UsageMessageSpec usage = command.usageMessage();
    usage
        .synopsisHeading("usage: ")
        .descriptionHeading("%n")
        .parameterListHeading("%n")
        .optionListHeading("%n")
        .exitCodeListHeading("%nExit code:%n")
        .sortOptions(false);
    usage.sectionMap().put(UsageMessageSpec.SECTION_KEY_SYNOPSIS, help -> usage(command));
    command.subcommands().values().forEach(each -> format(each.getCommandSpec()));
  }

  /** The forms below each other, behind the heading; long ones take several lines. */
  private static String usage(CommandSpec command) {
    StringBuilder text = new StringBuilder();
    for (String form : command.usageMessage().customSynopsis()) {
      List<String> words = List.of(form.split(" (?=\\[|-|[a-z])"));
      int column = INDENT + words.get(0).length();
      text.append(text.isEmpty() ? "" : " ".repeat(INDENT)).append(words.get(0));
      for (String word : words.subList(1, words.size())) {
        column += 1 + word.length();
        if (column > HELP_WIDTH) {
          text.append(System.lineSeparator()).append(" ".repeat(2 * INDENT));
          column = 2 * INDENT + word.length();
        } else {
          text.append(' ');
        }
        text.append(word);
      }
      text.append(System.lineSeparator());
    }
    return text.toString();
  }

  private static PrintWriter writer(PrintStream to) {
    return new PrintWriter(to, true, Charset.defaultCharset());
  }

  private static int refuse(ParameterException refused, String[] arguments) {
    CommandLine wrong = refused.getCommandLine();
    CommandSpec command = wrong.getCommandSpec();
    PrintWriter err = wrong.getErr();
    if (refused.getCause() instanceof TypeConversionException expected) {
      err.println(
          "%s: %s: found %s, expected %s"
              .formatted(
                  speaker(command),
                  label(refused.getArgSpec()),
                  refused.getValue(),
                  expected.getMessage()));
    } else {
      err.println(
          "%s: found %s, expected %s"
              .formatted(
                  program(command),
                  found(command, arguments),
                  String.join(", or ", forms(command))));
    }
    return WRONG;
  }

  /** Describes a failure of a file or socket in one line; anything else is an internal error. */
  private static int fail(Exception failure, CommandLine failed, ParseResult parsed)
      throws Exception {
    if (!(failure instanceof IOException)) {
      throw failure;
    }
    failed.getErr().println(speaker(failed.getCommandSpec()) + ": " + words(failure));
    return FAILED;
  }

  /** A failure in the words of the system; the names of exceptions mean nothing to a user. */
  static String words(Exception failure) {
    if (failure instanceof FileSystemException system) {
      return system.getFile() + ": " + reason(system);
    }
    if (failure instanceof UnknownHostException) {
      return failure.getMessage() + ": unknown host"; // its message is the name alone
    }
    return failure instanceof IOException && failure.getMessage() != null
        ? failure.getMessage()
        : failure.toString();
  }

  private static String reason(FileSystemException failure) {
    if (failure instanceof NoSuchFileException) {
      return "no such file or directory";
    }
    if (failure instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (failure instanceof FileAlreadyExistsException) {
      return "it exists already";
    }
    if (failure instanceof NotDirectoryException) {
      return "not a directory";
    }
    if (failure instanceof DirectoryNotEmptyException) {
      return "the directory is not empty";
    }
    if (failure instanceof FileSystemLoopException) {
      return "too many levels of symbolic links";
    }
    String reason = failure.getReason();
    return reason == null ? "it cannot be read or written" : reason;
  }

  /** The product's name, or that of a program beside it. */
  private static String program(CommandSpec command) {
    return command.root().usageMessage().customSynopsis()[0].split(" ", 2)[0];
  }

  /** The program and its command, if it has several. */
  private static String speaker(CommandSpec command) {
    String program = program(command);
    return program.equals(command.name()) ? program : program + ": " + command.name();
  }

  private static String label(ArgSpec argument) {
    return argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
  }

  /** The words that were typed, without the product's name. */
  private static String found(CommandSpec command, String[] arguments) {
    String root = command.root().name();
    Stream<String> words = Arrays.stream(arguments);
    return (root.equals(PRODUCT) ? words : Stream.concat(Stream.of(root), words))
        .collect(Collectors.joining(" "));
  }
}
