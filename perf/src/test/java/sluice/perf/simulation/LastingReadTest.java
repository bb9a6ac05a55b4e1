package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.perf.simulation.system.SimulatedNetwork;
import sluice.perf.simulation.system.Simulator;

class LastingReadTest {
  private static final String BOTH = "VALUE b 2 2\r\nbb\r\nVALUE a 1 1\r\na\r\nEND\r\n";

  private final Simulator simulator = new Simulator(1);
  private final World world = new World(simulator, new SimulatedNetwork(simulator), 60);
  private final List<LastingRead.Stored> items = List.of(stored("a", 1), stored("b", 2));

  private LastingRead.Stored stored(String name, int length) {
    return new LastingRead.Stored(
        new CheckedKey(world, Rule.PLAIN, name), name.repeat(length), length);
  }

  private String judge(boolean mayMiss, String text) {
    Replies replies = new Replies();
    replies.add(text.getBytes(ISO_8859_1));
    return new LastingRead(items, () -> mayMiss).judge(replies);
  }

  @Test
  void shouldAskForAllItems() {
    assertThat(new LastingRead(items, () -> false).text()).isEqualTo("get a b\r\n");
  }

  @Test
  void shouldMissAnItemOnlyDuringAFault() {
    assertThat(judge(false, BOTH)).isEqualTo(Request.FINE);
    String one = "VALUE b 2 2\r\nbb\r\nEND\r\n";
    assertThat(judge(true, one)).isEqualTo(Request.FINE);
    assertThat(judge(false, one)).contains("found nothing for VALUE a 1 1");
  }

  @Test
  void shouldFindAnotherValueAtAnyTime() {
    assertThat(judge(true, "VALUE b 2 2\r\nbc\r\nEND\r\n")).contains("another value");
    assertThat(judge(true, "VALUE b 0 2\r\nbb\r\nEND\r\n")).contains("VALUE b 0 2");
    assertThat(judge(true, "VALUE a 1 1\r\na\r\nVALUE a 1 1\r\na\r\nEND\r\n")).contains("found");
  }

  @Test
  void shouldWaitForTheWholeReply() {
    for (int length = 0; length < BOTH.length(); length++) {
      assertThat(judge(false, BOTH.substring(0, length))).isEqualTo(Request.INCOMPLETE);
    }
  }
}
