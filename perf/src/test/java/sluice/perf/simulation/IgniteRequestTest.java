package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import sluice.perf.simulation.IgniteRequest.Change;
import sluice.perf.simulation.OrderedKey.Item;
import sluice.perf.simulation.system.SimulatedNetwork;
import sluice.perf.simulation.system.Simulator;
import sluice.testkit.Opcode;

class IgniteRequestTest {
  private static final int OPAQUE = 77;
  private static final byte[] NONE = {};

  private final Simulator simulator = new Simulator(1);
  private final World world = new World(simulator, new SimulatedNetwork(simulator), 60);
  private final OrderedKey key = new OrderedKey(world, Rule.PLAIN, "1:k1");

  private static byte[] packet(int opcode) {
    return BinaryReply.request(opcode, NONE, "1:k1", "", OPAQUE);
  }

  private static BinaryReply reply(int opcode, int status, byte[] extras, String value) {
    return new BinaryReply(0x81, opcode, status, OPAQUE, 0, extras, "", value);
  }

  private @Nullable String get(int status, int types, String value) {
    return get(key, status, types, value);
  }

  private static @Nullable String get(OrderedKey key, int status, int types, String value) {
    byte[] extras = ByteBuffer.allocate(4).putInt(types).array();
    return IgniteRequest.get(packet(Opcode.GETQ), key)
        .judge(reply(Opcode.GETQ, status, extras, value), false, 0);
  }

  private @Nullable String set(Item item, int status, boolean failed) {
    return IgniteRequest.change(packet(Opcode.SET), key, held -> Change.to(item), false)
        .judge(reply(Opcode.SET, status, NONE, ""), failed, 0);
  }

  @Test
  void shouldJudgeValueAndTypes() {
    assertThat(get(1, 0, "")).isNull();
    assertThat(get(1, 1, "")).contains("a miss with types");
    assertThat(set(new Item("v", 7), 0, false)).isNull();
    assertThat(get(0, 7, "v")).isNull();
    assertThat(get(0, 8, "v")).contains("with flags 8");
    assertThat(get(1, 0, "")).contains("found nothing");
    assertThat(get(4, 0, "")).contains("a failure without a fault");
  }

  @Test
  void shouldIgnoreSpacesBehindACounterAlone() {
    key.holds(new Item("9", 0));
    assertThat(get(0, 0, "9 ")).isNull();
    assertThat(get(0, 0, "9\t ")).contains("with flags 0, expected 9");
    key.holds(new Item("v", 0));
    assertThat(get(0, 0, "v ")).contains("found v ");
  }

  @Test
  void shouldJudgeEachByteOfANodesItem() {
    OrderedKey ofNode = new OrderedKey(world, Rule.IGNITE, "1:k2");
    for (String integer : new String[] {"\u00ce{\t ", "123 "}) {
      ofNode.holds(new Item(integer, 0x0200));
      assertThat(get(ofNode, 0, 0x0200, integer)).isNull();
      assertThat(get(ofNode, 0, 0x0200, integer.strip())).contains("found " + integer.strip());
    }
  }

  @Test
  void shouldNotKnowWhatAFailedWriteDid() {
    assertThat(set(new Item("v", 7), 4, false)).contains("a failure without a fault");
    assertThat(set(new Item("v", 7), 4, true)).isNull();
    assertThat(key.isCertain()).isFalse();
    assertThat(set(new Item("v", 7), 5, true)).contains("status 5");
  }

  @Test
  void shouldFindASuccessThatCannotBe() {
    IgniteRequest replace =
        IgniteRequest.change(packet(Opcode.REPLACE), key, held -> Change.none(held), false);
    assertThat(replace.judge(reply(Opcode.REPLACE, 4, NONE, ""), false, 0)).isNull();
    assertThat(replace.judge(reply(Opcode.REPLACE, 0, NONE, ""), false, 0)).contains("success");
  }

  @Test
  void shouldJudgeTheNumberOfACounter() {
    String number = new String(ByteBuffer.allocate(8).putLong(12).array(), ISO_8859_1);
    for (String expected : new String[] {"12", "13"}) {
      IgniteRequest count =
          IgniteRequest.change(
              packet(Opcode.INCREMENT), key, held -> Change.to(new Item(expected, 0)), true);
      String wrong = count.judge(reply(Opcode.INCREMENT, 0, NONE, number), false, 0);
      assertThat(wrong == null).isEqualTo(expected.equals("12"));
    }
  }

  @Test
  void shouldFindTheReplyToAnotherRequest() {
    IgniteRequest get = IgniteRequest.get(packet(Opcode.GET), key);
    BinaryReply other = new BinaryReply(0x81, Opcode.GET, 1, OPAQUE + 1, 0, new byte[4], "", "");
    assertThat(get.judge(other, true, 0)).contains("another request's reply");
  }
}
