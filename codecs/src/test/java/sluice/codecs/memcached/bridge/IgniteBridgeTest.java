package sluice.codecs.memcached.bridge;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.codecs.ignite.IgniteVectors;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.text.TextCommands;
import sluice.codecs.memcached.text.TextLine;
import sluice.names.Command;

/** Lines of memcached's clients as packets for an Ignite node, and its packets as their replies. */
class IgniteBridgeTest {
  private static final long NOW = 1_800_000_000L;

  private final IgniteRequestWriter writer = new IgniteRequestWriter(new byte[0], false, () -> NOW);
  private final Request request = new Request();
  private final Awaited awaited = new Awaited();

  private String write(RequestWriter to, String line, int opaque) {
    ByteBuf in = Unpooled.copiedBuffer(line.translateEscapes(), ISO_8859_1);
    TextLine view = new TextLine().wrap(in, 0, in.writerIndex());
    Command command = TextCommands.of(view);
    boolean gat = command == Command.GAT;
    String error =
        command.label().length() == 2
            ? MetaRequestReader.read(view, command, ServerVersion.EMBEDDED, request)
            : view.count() < 2 || command == Command.FLUSH_ALL || command == Command.STATS
                ? TextRequestReader.readKeyless(view, command, true, request)
                : TextRequestReader.read(
                    view, command, gat ? 2 : 1, ServerVersion.EMBEDDED, request);
    assertThat(error).isNull();
    if (command != Command.FLUSH_ALL && view.count() > 1) {
      request.key.set(in, view.start(gat ? 2 : 1), view.end(gat ? 2 : 1));
    }
    awaited.remember(request);
    ByteBuf out = Unpooled.buffer(8);
    String reason = to.write(request, opaque, awaited, out);
    assertThat(out.readableBytes()).isLessThanOrEqualTo(request.longestHead());
    return reason == null ? ByteBufUtil.hexDump(out) : "unsupported: " + reason;
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "a get                   | get c1               | 8000 0002 00 00 0000 00000002 | 6331",
        "a set                   | set c1 0 0 5         | 8001 0002 08 00 0000 0000000f | 00000000"
            + " 00000000 6331",
        "a typed set             | set c1 512 0 4       | 8001 0002 08 00 0000 0000000e | 00000200"
            + " 00000000 6331",
        "seconds                 | add c1 2048 7 1      | 8002 0002 08 00 0000 0000000b | 00000800"
            + " 00001b58 6331",
        "24 days and more        | replace c1 0 2592000 1 | 8003 0002 08 00 0000 0000000b |"
            + " 00000000 7fffffff 6331",
        "a time in a second      | add c1 0 1800000001 1 | 8002 0002 08 00 0000 0000000b | 00000000"
            + " 000003e8 6331",
        "a time a second ago     | add c1 0 1799999999 1 | 8002 0002 08 00 0000 0000000b | 00000000"
            + " 00000001 6331",
        "a negative time         | add c1 0 -1 1        | 8002 0002 08 00 0000 0000000b | 00000000"
            + " 00000001 6331",
        "noreply                 | delete c1 noreply    | 8004 0002 00 00 0000 00000002 | 6331",
        "append                  | append c1 0 0 3      | 800e 0002 00 00 0000 00000005 | 6331",
        "prepend                 | prepend c1 9 9 3     | 800f 0002 00 00 0000 00000005 | 6331",
        "a meta read             | mg c1 v f s k q      | 8000 0002 00 00 0000 00000002 | 6331",
        "a meta set              | ms c1 3 F2048 T1     | 8001 0002 08 00 0000 0000000d | 00000800"
            + " 000003e8 6331",
        "flush_all               | flush_all            | 8008 0000 00 00 0000 00000000 |",
        "version                 | version              | 800b 0000 00 00 0000 00000000 |",
        "stats                   | stats                | 8010 0000 00 00 0000 00000000 |",
      })
  void shouldWriteAPacketThatANodeTakes(String name, String line, String header, String body) {
    String rest = body == null ? "" : body;
    assertThat(write(writer, line, 7))
        .isEqualTo((header + "00000007" + "0000000000000000" + rest).replace(" ", ""));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "cas c1 0 0 1 5", "gets c1", "mg c1 v c", "ms c1 1 C3", "md c1 C3", "touch c1 1",
            "gat 1 c1",
        "mg c1 v T3", "mg c1 t", "mg c1 N3", "incr c1 1", "ma c1", "flush_all 10", "stats items",
        "get \\377", "get \\355\\240\\200"
      })
  void shouldRefuseWhatANodeDoesNotHave(String line) {
    assertThat(write(writer, line, 7)).startsWith("unsupported: ");
  }

  @Test
  void shouldNameTheCacheAndCountWhereToldTo() {
    byte[] cache = "other".getBytes(UTF_8);
    IgniteRequestWriter counting = new IgniteRequestWriter(cache, true, () -> NOW);
    assertThat(write(counting, "set oc 0 0 8", 0))
        .isEqualTo(
            "800100020d00000000000017" + "00".repeat(12) + "00".repeat(8) + "6f74686572" + "6f63");
    assertThat(write(counting, "get oc", 0))
        .isEqualTo("80000002090000000000000b" + "00".repeat(12) + "000000006f74686572" + "6f63");
    // The node answers 13 to this: 10 and 3.
    assertThat(write(counting, "ma ctr-a N0 J13 D3", 0)).isEqualTo(vector("node-incr-decr", true));
    assertThat(write(counting, "ma ctr-a MD N0 J5 D5", 0))
        .endsWith("0000000000000005" + "000000000000000a" + "00000000" + "6374722d61");
    assertThat(write(counting, "incr ctr-a 3", 0))
        .endsWith("0000000000000003" + "0000000000000000" + "00000000" + "6374722d61");
  }

  private static String vector(String name, boolean request) {
    IgniteVectors.Step step =
        IgniteVectors.steps().stream()
            .filter(s -> s.name().startsWith(name + " "))
            .findFirst()
            .orElseThrow();
    return ByteBufUtil.hexDump(request ? step.request() : step.response());
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "get c1      | 8100 0000 04 00 0000 00000006 | 00000200 6869 | VALUE c1 512 2",
        "get c1      | 8100 0000 04 00 0001 00000004 | 00000000      | END",
        "get c1      | 8100 0000 04 00 0004 00000004 | 00000000      | SERVER_ERROR the server"
            + " failed",
        "set c1 0 0 1     | 8101 0000 00 00 0000 00000000 |     | STORED",
        "set c1 0 0 1     | 8101 0000 00 00 0004 00000000 |     | SERVER_ERROR the server failed",
        "add c1 0 0 1     | 8102 0000 00 00 0004 00000000 |     | NOT_STORED",
        "replace c1 0 0 1 | 8103 0000 00 00 0004 00000000 |     | NOT_STORED",
        "append c1 0 0 1  | 810e 0000 00 00 0004 00000000 |     | NOT_STORED",
        "delete c1   | 8104 0000 00 00 0000 00000000 |          | DELETED",
        "delete c1   | 8104 0000 00 00 0004 00000000 |          | NOT_FOUND",
        "version     | 810b 0000 00 00 0000 00000006 | 322e31382e30 | VERSION 2.18.0",
        "stats       | 8110 0005 00 00 0000 00000006 | 726561647330 | STAT reads 0",
        "stats       | 8110 0000 00 00 0000 00000000 |          | END",
        "get c1      | 8101 0000 04 00 0000 00000004 | 00000000 | another opcode",
        "get c1      | 8100 0000 00 00 0000 00000000 |          | no flags",
        "delete c1   | 8104 0000 04 00 0000 00000004 | 00000000 | flags",
        "get c1      | 8100 0009 04 00 0000 00000004 | 00000000 | a key longer than all"
      })
  void shouldAnswerWithWhatTheNodeMeans(String line, String header, String body, String answer) {
    write(writer, line, 7);
    String packet = header + "00000007" + "0000000000000000" + (body == null ? "" : body);
    ByteBuf in = Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(packet.replace(" ", "")));
    Reply reply = new Reply();
    int head = (int) writer.replies().headLength(in, 0, in.writerIndex(), awaited);
    if (!writer.replies().read(in, 0, head, awaited, reply)) {
      assertThat(answer).isIn("another opcode", "no flags", "flags", "a key longer than all");
      return;
    }
    ByteBuf out = Unpooled.buffer();
    TextReplyWriter.INSTANCE.write(reply, awaited, out);
    assertThat(out.toString(ISO_8859_1)).isEqualTo(answer + "\r\n");
  }

  @Test
  void shouldTakeTheDeletionOfWhatHasExpiredForItsStorage() {
    for (String line : new String[] {"set c1 0 -1 1", "replace c1 0 -1 1"}) {
      write(writer, line, 7);
      request.operation = Operation.DELETE;
      ByteBuf out = Unpooled.buffer();
      assertThat(writer.write(request, 7, awaited, out)).isNull();
      assertThat(out.getByte(1)).isEqualTo((byte) 4);
      ByteBuf failure = Unpooled.buffer().writeZero(24);
      failure.setByte(0, 0x81).setByte(1, 4).setByte(7, 4).setByte(15, 7);
      Reply reply = new Reply();
      assertThat(writer.replies().read(failure, 0, 24, awaited, reply)).isTrue();
      assertThat(reply.status).isEqualTo(line.startsWith("set") ? Status.OK : Status.NOT_STORED);
    }
  }

  @Test
  void shouldKnowWhatHasExpired() {
    assertThat(Arrays.asList(-1L, NOW, (long) Exptime.MOST_RELATIVE + 1))
        .allMatch(writer::isExpired);
    assertThat(Arrays.asList(0L, 1L, (long) Exptime.MOST_RELATIVE, NOW + 1))
        .noneMatch(writer::isExpired);
  }
}
