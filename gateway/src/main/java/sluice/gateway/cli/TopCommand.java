package sluice.gateway.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import sluice.gateway.top.Top;

/** {@code sluice top [--once] [--every SECONDS] [ADDRESS]}. */
final class TopCommand {
  private static final int FINE = 0;
  private static final int FAILED = 1;
  private static final int WRONG = 2;

  private static final String ADDRESS = "127.0.0.1:9901";
  private static final int EVERY_SECONDS = 2;

  private TopCommand() {}

  /** The exit code. */
  static int run(List<String> arguments, PrintStream out, PrintStream err) {
    String address = ADDRESS;
    int every = EVERY_SECONDS;
    boolean once = false;
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      if (argument.equals("--once")) {
        once = true;
      } else if (argument.equals("--every")
          && i + 1 < arguments.size()
          && arguments.get(i + 1).matches("[1-9][0-9]{0,3}")) {
        every = Integer.parseInt(arguments.get(++i));
      } else if (argument.matches("(\\[[0-9a-fA-F:]+]|[A-Za-z0-9_.-]+):[0-9]{1,5}")) {
        address = argument;
      } else {
        err.println(
            "sluice: found top "
                + String.join(" ", arguments)
                + ", expected top [--once] [--every SECONDS] [HOST:PORT]");
        return WRONG;
      }
    }
    try {
      Top top = new Top(address, (int) TimeUnit.SECONDS.toMillis(every));
      if (once) {
        out.print(top.once());
      } else {
        top.live(
            screen -> {
              out.print(screen);
              return !out.checkError(); // a pipe that nobody reads
            });
      }
      return FINE;
    } catch (IOException e) {
      err.println("sluice: the admin port at " + address + " gives no answer: " + e.getMessage());
      return FAILED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return FAILED;
    }
  }
}
