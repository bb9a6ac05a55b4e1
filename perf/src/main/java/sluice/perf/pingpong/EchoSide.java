package sluice.perf.pingpong;

import java.io.PrintStream;
import picocli.CommandLine.Command;

/** The process that sends back what it reads. */
@Command(
    name = "echo",
    customSynopsis = "PingPong echo --transport TRANSPORT --at PLACE",
    description = {
      "Sends back what it reads, until it is stopped.",
      "Prints \"ready\" and its address; port 0 means any free port."
    },
    exitCodeList = {
      "1:it could not listen",
      "2:the command line is wrong",
      "3:this machine does not have the transport"
    })
final class EchoSide extends Side {
  EchoSide(PrintStream out) {
    super(out);
  }

  @Override
  boolean run() throws InterruptedException {
    try (Echo echo = Echo.listen(transport, at)) {
      out.println("ready " + echo.address(at));
      out.flush();
      echo.await();
    }
    return true;
  }
}
