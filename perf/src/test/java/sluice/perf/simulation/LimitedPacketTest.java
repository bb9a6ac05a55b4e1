package sluice.perf.simulation;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import sluice.perf.simulation.system.SimulatedNetwork;
import sluice.perf.simulation.system.Simulator;
import sluice.testkit.Opcode;

class LimitedPacketTest {
  private static final int BUSY = 0x85;
  private static final int OPAQUE = 7;

  private final Simulator simulator = new Simulator(1);
  private final World world = new World(simulator, new SimulatedNetwork(simulator), 60);
  private final OrderedKey key = new OrderedKey(world, Rule.PLAIN, "a:1:k1");
  private final Bucket bucket = new Bucket(new Limit(Limit.CACHE, 1, "a:", 1, 1));
  private final Bucket other = new Bucket(new Limit(Limit.CACHE, 2, "b:", 2, 1));

  private static BinaryReply reply(int opcode, int status, String value) {
    byte[] packet = BinaryReply.request(opcode, new byte[0], "", value, OPAQUE);
    ByteBuffer.wrap(packet).put((byte) 0x81).putShort(6, (short) status);
    BinaryReply reply = BinaryReply.first(ByteBuffer.wrap(packet));
    assertThat(reply).isNotNull();
    return reply;
  }

  private String judge(LimitedPacket packet, BinaryReply reply) {
    packet.begins(this, List.of(bucket, other), false, 0);
    return packet.judge(reply, error -> false, 0);
  }

  private String judgeSet(BinaryReply reply) {
    return judge(LimitedPacket.set(OPAQUE, key, 30, false), reply);
  }

  private static BinaryReply rejection(int opcode, Bucket by) {
    return reply(opcode, BUSY, by.limit().error().replace("SERVER_ERROR ", ""));
  }

  @Test
  void shouldJudgeWhatPasses() {
    LimitedPacket set = LimitedPacket.set(OPAQUE, key, 30, false);
    world.journal().stored(key.name(), key.flags());
    assertThat(judge(set, reply(Opcode.SET, 0, ""))).isNull();
    assertThat(judge(LimitedPacket.delete(OPAQUE, key, false), reply(Opcode.DELETE, 0, "")))
        .contains("2 requests to a: passed");
  }

  @Test
  void shouldJudgeWhatIsRejected() {
    assertThat(judgeSet(rejection(Opcode.SET, bucket))).contains("were rejected");
    assertThat(judge(LimitedPacket.get(OPAQUE, key, false, false), reply(Opcode.GET, 1, "")))
        .isNull();
    assertThat(judgeSet(rejection(Opcode.SET, bucket))).isNull();
    assertThat(judgeSet(rejection(Opcode.SET, other))).contains("an error without a fault");
    LimitedPacket set = LimitedPacket.set(OPAQUE, key, 30, false);
    world.journal().stored(key.name(), key.flags());
    assertThat(judge(set, rejection(Opcode.SET, bucket))).contains("carried out what was rejected");
  }

  private String judgeSilence(LimitedPacket packet, long now) {
    packet.begins(this, List.of(bucket, other), false, now);
    return packet.judgeSilence(now);
  }

  @Test
  void shouldJudgeTheSilenceOfQuietOnes() {
    assertThat(judgeSilence(LimitedPacket.get(OPAQUE, key, true, true), 0)).isNull();
    LimitedPacket set = LimitedPacket.set(OPAQUE, key, 30, true);
    world.journal().stored(key.name(), key.flags());
    assertThat(judgeSilence(set, 0)).contains("2 requests to a: passed");
    bucket.restart(0);
    assertThat(judgeSilence(LimitedPacket.get(OPAQUE, key, false, true), 0)).contains("nothing");
    bucket.restart(0);
    assertThat(judgeSilence(LimitedPacket.delete(OPAQUE, key, true), 0)).isNull();
    bucket.restart(0);
    assertThat(judgeSilence(LimitedPacket.set(OPAQUE, key, 30, true), 0))
        .as("the journal does not know whether all servers report")
        .isNull();
  }

  @Test
  void shouldFindAReplyThatAQuietOneMustNotHave() {
    LimitedPacket get = LimitedPacket.get(OPAQUE, key, false, true);
    assertThat(judge(get, reply(Opcode.GETQ, 1, ""))).contains("expected silence");
    LimitedPacket set = LimitedPacket.set(OPAQUE, key, 30, true);
    assertThat(judge(set, reply(Opcode.SETQ, 0, ""))).contains("expected silence");
    LimitedPacket delete = LimitedPacket.delete(OPAQUE, key, true);
    assertThat(judge(delete, reply(Opcode.DELETEQ, 1, ""))).isNull();
    assertThat(judge(LimitedPacket.set(OPAQUE, key, 30, true), rejection(Opcode.SETQ, bucket)))
        .isNull();
  }

  @Test
  void shouldTakeAnErrorWithoutAReasonFromAnotherGateway() {
    LimitedPacket get = LimitedPacket.get(OPAQUE, key, false, false);
    get.begins(this, List.of(bucket), true, 0);
    assertThat(get.judge(reply(Opcode.GET, 0x84, ""), error -> false, 0)).isNull();
    LimitedPacket free = LimitedPacket.get(OPAQUE, key, false, false);
    free.begins(this, List.of(other), true, 0);
    assertThat(free.judge(reply(Opcode.GET, 0x84, ""), error -> false, 0)).contains("an error");
  }

  @Test
  void shouldFindAnotherPacketsReply() {
    assertThat(judgeSet(reply(Opcode.GET, 0, ""))).contains("another request's reply");
    assertThat(new String(LimitedPacket.get(OPAQUE, key, true, false).bytes(), ISO_8859_1))
        .endsWith(key.name());
  }
}
