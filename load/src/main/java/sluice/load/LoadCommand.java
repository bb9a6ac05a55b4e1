package sluice.load;

import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import sluice.config.model.Address;
import sluice.config.plan.LoadBudgets;
import sluice.config.plan.LoadPlan;
import sluice.config.plan.PlanReader;
import sluice.gateway.cli.CommandLines;
import sluice.names.build.AllowedHere;

/** {@code sluice load}: the load job. The last line that it prints is the verdict as JSON. */
@AllowedHere("a command line writes to its terminal")
@Command(
    name = "load",
    customSynopsis =
        "sluice load --plan FILE [--budgets FILE] --artifacts DIR [--hold SECONDS [--at"
            + " HOST:PORT]]",
    description = {
      "Measures a gateway under load, and judges it.",
      "Sends load at a fixed rate, through the gateway and directly; then profiles the gateway.",
      "Without addresses in the plan, it starts a memcached and a gateway itself."
    },
    exitCodeList = {
      "0:within budget",
      "1:a reply was wrong or missing, or something did not start",
      "2:the command line or a file is wrong",
      "3:over budget",
      "4:the run is invalid: it was throttled, or the rate was not reached"
    })
public final class LoadCommand implements Callable<Integer> {
  private final PrintStream out;

  @Option(
      names = "--plan",
      paramLabel = "FILE",
      required = true,
      description = "the plan: what to send, at which rate, and where")
  private Path plan;

  @Option(
      names = "--budgets",
      paramLabel = "FILE",
      description = "limits on the gateway's cost; without them, nothing is judged")
  private @Nullable Path budgets;

  @Option(
      names = "--artifacts",
      paramLabel = "DIR",
      required = true,
      description = "directory for results, profiles and the verdict")
  private Path artifacts;

  @Option(
      names = "--hold",
      paramLabel = "SECONDS",
      defaultValue = "0",
      converter = SecondsConverter.class,
      description = "serve the artifacts by HTTP afterwards, until POST /done or for SECONDS")
  private long hold;

  @Option(
      names = "--at",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:9902",
      converter = AddressConverter.class,
      description = "address to serve them on (default: 127.0.0.1:9902)")
  private Address.Tcp at;

  private LoadCommand(PrintStream out) {
    this.out = out;
  }

  /** Runs the command. */
  public static void main(String[] arguments) {
    InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
    System.exit(run(System.out, arguments));
  }

  /** Runs the command, and prints to out. */
  static int run(PrintStream out, String... arguments) {
    return commandLine(out).execute(arguments);
  }

  static CommandLine commandLine(PrintStream out) {
    return CommandLines.of(CommandSpec.forAnnotatedObject(new LoadCommand(out)), out, out);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    LoadPlan.Result planned = PlanReader.plan(plan);
    LoadBudgets.Result budgeted =
        budgets == null
            ? new LoadBudgets.Result(LoadBudgets.none(), List.of())
            : PlanReader.budgets(budgets);
    planned.problems().forEach(out::println);
    budgeted.problems().forEach(out::println);
    if (planned.plan() == null || budgeted.budgets() == null) {
      return CommandLines.WRONG;
    }
    try {
      Files.createDirectories(artifacts);
    } catch (IOException e) {
      out.println(
          "sluice: load: --artifacts: found "
              + artifacts
              + ", expected a directory to write to: "
              + e);
      return CommandLines.WRONG;
    }
    Verdict verdict = new LoadJob(planned.plan(), budgeted.budgets(), artifacts, out).run();
    verdict.reasons().forEach(out::println);
    if (hold > 0) {
      new Hold(artifacts).serve(at, hold, out);
    }
    out.println(verdict.json().encode());
    return verdict.result().exitCode();
  }

  /** Whole seconds; 0 for not at all. */
  static final class SecondsConverter implements ITypeConverter<Long> {
    @Override
    public Long convert(String value) {
      if (!value.matches("[0-9]{1,6}")) {
        throw CommandLines.expected("0 to 999999");
      }
      return Long.valueOf(Long.parseLong(value));
    }
  }

  /** An address to bind. */
  static final class AddressConverter implements ITypeConverter<Address.Tcp> {
    @Override
    public Address.Tcp convert(String value) {
      return Address.parse(value)
          .filter(Address.Tcp.class::isInstance)
          .map(Address.Tcp.class::cast)
          .orElseThrow(() -> CommandLines.expected("a host and a port, such as 127.0.0.1:9902"));
    }
  }
}
