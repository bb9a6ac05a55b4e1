package sluice.gateway.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jline.terminal.Terminal;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import sluice.config.problems.Nearest;
import sluice.names.build.AllowedHere;

/**
 * Entry point of the command line. Exit codes: 0 fine, 1 failed while running, 2 command line or
 * configuration wrong.
 */
@AllowedHere("a command line writes to its terminal")
public final class Main {
  /** Commands of other jars. */
  private static final List<String> TOOLS = List.of("load");

  private record Listed(List<String> forms, String does) {}

  /** Commands that are not in this jar: the launcher's, and those of {@link #TOOLS}. */
  private static final List<Listed> ELSEWHERE =
      List.of(
          new Listed(
              List.of("load --plan FILE [--budgets FILE] --artifacts DIR"),
              "Measures a gateway under load, and judges it."),
          new Listed(List.of("torture"), "Tests a gateway with self-checking load and faults."),
          new Listed(
              List.of("simulate"), "Runs gateways, servers and clients in a simulated world."),
          new Listed(List.of("image [--jdk DIR] -o FILE.tar"), "Builds the container image."),
          new Listed(
              List.of("dist [--jdk DIR] [-o DIR]"), "Builds the archives and the Debian package."),
          new Listed(List.of("test [--all]"), "Runs every test, and starts what the tests need."),
          new Listed(
              List.of("advisories [--update]"),
              "Checks the shipped dependencies for known security advisories."));

  private final PrintStream out;
  private final PrintStream err;
  private final Map<String, Supplier<Callable<Integer>>> commands = new LinkedHashMap<>();

  Main(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
    commands.put("run", () -> new RunCommand(err));
    commands.put("init", () -> new InitCommand(out, err));
    commands.put("demo", () -> new DemoCommand(out, err));
    commands.put("check", () -> new CheckCommand(out, err));
    commands.put("explain", () -> new ExplainCommand(out, err));
    commands.put("schema", () -> new SchemaCommand(out));
    commands.put("import", () -> new ImportCommand(out, err));
    commands.put("top", () -> new TopCommand(out, err, this::terminal));
    commands.put("version", () -> new VersionCommand(out));
    commands.put("completion", () -> new CompletionCommand(out, this::everywhere));
    commands.put("man", () -> new ManCommand(out, this::documented));
  }

  /** Runs one command. */
  public static void main(String[] arguments) {
    System.exit(new Main(System.out, System.err).run(arguments));
  }

  int run(String... arguments) {
    if (arguments.length == 0) {
      all().usage(err);
      return CommandLines.WRONG;
    }
    String command = arguments[0];
    List<String> rest = Arrays.asList(arguments).subList(1, arguments.length);
    if (command.equals("help")) {
      List<String> words = new ArrayList<>(rest);
      words.add("--help");
      return run(words.toArray(String[]::new));
    }
    if (command.equals("--version")) {
      command = "version";
    }
    Supplier<Callable<Integer>> known = commands.get(command);
    if (known != null) {
      // Only the command to run: reading annotations takes time.
      return CommandLines.of(CommandSpec.forAnnotatedObject(known.get()), out, err)
          .execute(rest.toArray(String[]::new));
    }
    return command.startsWith("-") ? all().execute(arguments) : tool(command, rest);
  }

  /** The terminal at which a person sits, unless the output goes elsewhere. */
  private Optional<Terminal> terminal() {
    return out == System.out ? SystemTerminal.open() : Optional.empty();
  }

  /** All commands of this jar. */
  CommandLine all() {
    CommandSpec sluice = CommandSpec.create().name("sluice");
    commands.forEach(
        (name, command) ->
            sluice.addSubcommand(name, CommandSpec.forAnnotatedObject(command.get())));
    sluice
        .usageMessage()
        .sectionKeys(
            List.of(
                UsageMessageSpec.SECTION_KEY_SYNOPSIS_HEADING,
                UsageMessageSpec.SECTION_KEY_SYNOPSIS,
                UsageMessageSpec.SECTION_KEY_DESCRIPTION_HEADING,
                UsageMessageSpec.SECTION_KEY_DESCRIPTION,
                UsageMessageSpec.SECTION_KEY_FOOTER_HEADING,
                UsageMessageSpec.SECTION_KEY_FOOTER))
        .customSynopsis("sluice COMMAND [ARGUMENT]...")
        .description(list(sluice))
        .footerHeading("%n")
        .footer("sluice COMMAND --help says more about a command.");
    return CommandLines.of(sluice, out, err);
  }

  /** All commands, also those that are not in this jar. */
  private CommandLine everywhere() {
    CommandLine all = all();
    elsewhere().forEach(name -> all.addSubcommand(name, CommandSpec.create()));
    return all;
  }

  /** The commands of the class path, also those of {@link #TOOLS}. */
  private List<CommandSpec> documented() {
    Stream<CommandSpec> here =
        all().getSubcommands().values().stream().map(CommandLine::getCommandSpec);
    Stream<CommandSpec> tools =
        ServiceLoader.load(Tool.class).stream().map(tool -> tool.get().command());
    return Stream.concat(here, tools).toList();
  }

  private static String[] list(CommandSpec sluice) {
    Stream<Listed> here =
        sluice.subcommands().values().stream()
            .map(CommandLine::getCommandSpec)
            .map(
                each -> new Listed(CommandLines.forms(each), each.usageMessage().description()[0]));
    List<String> lines = new ArrayList<>();
    here.forEach(each -> list(each, lines));
    ELSEWHERE.stream().filter(Main::isTool).forEach(each -> list(each, lines));
    lines.addAll(List.of("", "Only ./sluice in a clone of the repository has these:"));
    ELSEWHERE.stream().filter(each -> !isTool(each)).forEach(each -> list(each, lines));
    return lines.toArray(String[]::new);
  }

  private static void list(Listed command, List<String> lines) {
    command.forms().forEach(form -> lines.add("  sluice " + form));
    lines.add("      " + command.does());
  }

  private static boolean isTool(Listed command) {
    return TOOLS.contains(name(command));
  }

  private static String name(Listed command) {
    return command.forms().get(0).split(" ")[0];
  }

  private static Stream<String> elsewhere() {
    return ELSEWHERE.stream().map(Main::name);
  }

  /** Names of all commands. */
  private List<String> names() {
    return Stream.concat(commands.keySet().stream(), elsewhere()).toList();
  }

  private int tool(String command, List<String> arguments) {
    for (Tool tool : ServiceLoader.load(Tool.class)) {
      if (tool.name().equals(command)) {
        try {
          return tool.run(out, arguments);
        } catch (Exception e) {
          err.println("sluice: " + command + ": " + CommandLines.words(e));
          return CommandLines.FAILED;
        }
      }
    }
    err.println(
        TOOLS.contains(command)
            ? "sluice: " + command + " is in sluice-load's jar, which is not on the class path"
            : elsewhere().anyMatch(command::equals)
                ? "sluice: " + command + " is a command of ./sluice in a clone, not of its jars"
                : "sluice: found the command "
                    + command
                    + ", expected one of these"
                    + Nearest.question(command, names())
                    + ":");
    all().usage(err);
    return CommandLines.WRONG;
  }
}
