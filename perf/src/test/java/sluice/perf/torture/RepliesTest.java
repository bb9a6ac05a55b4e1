package sluice.perf.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a recorder understands of a conversation, wherever it is cut. */
class RepliesTest {
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "stored     | set k 7 0 4\\r"
            + "\\n"
            + "a\\r"
            + "\\n"
            + "b\\r"
            + "\\n"
            + "          | STORED\\r"
            + "\\n"
            + "            | STORE k 7 DONE",
        "refused    | add k 7 0 1\\r"
            + "\\n"
            + "a\\r"
            + "\\n"
            + "                 | NOT_STORED\\r"
            + "\\n"
            + "        | STORE k 7 REFUSED",
        "deleted    | get a b\\r\\ndelete k\\r\\n"
            + " | VALUE a 0 5\\r\\nEND\\r\\n\\r\\nEND\\r\\nDELETED\\r\\n | DELETE k 0 DONE",
        "meta       | mg a v\\r"
            + "\\n"
            + "ms aw== 2 O1 F9 b\\r"
            + "\\n"
            + "HD\\r"
            + "\\n"
            + " | VA 2 O1\\r"
            + "\\n"
            + "HD\\r"
            + "\\n"
            + "HD O1 b\\r"
            + "\\n"
            + " | STORE k 9 DONE",
        "not stored | ms k 1 F9 MR\\r"
            + "\\n"
            + "x\\r"
            + "\\n"
            + "                 | NS\\r"
            + "\\n"
            + "                | STORE k 9 REFUSED",
        "miss       | mg a v\\r"
            + "\\n"
            + "md k\\r"
            + "\\n"
            + "                    | EN\\r"
            + "\\n"
            + "NF\\r"
            + "\\n"
            + "         | DELETE k 0 REFUSED",
        "statistics | stats\\r\\nset k 1 0 0\\r\\n\\r\\n"
            + " | STAT pid 1\\r\\nEND\\r\\nSTORED\\r\\n | STORE k 1 DONE",
      })
  void shouldKnowWhatAServerSaysItHasDone(
      String name, String requests, String replies, String expected) {
    byte[] asked = requests.translateEscapes().getBytes(ISO_8859_1);
    byte[] answered = replies.translateEscapes().getBytes(ISO_8859_1);
    for (int cut = 0; cut <= Math.max(asked.length, answered.length); cut++) {
      assertThat(converse(asked, answered, cut)).as("cut at %d", cut).containsExactly(expected);
    }
  }

  @ParameterizedTest
  @CsvSource({"0, DONE", "5, REFUSED", "130, FAILED"})
  void shouldKnowWhatAServerSaysItHasDoneInPackets(int status, String outcome) {
    ByteBuf set = Unpooled.buffer();
    set.writeByte(0x80).writeByte(1).writeShort(1).writeByte(8).writeZero(3).writeInt(8 + 1 + 3);
    set.writeInt(77).writeLong(0).writeInt(9).writeInt(0).writeByte('k').writeZero(3);
    ByteBuf reply = Unpooled.buffer();
    reply.writeByte(0x81).writeByte(1).writeZero(4).writeShort(status).writeInt(2).writeInt(77);
    reply.writeLong(5).writeZero(2);
    byte[] asked = bytes(set);
    byte[] answered = bytes(reply);
    for (int cut = 0; cut <= asked.length; cut++) {
      assertThat(converse(asked, answered, cut)).containsExactly("STORE k 9 " + outcome);
    }
  }

  private static byte[] bytes(ByteBuf buffer) {
    byte[] bytes = new byte[buffer.readableBytes()];
    buffer.readBytes(bytes);
    return bytes;
  }

  private static List<String> converse(byte[] asked, byte[] answered, int cut) {
    List<String> writes = new ArrayList<>();
    ArrayDeque<Sent> due = new ArrayDeque<>();
    look(new Requests(due::add), asked, cut);
    Replies replies =
        new Replies(
            due,
            (write, outcome) ->
                writes.add(
                    write.write() + " " + write.key() + " " + write.flags() + " " + outcome));
    look(replies, answered, cut);
    assertThat(due).isEmpty();
    return writes;
  }

  private static void look(Stream stream, byte[] bytes, int cut) {
    ByteBuf buffer = Unpooled.wrappedBuffer(bytes);
    int first = Math.min(cut, bytes.length);
    stream.look(buffer, 0, first);
    stream.look(buffer, first, bytes.length - first);
  }
}
