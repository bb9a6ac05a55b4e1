package sluice.load;

import sluice.names.build.AllowedHere;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import sluice.config.model.Address;
import sluice.config.plan.LoadBudgets;
import sluice.config.plan.LoadPlan;
import sluice.config.plan.PlanReader;

/** {@code ./sluice load}: see {@link #USAGE}. */
@AllowedHere("a command line writes to its terminal")
public final class LoadCommand {
  static final String USAGE =
      """
      usage: sluice load --plan FILE [--budgets FILE] --artifacts DIR [--hold SECONDS [--at HOST:PORT]]
      Load at a fixed rate through a gateway and past it, and a profile, held against budgets.
      Without addresses in the plan it starts a memcached and a gateway itself.
      --hold   then hands the artifacts out by HTTP (127.0.0.1:9902) until POST /done, so long at most
      Exit code: 0 within budget, 1 a wrong or a missing answer, or something did not start,
                 2 the command line or a file is wrong, 3 over budget,
                 4 the run says nothing: it was throttled, or the rate was not reached.
      """;

  private static final List<String> OPTIONS =
      List.of("--plan", "--budgets", "--artifacts", "--hold", "--at");

  private static final int WRONG = 2;

  private LoadCommand() {}

  /** Runs one. */
  public static void main(String[] arguments) throws Exception {
    InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
    System.exit(run(System.out, arguments));
  }

  /** Runs one, and prints to out; the last line is the verdict as JSON. */
  static int run(PrintStream out, String... arguments) throws IOException, InterruptedException {
    List<String> given = Arrays.asList(arguments);
    if (given.contains("--help")) {
      out.print(USAGE);
      return 0;
    }
    Map<String, String> options = new LinkedHashMap<>();
    for (int i = 0; i < given.size(); i += 2) {
      boolean known = OPTIONS.contains(given.get(i));
      if (!known || i + 1 == given.size() || options.containsKey(given.get(i))) {
        return wrong(out, "found " + String.join(" ", given.subList(i, given.size())));
      }
      options.put(given.get(i), given.get(i + 1));
    }
    if (!options.containsKey("--plan") || !options.containsKey("--artifacts")) {
      return wrong(out, "expected --plan and --artifacts");
    }
    String hold = options.getOrDefault("--hold", "0");
    Optional<Address.Tcp> at =
        Address.parse(options.getOrDefault("--at", "127.0.0.1:9902"))
            .filter(Address.Tcp.class::isInstance)
            .map(Address.Tcp.class::cast);
    if (!hold.matches("[0-9]{1,6}") || at.isEmpty()) {
      return wrong(out, "expected --hold SECONDS and --at HOST:PORT");
    }
    LoadPlan.Result plan = PlanReader.plan(Path.of(options.get("--plan")));
    LoadBudgets.Result budgets =
        options.containsKey("--budgets")
            ? PlanReader.budgets(Path.of(options.get("--budgets")))
            : new LoadBudgets.Result(LoadBudgets.none(), List.of());
    plan.problems().forEach(out::println);
    budgets.problems().forEach(out::println);
    if (plan.plan() == null || budgets.budgets() == null) {
      return WRONG;
    }
    Path directory = Path.of(options.get("--artifacts"));
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      return wrong(out, "--artifacts: found " + directory + ", expected a directory to write to");
    }
    Verdict verdict = new LoadJob(plan.plan(), budgets.budgets(), directory, out).run();
    verdict.reasons().forEach(out::println);
    if (!hold.equals("0")) {
      new Hold(directory).serve(at.get(), Long.parseLong(hold), out);
    }
    out.println(verdict.json().encode());
    return verdict.result().exitCode();
  }

  private static int wrong(PrintStream out, String what) {
    out.println("sluice: load: " + what);
    out.print(USAGE);
    return WRONG;
  }
}
