package sluice.gateway.cli;

import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.config.Schema;
import sluice.config.importing.Import;
import sluice.config.model.Configuration;
import sluice.gateway.admin.Explanation;
import sluice.gateway.process.Gateway;
import sluice.gateway.routing.Explainer;
import sluice.names.build.AllowedHere;

/**
 * The command line. Exit codes: 0 fine, 1 failed while running, 2 command line or configuration
 * wrong.
 */
@AllowedHere("a command line writes to its terminal")
public final class Main {
  private static final int FINE = 0;
  private static final int FAILED = 1;
  private static final int WRONG = 2;

  private static final String USAGE =
      """
      usage: sluice run [-c FILE]                            serve until SIGTERM, then drain
             sluice check -c FILE                            print every problem of FILE
             sluice explain -c FILE LISTENER COMMAND KEY     say which way a request takes, and why;
                    [CLIENT] [--token TOKEN]        of a client whose certificate has that name, with a meta token
             sluice schema                                   print the JSON Schema of the configuration
             sluice image [--jdk DIR] -o FILE.tar            make the container image
             sluice top [--once] [ADDRESS]                   live numbers of the gateway whose admin port is at
                    [--every SECONDS]               ADDRESS, 127.0.0.1:9901 unless it is given
             sluice import twemproxy|mcrouter FILE           print an equivalent configuration, and on stderr
                                                             what of FILE has none
             sluice test [--all]                             run every test, with what they need
             sluice load --plan FILE [--budgets FILE] --artifacts DIR
                                                             measure a gateway under load, and judge it
             sluice torture [--help]                         self-checking load under faults
      Without -c, run serves memcached on 127.0.0.1:11211 from a store of its own, admin on 127.0.0.1:9901.
      """;

  /** Commands of other jars. */
  private static final List<String> TOOLS = List.of("load");

  private final PrintStream out;
  private final PrintStream err;

  Main(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  /** Runs one command. */
  public static void main(String[] arguments) {
    System.exit(new Main(System.out, System.err).run(arguments));
  }

  int run(String... arguments) {
    String command = arguments.length == 0 ? "" : arguments[0];
    List<String> rest =
        Arrays.asList(arguments).subList(Math.min(1, arguments.length), arguments.length);
    return switch (command) {
      case "run" -> serve(rest);
      case "check" -> check(rest);
      case "explain" -> explain(rest);
      case "top" -> TopCommand.run(rest, out, err);
      case "schema" -> {
        out.println(Schema.json());
        yield FINE;
      }
      case "import" -> importFile(rest);
      case "help", "--help", "-h" -> {
        out.print(USAGE);
        yield FINE;
      }
      case "" -> {
        err.print(USAGE);
        yield WRONG;
      }
      default -> tool(command, rest);
    };
  }

  private int tool(String command, List<String> arguments) {
    for (Tool tool : ServiceLoader.load(Tool.class)) {
      if (tool.name().equals(command)) {
        try {
          return tool.run(out, arguments);
        } catch (Exception e) {
          err.println("sluice: " + command + ": " + e);
          return FAILED;
        }
      }
    }
    err.println(
        TOOLS.contains(command)
            ? "sluice: " + command + " is in sluice-load's jar, which is not on the class path"
            : "sluice: found the command " + command + ", expected one of these:");
    err.print(USAGE);
    return WRONG;
  }

  private int wrong(String found, String expected) {
    err.println("sluice: found " + found + ", expected " + expected);
    return WRONG;
  }

  /** The file behind -c, or null. */
  private static Path file(List<String> arguments) {
    return arguments.size() >= 2 && arguments.get(0).equals("-c")
        ? Path.of(arguments.get(1))
        : null;
  }

  private Configuration load(Path file) {
    LoadResult result = Loader.load(file);
    if (result.isValid()) {
      warn(result);
      return result.configuration();
    }
    result.problems().forEach(err::println);
    return null;
  }

  /** On stderr, where they change nothing of what a script reads. */
  private void warn(LoadResult result) {
    result.warnings().forEach(warning -> err.println("warning: " + warning));
  }

  private int check(List<String> arguments) {
    Path file = file(arguments);
    if (file == null || arguments.size() != 2) {
      return wrong("check " + String.join(" ", arguments), "check -c FILE");
    }
    LoadResult result = Loader.load(file);
    result.problems().forEach(out::println);
    warn(result);
    return result.isValid() ? FINE : WRONG;
  }

  private int explain(List<String> given) {
    List<String> arguments = new ArrayList<>(given);
    int at = arguments.indexOf("--token");
    String token = null;
    if (at >= 0 && at + 1 < arguments.size()) {
      token = arguments.remove(at + 1);
      arguments.remove(at);
    }
    Path file = file(arguments);
    if (file == null || arguments.size() < 4 || arguments.size() > 6) {
      return wrong(
          "explain " + String.join(" ", arguments),
          "explain -c FILE LISTENER COMMAND KEY [CLIENT] [--token TOKEN], or LISTENER VERB");
    }
    Configuration configuration = load(file);
    if (configuration == null) {
      return WRONG;
    }
    try {
      print(
          new Explainer(configuration)
              .explain(
                  arguments.get(2),
                  arguments.get(3),
                  arguments.size() >= 5 ? arguments.get(4) : "", // an internode message has none
                  arguments.size() == 6 ? arguments.get(5) : null,
                  token));
      return FINE;
    } catch (IllegalArgumentException e) {
      err.println("sluice: " + e.getMessage());
      return WRONG;
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

  private int importFile(List<String> arguments) {
    String from = arguments.isEmpty() ? "" : arguments.get(0);
    if (arguments.size() != 2 || !List.of("twemproxy", "mcrouter").contains(from)) {
      return wrong(
          "import " + String.join(" ", arguments),
          "import twemproxy FILE, or import mcrouter FILE");
    }
    Path file = Path.of(arguments.get(1));
    Import imported = from.equals("twemproxy") ? Import.twemproxy(file) : Import.mcrouter(file);
    imported.remarks().forEach(err::println);
    imported.configuration().ifPresent(out::print);
    return imported.configuration().isPresent() ? FINE : WRONG;
  }

  private int serve(List<String> arguments) {
    Configuration configuration;
    Path file = null;
    if (arguments.isEmpty()) {
      configuration = Loader.embeddedDefault();
    } else {
      file = file(arguments);
      if (file == null || arguments.size() != 2) {
        return wrong("run " + String.join(" ", arguments), "run [-c FILE]");
      }
      configuration = load(file);
      if (configuration == null) {
        return WRONG;
      }
    }
    return serve(configuration, file);
  }

  private int serve(Configuration configuration, Path file) {
    AtomicInteger code = new AtomicInteger(FINE);
    CountDownLatch done = new CountDownLatch(1);
    Gateway.start(configuration, file)
        .onSuccess(
            gateway -> {
              drainAtExit(gateway);
              Hangup.calls(() -> gateway.reload());
              gateway.stopped().onComplete(stopped -> done.countDown());
            })
        .onFailure(
            failure -> {
              err.println("sluice: " + failure.getMessage());
              code.set(FAILED);
              done.countDown();
            });
    try {
      done.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return code.get();
  }

  private static void drainAtExit(Gateway gateway) {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  CountDownLatch drained = new CountDownLatch(1);
                  gateway.drain().onComplete(done -> drained.countDown());
                  try {
                    drained.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                  // The JVM would end with 143; what was asked for was a clean end.
                  Runtime.getRuntime().halt(FINE);
                },
                "drain"));
  }
}
