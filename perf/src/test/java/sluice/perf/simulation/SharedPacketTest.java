package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import sluice.perf.simulation.history.CounterHistory;
import sluice.perf.simulation.history.CounterHistory.Count;
import sluice.perf.simulation.history.ValueHistory.Change;
import sluice.perf.simulation.system.SimulatedNetwork;
import sluice.perf.simulation.system.Simulator;
import sluice.testkit.Opcode;

class SharedPacketTest {
  private static final Object ANN = "ann";
  private static final Object BOB = "bob";

  private final Simulator simulator = new Simulator(1);
  private final World world = new World(simulator, new SimulatedNetwork(simulator), 60);
  private final SharedKey key = new SharedKey(world, Rule.PLAIN, "200:k1");

  private @Nullable String judge(SharedPacket packet, int status, String value, long cas) {
    simulator.run(1_000);
    int told = packet.keyName().equals(key.name()) ? (int) key.flags() : SharedCounter.FLAGS;
    byte[] flags = ByteBuffer.allocate(Integer.BYTES).putInt(told).array();
    byte[] extras = value.isEmpty() ? new byte[0] : flags;
    byte[] bytes = BinaryReply.request(packet.opcode(), extras, "", value, packet.opaque());
    ByteBuffer.wrap(bytes).putShort(6, (short) status).putLong(BinaryReply.CAS, cas);
    String wrong = packet.judge(Objects.requireNonNull(BinaryReply.first(ByteBuffer.wrap(bytes))));
    simulator.run(1_000);
    return wrong;
  }

  private SharedPacket write(int opcode, Object client, @Nullable Change compared) {
    String value = key.next(20);
    Change change = key.write(client, value);
    var write = new ValuePacket.Write(change, value, key.flags(), compared);
    return new ValuePacket(opcode, 1, key, write);
  }

  private SharedPacket get(Object client) {
    return new ValuePacket(Opcode.GETQ, 1, key, key.read(client));
  }

  @Test
  void shouldFindWhatAnotherClientReplaced() {
    String old = key.next(20);
    var write = new ValuePacket.Write(key.write(ANN, old), old, key.flags(), null);
    assertThat(judge(new ValuePacket(Opcode.SET, 1, key, write), 0, "", 5)).isNull();
    assertThat(judge(get(BOB), 0, old, 5)).isNull();
    assertThat(judge(get(BOB), 0, old, 6)).contains("cas unique");
    long flags = key.flags();
    assertThat(write(Opcode.SETQ, BOB, null).judgeSilence()).isNull();
    assertThat(flags).isNotEqualTo(key.flags());
    simulator.run(1_000);
    assertThat(judge(get(ANN), 0, old, 5)).contains("found flags");
    assertThat(get(ANN).judgeSilence()).contains("found nothing");
  }

  @Test
  void shouldJudgeChangesByWhetherThereWasAnItem() {
    SharedPacket missing = write(Opcode.ADD, ANN, null);
    assertThat(judge(missing, BinaryReply.EXISTS, "", 0)).contains("found a value");
    SharedPacket delete = new ValuePacket(Opcode.DELETEQ, 1, key, key.delete(ANN));
    assertThat(delete.judgeSilence()).contains("found a value");
    assertThat(judge(write(Opcode.SET, ANN, null), 0, "", 0)).isNull();
    assertThat(write(Opcode.ADDQ, BOB, null).judgeSilence()).contains("found nothing");
    SharedPacket touch = new ValuePacket(Opcode.TOUCH, 1, key, key.read(BOB));
    assertThat(judge(touch, BinaryReply.NOT_FOUND, "", 0)).contains("found nothing");
    assertThat(judge(write(Opcode.SET, ANN, null), BinaryReply.EXISTS, "", 0)).contains("status 2");
  }

  @Test
  void shouldJudgeACas() {
    assertThat(judge(write(Opcode.SET, ANN, null), 0, "", 7)).isNull();
    Change compared = Objects.requireNonNull(key.history().known());
    assertThat(judge(write(Opcode.SET, ANN, compared), BinaryReply.EXISTS, "", 0))
        .contains("nothing can have replaced");
    assertThat(judge(write(Opcode.SET, BOB, compared), 0, "", 8)).isNull();
    assertThat(write(Opcode.SETQ, ANN, compared).judgeSilence()).contains("was replaced");
    assertThat(judge(write(Opcode.SET, ANN, compared), BinaryReply.EXISTS, "", 0)).isNull();
  }

  @Test
  void shouldJudgeNumbers() {
    SharedCounter counter = new SharedCounter(world, Rule.PLAIN, "300:k2");
    Count first = counter.count(ANN);
    long after = CounterHistory.INITIAL + (first.isUp() ? first.delta() : -first.delta());
    String eight = new String(ByteBuffer.allocate(8).putLong(after).array(), ISO_8859_1);
    SharedPacket counts = new CounterPacket(Opcode.INCREMENT, 1, counter, first);
    assertThat(judge(counts, 0, eight, 0)).isNull();
    SharedPacket get = new CounterPacket(Opcode.GET, 1, counter, counter.read(BOB));
    assertThat(judge(get, 0, Long.toString(CounterHistory.INITIAL), 0)).contains("lacks");
    assertThat(judge(get, 0, Long.toString(after), 0)).isNull();
    assertThat(new CounterPacket(Opcode.GETQ, 1, counter, counter.read(BOB)).judgeSilence())
        .contains("expected a number");
    SharedPacket quiet = new CounterPacket(Opcode.INCREMENTQ, 1, counter, counter.count(BOB));
    assertThat(quiet.judgeSilence()).isNull();
    simulator.run(1_000);
    SharedPacket again = new CounterPacket(Opcode.GET, 1, counter, counter.read(ANN));
    assertThat(judge(again, 0, Long.toString(after), 0)).contains("lacks");
  }
}
