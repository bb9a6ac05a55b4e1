package sluice.gateway.top;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import sluice.gateway.top.AdminPort.Answers;

/** Repeated display of an admin port's answers. Blocks; for the command line. */
public final class Top {
  private static final int ONCE_MILLIS = 1_000;

  /** Moves to the top left and clears the screen: ECMA-48. */
  private static final String CLEAR = "\u001b[H\u001b[2J";

  private final AdminPort port;
  private final int everyMillis;

  /** Output of the screens. */
  public interface Output {
    /** Shows text; returns false if the output is closed. */
    boolean show(String text);
  }

  /**
   * @param address {@code host:port} of an admin port
   * @param everyMillis time between two screens
   */
  public Top(String address, int everyMillis) {
    port = new AdminPort(address);
    this.everyMillis = everyMillis;
  }

  /**
   * One screen without control characters, with rates over one second.
   *
   * @throws IOException if the port does not answer as an admin port does
   */
  public String once() throws IOException, InterruptedException {
    Scrape before = port.scrape();
    TimeUnit.MILLISECONDS.sleep(ONCE_MILLIS);
    return screen(before, port.scrape(), false);
  }

  /**
   * Shows screens until the output is closed.
   *
   * @throws IOException if the port does not answer as an admin port does
   */
  public void live(Output output) throws IOException, InterruptedException {
    Scrape before;
    Scrape last = port.scrape();
    do {
      TimeUnit.MILLISECONDS.sleep(everyMillis);
      before = last;
      last = port.scrape();
    } while (output.show(CLEAR + screen(before, last, true)));
  }

  /**
   * Fills a terminal with the numbers, and obeys its keys, until the user ends it.
   *
   * @throws IOException if the port does not answer at first; later, the screen says so
   */
  public void interactive(org.jline.terminal.Terminal terminal) throws IOException {
    new Watch(terminal, port, everyMillis).run();
  }

  private String screen(Scrape before, Scrape last, boolean colours) throws IOException {
    Answers answers = port.answers(last);
    return Screen.of(
        port.address(), before, last, answers.ready(), answers.pools(), answers.hotKeys(), colours);
  }
}
