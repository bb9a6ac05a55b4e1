package sluice.gateway.cli;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import sluice.config.model.Configuration;
import sluice.gateway.admin.Explanation;
import sluice.gateway.routing.Explainer;

/** {@code sluice explain}: the route that a request takes, by the configuration alone. */
@Command(
    name = "explain",
    customSynopsis = {
      "sluice explain -c FILE LISTENER COMMAND KEY [CLIENT] [--token TOKEN]",
      "sluice explain -c FILE LISTENER VERB"
    },
    description = {
      "Prints where a request goes, and why.",
      "It prints the rule, the key as the server gets it, the pool, the server and its fallbacks.",
      "It contacts no server. A key that begins with - needs -- before it."
    },
    exitCodeList = {
      "0:the route is printed, even if a rule rejects the request",
      "2:the command line or FILE is wrong"
    })
final class ExplainCommand implements Callable<Integer> {
  private final PrintStream out;
  private final PrintStream err;

  @Option(
      names = "-c",
      paramLabel = "FILE",
      required = true,
      description = "the configuration to use")
  private Path file;

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      description = "a P or L token of a meta request, letter included")
  private @Nullable String token;

  @Parameters(index = "0", paramLabel = "LISTENER", description = "the name of a listener")
  private String listener;

  @Parameters(
      index = "1",
      paramLabel = "COMMAND",
      description = {
        "a memcached command such as get; for a listener of",
        "internode links, the VERB as Cassandra calls it"
      })
  private String command;

  @Parameters(
      index = "2",
      arity = "0..1",
      paramLabel = "KEY",
      defaultValue = "", // an internode message has none
      description = "the key as the client sends it")
  private String key;

  @Parameters(
      index = "3",
      arity = "0..1",
      paramLabel = "CLIENT",
      description = "a name in the client's certificate")
  private @Nullable String client;

  ExplainCommand(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  @Override
  public Integer call() {
    Configuration configuration = new Configurations(err).load(file);
    if (configuration == null) {
      return CommandLines.WRONG;
    }
    try {
      print(new Explainer(configuration).explain(listener, command, key, client, token));
      return CommandLines.FINE;
    } catch (IllegalArgumentException e) {
      err.println("sluice: " + e.getMessage());
      return CommandLines.WRONG;
    }
  }

  private void print(Explanation explanation) {
    out.println("rule:   " + (explanation.rule() == null ? "none" : explanation.rule()));
    if (explanation.server() != null) {
      if (explanation.key() != null) {
        out.println("key:    " + explanation.key());
      }
      out.println("pool:   " + explanation.pool());
      out.println("server: " + explanation.server());
      out.println(
          "then:   "
              + (explanation.fallbacks().isEmpty()
                  ? "no fallback"
                  : String.join(", ", explanation.fallbacks())));
    }
    out.println("why:");
    explanation.why().forEach(step -> out.println("  " + step));
  }
}
