package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Vectors;

/** Streams that no node should have sent, through a gateway. */
class DamagedStreamTest {
  /** Damaged in payloads only, which nobody looks into who passes frames on. */
  private static final Set<String> PASSED_AS_THEY_ARE =
      Set.of(
          "crc-payload-crc",
          "crc-payload-bit",
          "lz4-payload-crc",
          "lz4-payload-bit",
          "lz4-raw-later-partial-payload-crc",
          "crc-first-partial-payload-crc",
          "crc-later-partial-payload-crc",
          "verb-unknown",
          "lz4-bad-block",
          "lz4-wrong-uncompressed-length");

  /** Self-contained frames of which one is corrupt: it is left out. */
  private static final Set<String> DROPPED =
      Set.of("crc-payload-crc", "crc-payload-bit", "lz4-payload-crc", "lz4-payload-bit");

  private static final Set<String> PASSED_ANEW = Set.of("verb-unknown");

  private static List<Vectors.Vector> damaged() {
    return Vectors.ALL.stream().filter(v -> v.isOf("negative") && v.hasFrames()).toList();
  }

  private static String name(Vectors.Vector vector) {
    return vector.file().replace("negative/negative-", "").replace(".bin", "");
  }

  @ParameterizedTest
  @EnumSource(LinkTest.Passing.class)
  void shouldNeverMakeDamageLookWhole(LinkTest.Passing passing) throws Exception {
    assertThat(damaged()).hasSizeGreaterThan(30);
    for (Vectors.Vector vector : damaged()) {
      Framing sent = passing.of(vector.framing());
      pass(vector, sent);
    }
  }

  private static void pass(Vectors.Vector vector, Framing sent) throws Exception {
    byte[] bytes = vector.bytes();
    int start = LinkTest.initiate(bytes).length();
    String pool = "framing: " + sent.name().toLowerCase(Locale.ROOT);
    boolean same = sent == vector.framing();
    String name = name(vector);
    boolean cut = name.contains("truncated") || name.contains("incomplete");
    boolean passes = cut || (same ? PASSED_AS_THEY_ARE : PASSED_ANEW).contains(name);
    boolean dropped = !same && DROPPED.contains(name);
    try (FakeNode node = FakeNode.answering(Frames.accept(12, 12));
        RunningLinks links = RunningLinks.before(node.address(), pool, "handshake: 5s", "");
        FakeInitiator initiator = links.connect()) {
      initiator.send(bytes, 0, start).read(12);
      FakeNode.Incoming link = node.next();
      sendAll(initiator, bytes, start);
      if (passes || dropped) {
        initiator.leave();
      }
      byte[] there = bodyToEnd(link, name + " as " + sent);
      String what = name + " as " + sent;
      assertThat(errors(links)).as(what).isEqualTo(passes || dropped ? 0 : 1);
      assertThat(links.metric("sluice_internode_dropped_frames_total{listener=\"ring\"}"))
          .as(what)
          .isEqualTo(dropped ? 1 : 0);
      if (same) {
        byte[] original = Arrays.copyOfRange(bytes, start, bytes.length);
        assertThat(there).as(what).isEqualTo(Arrays.copyOf(original, there.length));
        if (passes && !cut) {
          assertThat(there).as(what).hasSameSizeAs(original);
        }
      } else {
        List<String> seen = Decoded.of(sent, 12, there, 0).messages();
        List<String> intact = Decoded.described(vector.messages());
        if (name.equals("verb-unknown")) {
          assertThat(seen).as(what).hasSize(2); // a node of 5.0 closes; others know the verb
        } else if (name.equals("lz4-bad-block")) {
          assertThat(seen).as(what).hasSize(1); // a node loses it, because it came in the same read
        } else if (!seen.isEmpty()) {
          assertThat(intact).as(what).containsSequence(seen);
        }
        if (dropped) {
          assertThat(seen).as(what).isEqualTo(intact);
        }
      }
    }
  }

  private static void sendAll(FakeInitiator initiator, byte[] bytes, int start) {
    try {
      initiator.send(bytes, start, bytes.length);
    } catch (IOException e) {
      // closed on the way, as it may be
    }
  }

  /** Ended by the gateway, if the damage is one that ends a link. */
  private static byte[] bodyToEnd(FakeNode.Incoming link, String what) throws Exception {
    try {
      return link.bodyToEnd();
    } catch (AssertionError e) {
      throw new AssertionError(what, e);
    }
  }

  private static double errors(RunningLinks links) {
    return links.metric("sluice_internode_protocol_errors_total{listener=\"ring\"}");
  }
}
