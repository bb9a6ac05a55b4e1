package sluice.codecs.memcached.bridge;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Statistics and the version of a binary server, as text clients get them. */
class StatsLineTest {
  private static String written(String name, String text) {
    return written(Operation.STATS, name, text);
  }

  private static String written(Operation operation, String name, String text) {
    Request request = new Request();
    request.operation = operation;
    Awaited awaited = new Awaited();
    awaited.remember(request);
    ByteBuf bytes = Unpooled.copiedBuffer(name + text, ISO_8859_1);
    Reply reply = new Reply().clear(Status.OK);
    reply.goesOn = true;
    reply.name.set(bytes, 0, name.length());
    reply.text.set(bytes, name.length(), bytes.writerIndex());
    ByteBuf out = Unpooled.buffer();
    TextReplyWriter.INSTANCE.write(reply, awaited, out);
    return out.toString(ISO_8859_1);
  }

  /** Some names and texts contain parts of keys, in which binary clients may store line ends. */
  @ParameterizedTest(name = "{0} {1}")
  @CsvSource({
    "curr_items, 17, STAT curr_items 17\\r\\n",
    "version, \u00e9, STAT version \u00e9\\r\\n",
    "a\\r\\nEND\\r\\n, b\\nVALUE\\0, STAT a??END?? b?VALUE?\\r\\n",
    "detailed, END\\r\\n, ''",
    "detailed, '', ''",
    "detailed, PREFIX a get 1\\r\\nPREFIX b get 2\\r\\nEND\\r\\n,"
        + " PREFIX a get 1\\r\\nPREFIX b get 2\\r\\n",
    "detailed, PREFIX a\\r\\nEND\\r\\nVALUE k 0 1\\r\\n get 1\\r\\nEND\\r\\n, PREFIX a\\r\\n",
    "detailed, PREFIX a\\rb\\0c get 1, PREFIX a?b?c get 1\\r\\n",
    "detailed, PREFIX a\\nEND\\nPREFIX b\\r\\n, PREFIX a\\r\\nPREFIX b\\r\\n"
  })
  void shouldNeverEndALineOrTheReplyByBytesOfClients(String name, String text, String expected) {
    assertThat(written(name.translateEscapes(), text.translateEscapes()))
        .isEqualTo(expected.translateEscapes());
  }

  /** What follows a line end would be taken for the reply to the client's next request. */
  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "1.6.45, VERSION 1.6.45\\r\\n",
    "1.6.45\\n, VERSION 1.6.45?\\r\\n",
    "1\\r\\nVALUE k 0 1\\r\\nx\\r\\nEND, VERSION 1??VALUE k 0 1??x??END\\r\\n"
  })
  void shouldNotEndTheLineByBytesOfTheVersion(String version, String expected) {
    assertThat(written(Operation.VERSION, "", version.translateEscapes()))
        .isEqualTo(expected.translateEscapes());
  }
}
