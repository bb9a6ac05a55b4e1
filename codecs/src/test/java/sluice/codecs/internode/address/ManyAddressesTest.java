package sluice.codecs.internode.address;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.internode.MessageHeader;
import sluice.codecs.internode.MessageHeaderWriter;
import sluice.codecs.internode.Vint;
import sluice.names.Verb;

/** Messages that consist of one mapped address, repeated as often as a peer likes. */
class ManyAddressesTest {
  private static final byte[] ADDRESS = {6, 127, 0, 0, 13, 0x1B, 0x58};

  /** As many bytes as a message of 8 MiB has for them. */
  private static final int FAR_TOO_MANY = (8 << 20) / ADDRESS.length;

  private final MessageRewriter rewriter = new MessageRewriter(Rewritten.IPV6, 12);

  private static ByteBuf addresses(ByteBuf out, int count) {
    for (int i = 0; i < count; i++) {
      out.writeBytes(ADDRESS);
    }
    return out;
  }

  /** PREPARE_CONSISTENT_REQ with this number of addresses, including the coordinator's. */
  private static byte[] repair(int count) {
    ByteBuf payload = Unpooled.buffer().writeZero(16).writeBytes(ADDRESS).writeInt(count - 1);
    return message(Verb.PREPARE_CONSISTENT_REQ, addresses(payload, count - 1));
  }

  private static byte[] message(Verb verb, ByteBuf payload) {
    ByteBuf out = Unpooled.buffer();
    new MessageHeaderWriter(12).id(5).verb(verb.id()).write(out, payload.readableBytes());
    return ByteBufUtil.getBytes(out.writeBytes(payload));
  }

  @Test
  void shouldReplaceAsManyAsMayBeAndElseNone() {
    byte[] most = repair(Splices.MOST);
    assertThat(Rewritten.message(rewriter, most).length).isGreaterThan(2 * most.length);
    assertThat(rewriter.unparsed()).isZero();
    byte[] tooMany = repair(Splices.MOST + 1);
    assertThat(Rewritten.message(rewriter, tooMany)).isSameAs(tooMany);
    assertThat(rewriter.unparsed()).isEqualTo(1);
  }

  @Test
  void shouldReplaceNoneOfTooManyTexts() {
    int states = 1 + Splices.MOST / 4;
    ByteBuf payload = Unpooled.buffer().writeInt(1).writeBytes(ADDRESS).writeLong(0);
    payload.writeInt(4 * states);
    for (int i = 0; i < 4 * states; i++) {
      payload.writeInt(8).writeShort(10).writeBytes("127.0.0.13".getBytes(US_ASCII));
      payload.writeInt(0);
    }
    byte[] gossip = message(Verb.GOSSIP_DIGEST_ACK2, payload);
    assertThat(Rewritten.message(rewriter, gossip)).isSameAs(gossip);
    assertThat(rewriter.unparsed()).isEqualTo(1);
  }

  /** A param stays as a whole; the others are replaced as long as there is room. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void shouldLeaveParamsThatHaveTooMany(int params) {
    ByteBuf all = Unpooled.buffer();
    int each = Splices.MOST / 2;
    for (int i = 0; i < params; i++) {
      ByteBuf forward = Unpooled.buffer();
      Vint.write(forward, each);
      for (int node = 0; node < each; node++) {
        forward.writeBytes(ADDRESS).writeByte(1);
      }
      all.writeByte(MessageHeader.FORWARD_TO);
      Vint.write(all, forward.readableBytes());
      all.writeBytes(forward);
    }
    ByteBuf out = Unpooled.buffer();
    new MessageHeaderWriter(12)
        .id(5)
        .verb(Verb.MUTATION_REQ.id())
        .write(out, params, all, 0, all.readableBytes(), 0);
    byte[] message = ByteBufUtil.getBytes(out);
    int growth = Rewritten.message(rewriter, message).length - message.length;
    assertThat(growth).isBetween(12 * each, 12 * each + 2);
    assertThat(rewriter.unparsed()).isEqualTo(params - 1);
  }

  private static long allocated(Runnable work) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    work.run();
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  @Test
  void shouldTakeLittleMemoryForTooMany() {
    byte[] bytes = repair(FAR_TOO_MANY);
    ByteBuf message = Unpooled.wrappedBuffer(bytes);
    assertThat(allocated(() -> rewriter.rewrite(message, 0, bytes.length))).isLessThan(2 << 20);
  }

  /** Each place is read for its length, and only the one that is right is read for addresses. */
  @Test
  void shouldTakeNoMemoryForPlacesWhereAnElectorateMightBegin() {
    ByteBuf payload = Unpooled.buffer().writeZero(32); // a ballot, and the table
    payload.writeByte(1).writeByte(9).writeByte(0x20); // a key, and an update that is not empty
    payload.writeZero(16);
    Vint.write(payload, 8000);
    byte[] bytes = message(Verb.PAXOS2_COMMIT_AND_PREPARE_REQ, addresses(payload, 8000));
    ByteBuf message = Unpooled.wrappedBuffer(bytes);
    assertThat(rewriter.rewrite(message, 0, bytes.length)).isFalse();
    assertThat(rewriter.unparsed()).isEqualTo(1);
    assertThat(allocated(() -> rewriter.rewrite(message, 0, bytes.length))).isLessThan(100_000);
  }

  /** What a large message needed is allocated anew for the next one, so it was not kept. */
  @Test
  void shouldKeepNoMemoryOfALargeMessage() {
    byte[] bytes = repair(Splices.MOST);
    Rewritten.message(rewriter, bytes);
    ByteBuf message = Unpooled.wrappedBuffer(bytes);
    assertThat(allocated(() -> rewriter.rewrite(message, 0, bytes.length)))
        .isGreaterThan(20L * Splices.MOST);
  }
}
