package sluice.testkit.selfcheck;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/** {@link SelfCheck} from the command line; see {@link #USAGE}. */
public final class SelfCheckMain {
  private static final String USAGE =
      """
      usage: selfcheck HOST:PORT [--requests N] [--text N] [--meta N] [--binary N] [--depth N]
                       [--largest BYTES] [--seed N] [--seconds N] [--reply-limit-seconds N] [--tolerant]
                       [--classic-only]
      Connections of each dialect (default 4) send random requests and judge every reply.
      --classic-only: text connections send no mn, for proxies that do not know it
      --tolerant: faults are expected; errors and closed connections are counted, not failures.
      Exit code: 0 all replies right, 1 a wrong reply, a hang or (without --tolerant) an error, 2 usage.
      """;

  private SelfCheckMain() {}

  /** Runs one check. */
  public static void main(String[] arguments) throws IOException {
    System.exit(run(List.of(arguments), System.out));
  }

  static int run(List<String> arguments, PrintStream out) throws IOException {
    SelfCheck check;
    boolean tolerant = false;
    int[] connections = {4, 4, 4};
    try {
      String address = arguments.get(0);
      int colon = address.lastIndexOf(':');
      check =
          SelfCheck.against(
              new InetSocketAddress(
                  address.substring(0, colon), Integer.parseInt(address.substring(colon + 1))));
      for (int i = 1; i < arguments.size(); i++) {
        switch (arguments.get(i)) {
          case "--tolerant" -> {
            tolerant = true;
            check.tolerant();
          }
          case "--classic-only" -> check.classicOnly();
          case "--requests" -> check.requests(Long.parseLong(arguments.get(++i)));
          case "--text" -> connections[0] = Integer.parseInt(arguments.get(++i));
          case "--meta" -> connections[1] = Integer.parseInt(arguments.get(++i));
          case "--binary" -> connections[2] = Integer.parseInt(arguments.get(++i));
          case "--depth" -> check.depth(Integer.parseInt(arguments.get(++i)));
          case "--largest" -> check.largestValue(Integer.parseInt(arguments.get(++i)));
          case "--seed" -> check.seed(Long.parseLong(arguments.get(++i)));
          case "--seconds" ->
              check.deadline(Duration.ofSeconds(Long.parseLong(arguments.get(++i))));
          case "--reply-limit-seconds" ->
              check.replyLimit(Duration.ofSeconds(Long.parseLong(arguments.get(++i))));
          default -> throw new IllegalArgumentException(arguments.get(i));
        }
      }
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      out.print(USAGE);
      return 2;
    }
    check.connections(connections[0], connections[1], connections[2]);
    out.println("seed " + check.seed());
    Tally tally = check.run();
    out.println(tally);
    boolean failed = tally.wrong() > 0 || tally.hangs() > 0;
    boolean faulty = tally.errors() + tally.unanswered() + tally.reconnects() > 0;
    return failed || (faulty && !tolerant) ? 1 : 0;
  }
}
