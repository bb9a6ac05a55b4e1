package sluice.gateway.cli;

import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The manual page sluice(1), in the macros of man(7), written from the model of the commands. */
final class ManPage {
  private static final String BEFORE =
      """
      .SH NAME
      sluice \\- a gateway for memcached
      .SH SYNOPSIS
      .B sluice
      .I COMMAND
      .RI [ ARGUMENT ]...
      .SH DESCRIPTION
      Sluice is a gateway for memcached.
      Clients connect to it as to one memcached server.
      It forwards their requests to the servers in its configuration.
      It also forwards links between nodes of Cassandra.
      .PP
      Without a configuration, it is a memcached server with an embedded store on 127.0.0.1:11211.
      .PP
      Each command has the option
      .BR \\-\\-help .
      .SH COMMANDS
      """;

  private static final String AFTER =
      """
      .SH SIGNALS
      .TP
      .BR SIGTERM ", " SIGINT
      The process accepts no new clients, answers the requests in flight, and ends.
      .TP
      .B SIGHUP
      The process reads its configuration again.
      If the configuration is invalid, nothing changes, and the log lists the problems.
      .SH ENVIRONMENT
      .TP
      .B JAVA_HOME
      The directory of the Java runtime, version 17 or later.
      .TP
      .B SLUICE_JAVA_OPTS
      Options for the JVM; they override those of the launcher.
      .TP
      .B SLUICE_PROFILE
      A set of JVM options:
      .B sidecar
      makes the JVM small.
      .TP
      .B SLUICE_BIND
      The address to listen on instead of 127.0.0.1 if there is no configuration.
      .SH SEE ALSO
      .BR memcached (1)
      """;

  private final StringBuilder text = new StringBuilder();

  private ManPage() {}

  /** The page of a version with these commands, in their order. */
  static String of(String version, List<CommandSpec> commands) {
    ManPage page = new ManPage();
    page.line(".TH SLUICE 1 \"\" \"sluice " + version + "\" \"User Commands\"");
    page.text.append(BEFORE);
    commands.forEach(page::command);
    page.text.append(AFTER);
    return page.text.toString();
  }

  private void command(CommandSpec command) {
    line(".SS " + escaped(command.name()));
    String[] forms = command.usageMessage().customSynopsis();
    for (int i = 0; i < forms.length; i++) {
      if (i > 0) {
        line(".br");
      }
      line(".B " + escaped(forms[i]));
    }
    line(".PP");
    for (String description : command.usageMessage().description()) {
      line(escaped(description));
    }
    command.positionalParameters().forEach(each -> argument(each.paramLabel(), each));
    command.options().stream()
        .filter(option -> !option.usageHelp() && !option.hidden())
        .forEach(option -> argument(names(option), option));
    line(".PP");
    line("Exit code:");
    command.usageMessage().exitCodeList().forEach((code, meaning) -> exitCode(code, meaning));
  }

  private static String names(OptionSpec option) {
    String names = String.join(", ", option.names());
    return option.arity().max() == 0 ? names : names + " " + option.paramLabel();
  }

  private void argument(String heading, ArgSpec argument) {
    line(".TP");
    line(".B " + escaped(heading));
    for (String description : argument.description()) {
      line(escaped(description));
    }
  }

  private void exitCode(String code, String meaning) {
    line(".TP 4");
    line(escaped(code.strip()));
    line(escaped(meaning));
  }

  private void line(String line) {
    text.append(line).append('\n');
  }

  /** Plain text in which roff finds nothing to interpret. */
  private static String escaped(String plain) {
    String escaped = plain.replace("%%", "%").replace("\\", "\\e").replace("-", "\\-");
    return Stream.of(".", "'").anyMatch(escaped::startsWith) ? "\\&" + escaped : escaped;
  }
}
