package sluice.codecs.internode.address;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import sluice.codecs.internode.MessageHeader;
import sluice.codecs.internode.MessageParams;
import sluice.codecs.internode.NodeAddress;
import sluice.codecs.internode.RecordedMessages;
import sluice.codecs.internode.RecordedMessages.Recorded;
import sluice.names.Verb;

/** Messages of real nodes, their addresses replaced and replaced back. */
class RecordedAddressesTest {
  private static final List<Recorded> MESSAGES = RecordedMessages.all();

  private static final Set<Verb> GOSSIP =
      EnumSet.of(
          Verb.GOSSIP_DIGEST_SYN,
          Verb.GOSSIP_DIGEST_ACK,
          Verb.GOSSIP_DIGEST_ACK2,
          Verb.GOSSIP_SHUTDOWN);

  @Test
  void shouldChangeNothingIfAddressesStay() {
    for (Recorded message : MESSAGES) {
      assertThat(Rewritten.message(Rewritten.IDENTITY, message.version(), message.bytes()))
          .as(message.name())
          .isEqualTo(message.bytes());
    }
  }

  @Test
  void shouldUndoWhatTheInverseDid() {
    int changed = 0;
    for (Recorded message : MESSAGES) {
      for (AddressMap map : List.of(Rewritten.IPV4, Rewritten.IPV6)) {
        byte[] there = Rewritten.message(map, message.version(), message.bytes());
        assertThat(Rewritten.message(map.inverse(), message.version(), there))
            .as(message.name())
            .isEqualTo(message.bytes());
        changed += Arrays.equals(there, message.bytes()) ? 0 : 1;
      }
    }
    assertThat(changed).isGreaterThan(2000);
  }

  @Test
  void shouldReadEveryRecordedPayloadThatHasAddresses() {
    for (Recorded message : MESSAGES) {
      MessageRewriter rewriter = new MessageRewriter(Rewritten.IPV4, message.version());
      byte[] there = Rewritten.message(rewriter, message.bytes());
      assertThat(rewriter.unparsed()).as(message.name()).isZero();
      boolean isMetadata = message.verb().label().startsWith("TCM_");
      assertThat(rewriter.notRead()).as(message.name()).isLessThanOrEqualTo(isMetadata ? 1 : 0);
      if (!Arrays.equals(there, message.bytes())) {
        assertThat(rewriter.concerns(message.header())).as(message.name()).isTrue();
      }
    }
  }

  /** In gossip there is nothing but what nodes say, so no byte of an address may be left. */
  @Test
  void shouldLeaveNoAddressInGossip() {
    int seen = 0;
    for (Recorded message : MESSAGES) {
      if (!GOSSIP.contains(message.verb())) {
        continue;
      }
      seen++;
      for (AddressMap map : List.of(Rewritten.IPV4, Rewritten.IPV6)) {
        byte[] there = Rewritten.message(map, message.version(), message.bytes());
        for (AddressMap.Entry entry : map.entries()) {
          byte[] address = new byte[5];
          address[0] = 6;
          System.arraycopy(entry.from().getAddress(), 0, address, 1, 4);
          assertThat(Rewritten.indexOf(there, address)).as(message.name()).isEqualTo(-1);
          byte[] text = (entry.from().getHostAddress() + ":").getBytes(US_ASCII);
          assertThat(Rewritten.indexOf(there, text)).as(message.name()).isEqualTo(-1);
        }
      }
    }
    assertThat(seen).isGreaterThan(1800);
  }

  /** Everything but gossip, params and cluster metadata passes, whatever is in it. */
  @Test
  void shouldNotTouchOtherMessages() {
    for (Recorded message : MESSAGES) {
      if (!GOSSIP.contains(message.verb())
          && message.verb() != Verb.TCM_DISCOVER_RSP
          && message.header().paramCount() == 0) {
        assertThat(Rewritten.message(Rewritten.IPV6, message.version(), message.bytes()))
            .as(message.name())
            .isSameAs(message.bytes());
      }
    }
  }

  @Test
  void shouldReplaceWhereToRespondAndWhomToForwardTo() {
    int respond = 0;
    int forward = 0;
    for (Recorded message : MESSAGES) {
      MessageHeader before = message.header();
      if (before.paramCount() == 0) {
        continue;
      }
      byte[] there = Rewritten.message(Rewritten.IPV6, message.version(), message.bytes());
      MessageHeader after = new MessageHeader();
      assertThat(after.parse(Unpooled.wrappedBuffer(there), 0, there.length, message.version()))
          .isTrue();
      assertThat(after.messageLength()).isEqualTo(there.length);
      assertThat(after.paramCount()).isEqualTo(before.paramCount());
      MessageParams old = before.params();
      MessageParams changed = after.params();
      while (old.next()) {
        assertThat(changed.next()).isTrue();
        assertThat(changed.type()).isEqualTo(old.type());
        int index = old.index() + (old.type() == 0 ? 1 : 0);
        if (old.type() <= 1 && before.buffer().getUnsignedMedium(index + 1) == 0x7F0000) {
          int node = before.buffer().getByte(index + 4);
          int newIndex = changed.index() + (old.type() == 0 ? 1 : 0);
          assertThat(NodeAddress.get(after.buffer(), newIndex).getAddress())
              .isEqualTo(Rewritten.address("2001:db8::a:" + node));
          assertThat(NodeAddress.port(after.buffer(), newIndex))
              .isEqualTo(NodeAddress.port(before.buffer(), index));
          respond += old.type() == 1 ? 1 : 0;
          forward += old.type() == 0 ? 1 : 0;
        }
      }
    }
    assertThat(respond).isGreaterThan(10);
    assertThat(forward).isGreaterThan(10);
  }
}
