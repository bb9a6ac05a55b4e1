package sluice.codecs.internode.address;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import java.util.Comparator;
import org.junit.jupiter.api.Test;
import sluice.codecs.internode.RecordedMessages;
import sluice.codecs.internode.RecordedMessages.Recorded;
import sluice.codecs.internode.Verb;

/** What is done for every message makes no garbage. */
class AddressAllocationTest {
  private static final int ROUNDS = 20_000;

  @Test
  void shouldLookAtGossipWithoutGarbage() {
    Recorded message =
        RecordedMessages.all().stream()
            .filter(r -> r.verb() == Verb.GOSSIP_DIGEST_ACK)
            .max(Comparator.comparingInt(r -> r.bytes().length))
            .orElseThrow();
    byte[] bytes = message.bytes();
    ByteBuf in = Unpooled.buffer(bytes.length).writeBytes(bytes);
    MessageRewriter rewriter = new MessageRewriter(Rewritten.IPV6, message.version());
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = 0;
    for (int i = 0; i < 2 * ROUNDS; i++) {
      if (i == ROUNDS) {
        before = threads.getCurrentThreadAllocatedBytes();
      }
      if (!rewriter.rewrite(in, 0, bytes.length) || rewriter.length() <= bytes.length) {
        throw new IllegalStateException("nothing was replaced");
      }
    }
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(2 * ROUNDS);
  }
}
