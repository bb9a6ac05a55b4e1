package sluice.gateway.server.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.bridge.TextReplyWriter;
import sluice.codecs.memcached.bridge.TextRequestWriter;
import sluice.gateway.request.Bridged;
import sluice.gateway.request.PendingReply;
import sluice.gateway.request.ReplyKind;
import sluice.gateway.request.Suppression;
import sluice.gateway.server.protocol.text.TextProtocol;
import sluice.gateway.values.WholeValue;
import sluice.names.Command;

/** Replies that arrive in many small reads take little more memory than their bytes. */
class SmallReadsTest {
  private static final int KIB = 1024;
  private static final String VALUE = "v".repeat(30_000);
  private static final String REPLY = "VALUE k 0 30000\r\n" + VALUE + "\r\nEND\r\n";

  private static DecodedReplies replies() {
    return new DecodedReplies(TextProtocol.INSTANCE);
  }

  /** Reads what follows an index, in reads of so many bytes. */
  private static void read(DecodedReplies replies, String reply, int from, int size) {
    for (int at = from; at < reply.length(); at += size) {
      replies.readFromSocket(reply.substring(at, Math.min(reply.length(), at + size)));
    }
  }

  @Test
  void shouldJoinTheBytesOfAReplyThatIsNext() {
    try (DecodedReplies replies = replies()) {
      replies.ask(Command.GET, ReplyKind.VALUES, Suppression.NOTHING);
      read(replies, REPLY.substring(0, 3000), 0, 1);
      assertThat(replies.got()).isEmpty();
      assertThat(replies.allocated()).isLessThan(32 * KIB);
      read(replies, REPLY, 3000, REPLY.length());
      assertThat(replies.got()).isEqualTo(REPLY);
    }
  }

  @Test
  void shouldJoinTheBytesOfAReplyThatWaits() {
    try (DecodedReplies replies = replies()) {
      PendingReply first = replies.askElsewhere();
      PendingReply waits = replies.ask(Command.GET, ReplyKind.VALUES, Suppression.NOTHING);
      read(replies, REPLY.substring(0, 3000), 0, 1);
      assertThat(waits.sliceCount()).isLessThan(20);
      assertThat(replies.allocated()).isLessThan(32 * KIB);
      read(replies, REPLY, 3000, 1);
      replies.leaves(first);
      waits.writeSlices();
      assertThat(replies.got()).isEqualTo(REPLY);
      replies.leaves(waits);
    }
  }

  /** TLS brings each record in a buffer of its own, however small it is. */
  @Test
  void shouldJoinTheBytesOfSmallRecords() {
    try (DecodedReplies replies = replies()) {
      PendingReply first = replies.askElsewhere();
      PendingReply waits = replies.ask(Command.GET, ReplyKind.VALUES, Suppression.NOTHING);
      for (int at = 0; at < 8 * KIB; at += 8) {
        replies.read(REPLY.substring(at, at + 8));
      }
      assertThat(waits.sliceCount()).isLessThan(20);
      replies.read(REPLY.substring(8 * KIB));
      replies.leaves(first);
      waits.writeSlices();
      assertThat(replies.got()).isEqualTo(REPLY);
      replies.leaves(waits);
    }
  }

  /** Each line has begun in the read before. */
  @Test
  void shouldJoinLinesThatAreCut() {
    String lines = "STAT a 1\r\n".repeat(500) + "END\r\n";
    try (DecodedReplies replies = replies()) {
      replies.ask(Command.STATS, ReplyKind.STATS, Suppression.NOTHING);
      read(replies, lines.substring(0, 4000), 0, 5);
      assertThat(replies.allocated()).isLessThan(32 * KIB);
      read(replies, lines, 4000, 5);
      assertThat(replies.got()).isEqualTo(lines);
    }
  }

  /** Such a value is not written as it was read, and may be long. */
  @Test
  void shouldJoinTheReadsOfAValueThatIsProcessed() {
    String value = "v".repeat(60_000);
    String reply = "VALUE k 0 60000\r\n" + value + "\r\nEND\r\n";
    try (DecodedReplies replies = replies()) {
      PendingReply asked =
          replies.askBridged(
              Operation.GET,
              Request.VALUE | Request.FLAGS,
              TextRequestWriter.INSTANCE,
              TextReplyWriter.INSTANCE);
      Bridged bridged = asked.bridged();
      bridged.between(bridged.reader(), bridged.writer(), new WholeValue());
      read(replies, reply.substring(0, 58_000), 0, 1500);
      assertThat(replies.allocated()).isLessThan(200 * KIB);
      read(replies, reply, 58_000, 1500);
      assertThat(replies.got()).isEqualTo(reply);
    }
  }

  @Test
  void shouldNotCopyAReplyThatComesAtOnceOrInLargeReads() {
    try (DecodedReplies replies = replies()) {
      PendingReply asked = replies.ask(Command.GET, ReplyKind.VALUES, Suppression.NOTHING);
      read(replies, REPLY.substring(0, 4 * KIB), 0, KIB);
      assertThat(asked.sliceCount()).as("slices of reads").isEqualTo(4);
      assertThat(replies.allocated()).as("the reads").isEqualTo(4 * 16 * KIB);
      read(replies, REPLY, 4 * KIB, REPLY.length());
      assertThat(replies.got()).isEqualTo(REPLY);
    }
  }
}
