package sluice.codecs.internode.address;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import sluice.codecs.internode.MessageHeaderWriter;
import sluice.codecs.internode.RecordedMessages;
import sluice.codecs.internode.RecordedMessages.Recorded;
import sluice.codecs.internode.address.Rewritten.StreamRewriterCheck;
import sluice.names.Verb;

/** Any bytes: nothing is thrown, nothing is lost, and what is done can be undone. */
class AddressFuzzTest {
  /** Two nodes that change places: doing it twice must undo it, whatever else is there. */
  private static final AddressMap SWAP =
      AddressMap.of(
          List.of(
              Rewritten.anyPort("127.0.0.12", "127.0.0.13"),
              Rewritten.anyPort("127.0.0.13", "127.0.0.12")));

  @FuzzTest(maxDuration = "60s")
  void shouldRewriteAnyPayload(byte[] bytes) {
    if (bytes.length < 2) {
      return;
    }
    Verb[] verbs = Verb.values();
    Verb verb = verbs[1 + Math.floorMod(bytes[0], verbs.length - 1)];
    int version = 12 + Math.floorMod(bytes[1], 3);
    ByteBuf out = Unpooled.buffer();
    new MessageHeaderWriter(version).verb(verb.id()).write(out, bytes.length - 2);
    check(version, ByteBufUtil.getBytes(out.writeBytes(bytes, 2, bytes.length - 2)));
  }

  private static void check(int version, byte[] message) {
    MessageRewriter rewriter = new MessageRewriter(SWAP, version);
    byte[] there = Rewritten.message(rewriter, message);
    assertThat(there).hasSameSizeAs(message);
    if (rewriter.unparsed() + rewriter.notRead() > 0) {
      assertThat(there).isSameAs(message);
    }
    assertThat(Rewritten.message(rewriter, there)).isEqualTo(message);
  }

  @FuzzTest(maxDuration = "60s")
  void shouldPassAnyStream(byte[] bytes) {
    if (bytes.length < 2) {
      return;
    }
    byte[] stream = Arrays.copyOfRange(bytes, 2, bytes.length);
    int size = 1 + Math.floorMod(bytes[1], 128);
    int[] held = new int[1];
    byte[] there =
        Rewritten.stream(
            new StreamRewriterCheck(
                SWAP, 12 + Math.floorMod(bytes[0], 3), rewriter -> held[0] = rewriter.heldBytes()),
            stream,
            size);
    assertThat(there.length + held[0]).isEqualTo(stream.length);
  }

  /** The same targets, without a fuzzer: recorded payloads with a few bytes changed, or cut. */
  @Test
  void shouldStandRandomDamage() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    List<Recorded> recorded = new ArrayList<>(RecordedMessages.all());
    recorded.removeIf(
        r ->
            Payloads.kind(r.verb(), r.version()) == Payloads.Kind.WITHOUT
                || r.bytes().length > 3000);
    int unparsed = 0;
    try {
      for (int round = 0; round < 3000; round++) {
        Recorded message = recorded.get(random.nextInt(recorded.size()));
        int payload = (int) message.header().payloadLength();
        int from = message.bytes().length - payload;
        byte[] damaged = Arrays.copyOfRange(message.bytes(), from, message.bytes().length);
        for (int i = random.nextInt(4); i > 0 && payload > 0; i--) {
          damaged[random.nextInt(payload)] = (byte) random.nextInt();
        }
        int length = random.nextBoolean() ? payload : random.nextInt(payload + 8);
        ByteBuf out = Unpooled.buffer();
        new MessageHeaderWriter(message.version()).verb(message.verb().id()).write(out, length);
        out.writeBytes(Arrays.copyOf(damaged, length));
        byte[] bytes = ByteBufUtil.getBytes(out);
        check(message.version(), bytes);
        MessageRewriter rewriter = new MessageRewriter(SWAP, message.version());
        Rewritten.message(rewriter, bytes);
        unparsed += (int) rewriter.unparsed();
        byte[] any = new byte[random.nextInt(100)];
        random.nextBytes(any);
        shouldRewriteAnyPayload(any);
        shouldPassAnyStream(any);
      }
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("seed " + seed, e);
    }
    assertThat(unparsed).isGreaterThan(500);
  }
}
