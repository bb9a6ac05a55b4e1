package sluice.codecs.memcached.bridge;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.text.TextCommands;
import sluice.codecs.memcached.text.TextLine;

/** What a server says is what a meta client is told: checked against memcached 1.6.45. */
class MetaReplyBridgeTest {
  private final Request request = new Request();
  private final Awaited awaited = new Awaited();
  private final Reply reply = new Reply();

  private String told(String line, ReplyReader reader, RequestWriter writer, String said) {
    ByteBuf in = Unpooled.copiedBuffer(line, ISO_8859_1);
    TextLine view = new TextLine().wrap(in, 0, in.writerIndex());
    assertThat(MetaRequestReader.read(view, TextCommands.of(view), ServerVersion.EMBEDDED, request))
        .isNull();
    request.key.set(in, view.start(1), view.end(1));
    awaited.remember(request);
    assertThat(writer.write(request, 7, awaited, Unpooled.buffer())).isNull();
    ByteBuf answer = Unpooled.copiedBuffer(said, ISO_8859_1);
    assertThat(reader.read(answer, 0, answer.writerIndex(), awaited, reply)).isTrue();
    ByteBuf out = Unpooled.buffer();
    MetaReplyWriter.INSTANCE.write(reply, awaited, out);
    return out.toString(ISO_8859_1);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "ms k 3 s               | HD s3 O7        | HD s3",
        "ms k 3 s ME            | NS s3 O7        | NS s3",
        "ms k 3 ME s k O2 c     | NS s3 c0 O7     | NS s3 kk O2 c0",
        "ms k 3 s C99 c         | EX s3 c0 O7     | EX s3 c0",
        "ms k 3 s C99 c         | NF s3 c0 O7     | NF s3 c0",
        "ms k 3 s ME            | NS O7           | NS", // as 1.6.18
        "ms aw== 3 f k b ME     | NS O7           | NS kaw== b",
        "mg aw== b f k v O1     | VA 3 f7 O7      | VA 3 f7 kaw== b O1",
        "mg aw== k O9 b v       | EN O7           | EN kaw== b O9",
        "mg aw== b O9 k s       | EN O7           | EN O9 kaw== b",
        "mg k v C5 c            | HD c5 O7        | HD c5",
        "mg k v u C5 c          | HD c5 O7        | HD c5", // whatever else only meta has
        "mg k N30 R5 v C5       | HD O7           | HD",
        "mg k t k v             | VA 3 t-1 W X O7 | VA 3 t-1 kk W X",
      })
  void shouldTellFlagsInTheOrderAsked(String line, String said, String expected) {
    assertThat(told(line, MetaReplyReader.INSTANCE, MetaRequestWriter.INSTANCE, said))
        .isEqualTo(expected + "\r\n");
    assertThat(awaited.toldStates()).isEqualTo(said.contains(" X"));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "ms k 3 s        | STORED     | HD s3",
        "ms k 3 s k ME   | NOT_STORED | NS s3 kk",
        "ms k 3 O2 s C99 | EXISTS     | EX O2 s3",
        "ms k 3 s C99    | NOT_FOUND  | NF s3",
      })
  void shouldTellTheSizeOfWhatWasSent(String line, String said, String expected) {
    assertThat(told(line, TextReplyReader.INSTANCE, TextRequestWriter.INSTANCE, said))
        .isEqualTo(expected + "\r\n");
  }
}
