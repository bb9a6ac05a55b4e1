package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import sluice.perf.simulation.history.CounterHistory;
import sluice.perf.simulation.history.CounterHistory.Count;
import sluice.perf.simulation.history.ValueHistory;
import sluice.perf.simulation.history.ValueHistory.Change;
import sluice.perf.simulation.system.SimulatedNetwork;
import sluice.perf.simulation.system.Simulator;

class SharedRequestTest {
  private static final Object ANN = "ann";
  private static final Object BOB = "bob";

  private final Simulator simulator = new Simulator(1);
  private final World world = new World(simulator, new SimulatedNetwork(simulator), 60);
  private final SharedKey key = new SharedKey(world, Rule.PLAIN, "200:k1");
  private final SharedCounter counter = new SharedCounter(world, Rule.PLAIN, "300:k2");

  private String judge(Request request, String reply) {
    simulator.run(1_000);
    Replies replies = new Replies();
    replies.add(reply.getBytes(ISO_8859_1));
    String verdict = request.judge(replies);
    assertThat(replies.isEmpty()).as(verdict).isTrue();
    simulator.run(1_000);
    return verdict;
  }

  private Request set(Object client) {
    Change write = key.write(client, key.next(20));
    return SharedRequest.set("set", key, write, "");
  }

  private Request get(Object client) {
    return SharedRequest.get("get", key, key.read(client));
  }

  private String value(String value, long flags) {
    return "VALUE 200:k1 " + flags + " " + value.length() + "\r\n" + value + "\r\nEND\r\n";
  }

  @Test
  void shouldFindWhatAnotherClientReplaced() {
    String old = key.next(20);
    Request first = SharedRequest.set("set", key, key.write(ANN, old), "");
    long flags = key.flags();
    assertThat(judge(first, "STORED\r\n")).isEqualTo(Request.FINE);
    assertThat(judge(get(BOB), value(old, flags))).isEqualTo(Request.FINE);
    assertThat(judge(set(BOB), "STORED\r\n")).isEqualTo(Request.FINE);
    assertThat(judge(get(ANN), value(old, flags))).contains("replaced");
    assertThat(judge(get(ANN), "END\r\n")).contains("found nothing");
    Request meta = SharedRequest.metaGet(key, key.read(ANN), "", "7");
    String hit = "VA 20 k200:k1 f" + flags + " O7\r\n" + old + "\r\n";
    assertThat(judge(meta, hit)).contains("replaced");
    world.loss();
    assertThat(judge(get(ANN), value(old, flags))).isEqualTo(Request.FINE);
  }

  @Test
  void shouldJudgeChangesByWhetherThereWasAnItem() {
    Request add = SharedRequest.add("add", key, key.write(ANN, key.next(20)), "");
    assertThat(judge(add, "NOT_STORED\r\n")).contains("found a value");
    Request delete = SharedRequest.delete("delete", key, key.delete(ANN), "5");
    assertThat(judge(delete, "HD O5\r\n")).contains("found a value");
    assertThat(judge(set(ANN), "STORED\r\n")).isEqualTo(Request.FINE);
    Request again = SharedRequest.add("add", key, key.write(BOB, key.next(20)), "");
    assertThat(judge(again, "STORED\r\n")).contains("found nothing");
    Request touch = SharedRequest.touch("touch", key, key.read(BOB));
    assertThat(judge(touch, "NOT_FOUND\r\n")).contains("found nothing");
  }

  @Test
  void shouldJudgeACas() {
    String value = key.next(20);
    Request first = SharedRequest.set("set", key, key.write(ANN, value), "");
    String shown = "VALUE 200:k1 " + key.flags() + " 20 7\r\n" + value + "\r\nEND\r\n";
    assertThat(judge(first, "STORED\r\n")).isEqualTo(Request.FINE);
    Request gets = SharedRequest.get("gets", key, key.read(ANN));
    assertThat(judge(gets, shown)).isEqualTo(Request.FINE);
    Change compared = java.util.Objects.requireNonNull(key.history().known());
    assertThat(ValueHistory.unique(compared)).isEqualTo(7);
    assertThat(judge(cas(ANN, compared), "EXISTS\r\n")).contains("nothing can have replaced");
    assertThat(judge(cas(BOB, compared), "STORED\r\n")).isEqualTo(Request.FINE);
    assertThat(judge(cas(ANN, compared), "STORED\r\n")).contains("was replaced");
    assertThat(judge(cas(ANN, compared), "EXISTS\r\n")).isEqualTo(Request.FINE);
  }

  private Request cas(Object client, Change compared) {
    return SharedRequest.cas("cas", key, key.write(client, key.next(20)), compared, "");
  }

  @Test
  void shouldJudgeNumbers() {
    assertThat(judge(CounterRequest.begin(counter), "STORED\r\n")).isEqualTo(Request.FINE);
    assertThat(counter.isReady()).isTrue();
    Count first = counter.count(ANN);
    long after = CounterHistory.INITIAL + (first.isUp() ? first.delta() : -first.delta());
    assertThat(judge(CounterRequest.count(counter, first), after + "\r\n")).isEqualTo(Request.FINE);
    String lacking = "VALUE 300:k2 16 18\r\n" + CounterHistory.INITIAL + "\r\nEND\r\n";
    assertThat(judge(CounterRequest.get(counter, counter.read(BOB)), lacking)).contains("lacks");
    assertThat(judge(CounterRequest.get(counter, counter.read(BOB)), "END\r\n"))
        .contains("expected a number");
    Count second = counter.count(BOB);
    Request meta = CounterRequest.metaCount(counter, second, "3");
    assertThat(judge(meta, "VA 18 O3\r\n" + after + "\r\n")).contains("lacks");
  }
}
