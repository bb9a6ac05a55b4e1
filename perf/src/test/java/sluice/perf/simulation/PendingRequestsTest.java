package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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

  @Test
  void shouldKnowThatATakenItemIsGone() {
    CheckedKey own = new CheckedKey(world, Rule.PLAIN, "1:k1");
    own.writes(own.next(20));
    String found = "VALUE 1:k1 " + own.flags() + " 20\r\n" + own.value() + "\r\nEND\r\n";
    pending.add(Request.take("gat -1", own));
    pending.add(Request.get("get", List.of(own)));
    assertThat(receive(found)).isNull();
    assertThat(receive(found)).contains("expected nothing");
    pending.add(Request.metaTake(own, own.name(), " T-1", "1"));
    assertThat(receive("EN\r\n")).isNull();
    pending.add(Request.take("gats -1", own));
    assertThat(receive("SERVER_ERROR server a timed out\r\n")).isNull();
    assertThat(own.isCertain()).as("it may be gone").isFalse();
  }

  @Test
  void shouldFindAChangeWithoutAReplyThatNoServerHasCarriedOut() {
    boolean[] mayFail = {false};
    for (boolean failed : new boolean[] {false, true}) {
      CheckedKey own = new CheckedKey(world, Rule.PLAIN, "1:k2");
      own.writes(own.next(20));
      pending.add(Request.silently("set\r\n", own, () -> mayFail[0]));
      assertThat(pending.isReading()).isTrue();
      mayFail[0] = failed;
      String wrong = receive("END\r\n");
      if (failed) {
        assertThat(wrong).isNull();
      } else {
        assertThat(wrong).contains("found nothing, expected 1:k2|1|");
      }
    }
  }

  @Test
  void shouldJudgeQuietReadsByWhatHasAReply() {
    CheckedKey held = new CheckedKey(world, Rule.PLAIN, "1:k3");
    CheckedKey empty = new CheckedKey(world, Rule.PLAIN, "1:k4");
    QuietRequest request = QuietRequest.of(List.of(held, empty), 20, "5");
    assertThat(request.text())
        .contains("ms 1:k3 20 F" + held.flags() + " q\r\n")
        .endsWith("mg 1:k3 k f v q O50\r\nmg 1:k4 k f v q O51\r\nmn\r\n");
    String hit = "VA 20 k1:k3 f" + held.flags() + " O50\r\n" + held.value() + "\r\n";
    pending.add(request);
    assertThat(receive(hit)).isNull();
    assertThat(pending.isEmpty()).isFalse();
    assertThat(receive("MN\r\n")).isNull();
    assertThat(pending.isEmpty()).isTrue();
    pending.add(QuietRequest.of(List.of(held, empty), 0, "6"));
    assertThat(receive("MN\r\n")).contains("key 1:k3: found nothing");
    pending.add(QuietRequest.of(List.of(empty), 0, "7"));
    assertThat(receive("EN\r\nMN\r\n")).contains("found EN as the reply");
  }

  @Test
  void shouldNotKnowWhichOfSeveralQuietRequestsHasFailed() {
    CheckedKey key = new CheckedKey(world, Rule.PLAIN, "1:k5");
    pending.add(QuietRequest.of(List.of(key), 20, "8"));
    assertThat(receive("SERVER_ERROR server a timed out\r\nMN\r\n")).isNull();
    assertThat(pending.isEmpty()).isTrue();
    assertThat(key.isCertain()).isFalse();
  }

  @Test
  void shouldKnowAKeyInBase64() {
    CheckedKey key = new CheckedKey(world, Rule.PLAIN, "1:k6");
    key.writes(key.next(20));
    String rest = " f" + key.flags() + " O3\r\n" + key.value() + "\r\n";
    for (String told : new String[] {"1:k6", "MTprNg== b", "MTprNg=="}) {
      Request get = Request.metaGet(key, key.encoded() + " b", "", "3");
      assertThat(get.text()).isEqualTo("mg MTprNg== b k f v O3\r\n");
      pending.add(get);
      assertThat(receive("VA 20 k" + told + rest)).as(told).isNull();
    }
    pending.add(Request.metaGet(key, key.name(), "", "3"));
    assertThat(receive("VA 20 k1:k7" + rest)).contains("found VA");
  }
}
