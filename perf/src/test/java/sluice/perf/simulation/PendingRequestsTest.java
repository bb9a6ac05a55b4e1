package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import sluice.perf.simulation.system.SimulatedNetwork;
import sluice.perf.simulation.system.Simulator;

class PendingRequestsTest {
  private final Simulator simulator = new Simulator(1);
  private final World world = new World(simulator, new SimulatedNetwork(simulator), 60);
  private final SharedKey key = new SharedKey(world, Rule.PLAIN, "200:k1");
  private final PendingRequests pending = new PendingRequests(world.tally());

  private String receive(String bytes) {
    return pending.receive(bytes.getBytes(ISO_8859_1), error -> error.endsWith("timed out"));
  }

  @Test
  void shouldJudgeRepliesInTheirOrder() {
    pending.add(SharedRequest.get("get", key, key.read(this)));
    pending.add(SharedRequest.delete("delete\r\n", key, key.delete(this), ""));
    assertThat(pending.first()).isEqualTo("reply to get 200:k1");
    assertThat(pending.isReading()).isTrue();
    assertThat(receive("EN")).isNull();
    assertThat(receive("D\r\nNOT_FO")).isNull();
    assertThat(pending.first()).isEqualTo("reply to delete");
    assertThat(pending.isReading()).isFalse();
    assertThat(receive("UND\r\n")).isNull();
    assertThat(pending.isEmpty()).isTrue();
    assertThat(receive("END\r\n")).contains("bytes without a request: END");
  }

  @Test
  void shouldAllowErrorsThatAreExcused() {
    pending.add(SharedRequest.get("get", key, key.read(this)));
    pending.add(SharedRequest.get("get", key, key.read(this)));
    assertThat(receive("SERVER_ERROR server a timed out\r\n")).isNull();
    assertThat(receive("SERVER_ERROR server a is unreachable\r\n"))
        .isEqualTo("an error without a fault: SERVER_ERROR server a is unreachable to get 200:k1");
  }

  @Test
  void shouldNotKnowWhatALostRequestHasDone() {
    String value = key.next(20);
    pending.add(SharedRequest.set("set\r\n", key, key.write(this, value), ""));
    pending.lost();
    assertThat(pending.isEmpty()).isTrue();
    long flags = key.flags();
    for (String held : new String[] {"", "VALUE 200:k1 " + flags + " 20\r\n" + value + "\r\n"}) {
      pending.add(SharedRequest.get("get", key, key.read("another")));
      assertThat(receive(held + "END\r\n")).as(held).isNull();
    }
  }
}
