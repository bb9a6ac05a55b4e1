package sluice.codecs.internode.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.internode.MessageHeader;
import sluice.codecs.internode.MessageHeaderWriter;
import sluice.codecs.internode.Vint;
import sluice.names.Verb;

/** Addresses behind what users have stored, which may look like them. */
class PaxosAddressesTest {
  private static final byte[] ADDRESS = {6, 127, 0, 0, 13, 0x1B, 0x58};
  private static final byte[] OTHER = {6, 127, 0, 0, 12, 0x1B, 0x58};
  private static final byte[] NEW_ADDRESS = {6, (byte) 198, 51, 100, (byte) 213, 0x1B, 0x58};
  private static final byte[] NEW_OTHER = {6, (byte) 198, 51, 100, (byte) 212, 0x1B, 0x58};

  private final Random random = new Random(7);
  private final byte[] table = bytes(16);

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] message(Verb verb, int version, ByteBuf payload) {
    ByteBuf out = Unpooled.buffer();
    new MessageHeaderWriter(version).id(5).verb(verb.id()).write(out, payload.readableBytes());
    return ByteBufUtil.getBytes(out.writeBytes(payload.duplicate()));
  }

  private ByteBuf request(int version, boolean read, byte[] a, byte[] b) {
    ByteBuf out = Unpooled.buffer().writeBytes(new byte[16]);
    out.writeByte(2).writeBytes(a).writeBytes(b).writeByte(1).writeBytes(a);
    out.writeByte(read ? 1 : 2);
    if (read) {
      out.writeByte(0).writeByte(0).writeBytes(table);
      if (version >= MessageHeader.FIRST_WITH_EPOCH) {
        Vint.write(out, 700);
      }
      out.writeInt(77).writeBytes(ADDRESS).writeBytes(OTHER); // a filter, say, on such a value
    } else {
      out.writeBytes(table).writeByte(0).writeShort(ADDRESS.length).writeBytes(ADDRESS); // the key
    }
    if (version >= MessageHeader.FIRST_WITH_EPOCH) {
      out.writeByte(1);
    }
    return out;
  }

  /** A ballot and an update of one row, with values that nobody can read without the schema. */
  private ByteBuf commit(int version, byte[] values) {
    ByteBuf out = Unpooled.buffer().writeBytes(bytes(16)).writeBytes(table);
    if (version >= MessageHeader.FIRST_WITH_EPOCH) {
      Vint.write(out, 700);
    }
    out.writeByte(3).writeMedium(9);
    if (values.length == 0) {
      return out.writeByte(1);
    }
    return out.writeByte(0x20)
        .writeBytes(new byte[] {10, 20, 30, 0, 1, 'v', 1, 36})
        .writeBytes(values)
        .writeByte(1);
  }

  private static ByteBuf state(ByteBuf out, int version) {
    out.writeInt(1).writeInt(2).writeInt(1).writeInt(3).writeShort(3);
    out.writeCharSequence("dc1", StandardCharsets.US_ASCII);
    return out.writeInt(version);
  }

  private static byte[] rewrite(MessageRewriter rewriter, byte[] message) {
    return Rewritten.message(rewriter, message);
  }

  @ParameterizedTest
  @ValueSource(ints = {12, 13, 14})
  void shouldReplaceTheElectorateAndNothingElse(int version) {
    for (boolean read : new boolean[] {true, false}) {
      MessageRewriter rewriter = new MessageRewriter(Rewritten.IPV4, version);
      Verb verb = Verb.PAXOS2_PREPARE_REQ;
      assertThat(rewrite(rewriter, message(verb, version, request(version, read, ADDRESS, OTHER))))
          .isEqualTo(message(verb, version, request(version, read, NEW_ADDRESS, NEW_OTHER)));
      assertThat(rewriter.unparsed()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {12, 13, 14})
  void shouldReplaceTheElectorateBehindAnyUpdate(int version) {
    for (byte[] values : List.of(new byte[0], ADDRESS, lists(), bytes(3000), new byte[40])) {
      for (boolean read : new boolean[] {true, false}) {
        byte[] commit = ByteBufUtil.getBytes(commit(version, values));
        Verb verb = Verb.PAXOS2_COMMIT_AND_PREPARE_REQ;
        MessageRewriter rewriter = new MessageRewriter(Rewritten.IPV4, version);
        byte[] before =
            message(
                verb,
                version,
                Unpooled.wrappedBuffer(
                    Unpooled.wrappedBuffer(commit), request(version, read, ADDRESS, OTHER)));
        byte[] after =
            message(
                verb,
                version,
                Unpooled.wrappedBuffer(
                    Unpooled.wrappedBuffer(commit),
                    request(version, read, NEW_ADDRESS, NEW_OTHER)));
        assertThat(rewrite(rewriter, before)).isEqualTo(after);
        assertThat(rewriter.unparsed()).isZero();
      }
    }
  }

  /** A value that is what an electorate looks like. */
  private static byte[] lists() {
    return ByteBufUtil.getBytes(
        Unpooled.buffer().writeByte(2).writeBytes(ADDRESS).writeBytes(OTHER).writeByte(0));
  }

  private ByteBuf response(int version, int flags, byte[] values, byte[]... voters) {
    ByteBuf out = Unpooled.buffer().writeByte(flags);
    Vint.write(out, 1 << 20);
    if ((flags & 2) != 0) {
      out.writeBytes(commit(version, values));
    }
    out.writeBytes(commit(version, values));
    if ((flags & 4) != 0) {
      out.writeByte(0).writeByte(0).writeByte(1); // no digest, nothing repaired
      out.writeByte(14).writeBytes(ADDRESS).writeBytes(OTHER);
    }
    out.writeByte(voters.length);
    for (byte[] voter : voters) {
      state(out.writeBytes(voter).writeByte(1), 0x1234_5678);
    }
    if (version >= MessageHeader.FIRST_WITH_EPOCH) {
      Vint.write(out, 700);
    }
    return (flags & 16) == 0
        ? out
        : out.writeBytes(new byte[] {6, 127, 0, 0, 13, 0x1B, 0x58, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  }

  @ParameterizedTest
  @ValueSource(ints = {12, 13, 14})
  void shouldReplaceVotersInAnAnswerAndNothingElse(int version) {
    for (int flags : new int[] {1, 1 | 4, 1 | 2 | 8, 1 | 2 | 4, 1 | 4 | 16}) {
      for (byte[] values : List.of(new byte[0], ADDRESS, lists(), bytes(500))) {
        for (Verb verb : List.of(Verb.PAXOS2_PREPARE_RSP, Verb.PAXOS2_COMMIT_AND_PREPARE_RSP)) {
          MessageRewriter rewriter = new MessageRewriter(Rewritten.IPV4, version);
          random.setSeed(flags);
          ByteBuf before = response(version, flags, values, ADDRESS, OTHER);
          random.setSeed(flags);
          ByteBuf after = response(version, flags, values, NEW_ADDRESS, NEW_OTHER);
          random.setSeed(flags);
          ByteBuf nobody = response(version, flags, values);
          assertThat(rewrite(rewriter, message(verb, version, before)))
              .isEqualTo(message(verb, version, after));
          byte[] same = message(verb, version, nobody);
          assertThat(rewrite(rewriter, same)).isSameAs(same);
          assertThat(rewriter.unparsed()).isZero();
        }
      }
    }
  }

  /**
   * A value whose end reads like a voter without a state, together with the bytes behind it. The
   * last byte of its port is the end of the rows, and its missing state is the number of voters.
   * Both readings are whole, so it must not be touched.
   */
  @Test
  void shouldLeaveAnAnswerAloneThatCanBeReadInTwoWays() {
    byte[] values = {7, 0, 1, 6, 127, 0, 0, 13, 0x1B};
    byte[] message = message(Verb.PAXOS2_PREPARE_RSP, 12, response(12, 1, values));
    MessageRewriter rewriter = new MessageRewriter(Rewritten.IPV4, 12);
    assertThat(rewrite(rewriter, message)).isSameAs(message);
    assertThat(rewriter.unparsed()).isEqualTo(1);
  }

  /** Every place looks like the beginning of a long list: it is given up, not read for minutes. */
  @Test
  void shouldNotReadAMaliciousValueForEver() {
    ByteBuf values = Unpooled.buffer();
    for (int i = 0; i < 50_000; i++) {
      values.writeByte(6).writeBytes(new byte[] {127, 0, 0, 13, (byte) 0xDF, 0x20, 0});
    }
    byte[] message =
        message(Verb.PAXOS2_PREPARE_RSP, 12, response(12, 1, ByteBufUtil.getBytes(values)));
    MessageRewriter rewriter = new MessageRewriter(Rewritten.IPV4, 12);
    long start = System.nanoTime();
    assertThat(rewrite(rewriter, message)).isSameAs(message);
    assertThat(rewriter.unparsed()).isEqualTo(1);
    assertThat(System.nanoTime() - start).isLessThan(5_000_000_000L); // of any machine
  }

  /** Many small messages that are read for long may share a frame, so each is given up early. */
  @Test
  void shouldReadAMaliciousValueInProportionToItsLength() {
    ByteBuf values = Unpooled.buffer();
    for (int i = 0; i < 2000; i++) { // 16 MB of reading: 2,000 times half of the value
      values.writeByte(6).writeBytes(new byte[] {127, 0, 0, 14, (byte) 0xDF, 0x20, 0});
    }
    byte[] crafted = ByteBufUtil.getBytes(values);
    byte[] message = message(Verb.PAXOS2_PREPARE_RSP, 12, response(12, 1, crafted, ADDRESS, OTHER));
    MessageRewriter rewriter = new MessageRewriter(Rewritten.IPV4, 12);
    assertThat(rewrite(rewriter, message)).isSameAs(message);
    assertThat(rewriter.unparsed()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {12, 13, 14})
  void shouldReadLargeValuesThatWereNotCrafted(int version) {
    byte[] text = new byte[100_000];
    Arrays.fill(text, (byte) 'a');
    ByteBuf many = Unpooled.buffer();
    for (int i = 0; i < 3000; i++) {
      many.writeBytes(lists());
    }
    byte[] addresses = ByteBufUtil.getBytes(many);
    for (byte[] values : List.of(new byte[100_000], text, bytes(100_000), addresses)) {
      byte[] commit = ByteBufUtil.getBytes(commit(version, values));
      for (boolean read : new boolean[] {true, false}) {
        MessageRewriter rewriter = new MessageRewriter(Rewritten.IPV4, version);
        ByteBuf request = request(version, read, ADDRESS, OTHER);
        ByteBuf payload = Unpooled.wrappedBuffer(Unpooled.wrappedBuffer(commit), request);
        byte[] message = message(Verb.PAXOS2_COMMIT_AND_PREPARE_REQ, version, payload);
        assertThat(rewrite(rewriter, message)).isNotEqualTo(message);
        assertThat(rewriter.unparsed()).isZero();
      }
      for (int flags : new int[] {1, 1 | 4 | 16}) {
        MessageRewriter rewriter = new MessageRewriter(Rewritten.IPV4, version);
        byte[] message =
            message(
                Verb.PAXOS2_PREPARE_RSP, version, response(version, flags, values, ADDRESS, OTHER));
        assertThat(rewrite(rewriter, message)).isNotEqualTo(message);
        assertThat(rewriter.unparsed()).isZero();
      }
    }
  }

  /** A plain write passes, and need not even be gathered. */
  @Test
  void shouldNotLookIntoAWrite() {
    ByteBuf payload =
        Unpooled.buffer().writeBytes(bytes(30)).writeBytes(lists()).writeBytes(ADDRESS);
    byte[] message = message(Verb.MUTATION_REQ, 12, payload);
    MessageRewriter rewriter = new MessageRewriter(Rewritten.IPV4, 12);
    MessageHeader header = new MessageHeader();
    header.parse(Unpooled.wrappedBuffer(message), 0, message.length, 12);
    assertThat(rewriter.concerns(header)).isFalse();
    assertThat(rewrite(rewriter, message)).isSameAs(message);
  }
}
