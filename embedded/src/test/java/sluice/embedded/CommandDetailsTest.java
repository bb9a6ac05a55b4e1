package sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What no recorded case tells, or tells otherwise than the store is to answer. */
class CommandDetailsTest {
  private static final String BAD_FORMAT = "CLIENT_ERROR bad command line format";

  private final EmbeddedStore store =
      new EmbeddedStore(
          1024 * 1024,
          EmbeddedStore.DEFAULT_ITEM_SIZE_LIMIT,
          new FakeClock(),
          new UnpooledByteBufAllocator(true));

  @AfterEach
  void close() {
    store.close();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          delete with 0                | delete k 0               | DELETED
          delete with a time           | delete k 10              | USAGE
          delete with two keys         | delete k j               | USAGE
          delete with a time, silent   | delete k 10 noreply      | ''
          delete with 0, silent        | delete k 0 noreply       | ''
          delete with too much         | delete k 0 0 noreply     | ''
          a counter grows              | incr n 1                 | 100
          a counter grows, with ttl    | incr n 1\\r\\nmg n v f t  | 100\\r\\nVA 3 f7 t60\\r\\n100
          ttl before it is changed     | ma n t T9                | HD t60
          new ttl of a longer number   | ma n T9\\r\\nmg n t v     | HD\\r\\nVA 3 t9\\r\\n100
          new cas of a longer number   | ma n E77 c\\r\\nmg n c    | HD c77\\r\\nHD c77
          decr below zero              | decr n 100               | 0
          a padded counter             | decr n 90\\r\\nincr n 1   | 9\\r\\n10
          a blank behind a number      | incr b 1                 | 13
          a NUL behind a number        | incr z 1                 | 6
          a long text, another cas     | ma t C9999               | EX
          a long text                  | incr t 1                 | NUMBER
          a minus is a 0               | touch k -                | TOUCHED
          no plus                      | touch k +1               | EXPTIME
          too many digits              | touch k 000000000001     | EXPTIME
          three bytes are no command   | mn\\n                    | FORMAT\\r\\nFORMAT
          a blank before a command     | ' version'               | ERROR
          not to be abbreviated        | stats siz                | ERROR
          to be abbreviated            | stats re                 | RESET
          mode of several letters      | ma n MINCR v             | VA 3\\r\\n100
          too much padding             | mg a=== b                | KEY
          what is not base64 between   | mg aw!== b v             | VA 1\\r\\nv
          opaque after a change        | ma n OPAQUE v\\r\\nmg n v | LONG\\r\\nVA 3\\r\\n100
          """)
  void shouldAnswer(String name, String escaped, String expected) {
    Client client = new Client(store);
    client.send("set k 0 0 1\r\nv\r\nset n 7 60 2\r\n99\r\nset b 0 0 6\r\n12 abc\r\n");
    client.send("set z 0 0 2\r\n5\0\r\n");
    client.send("set t 0 0 3000\r\n" + "x".repeat(3000) + "\r\n");
    String request = escaped.translateEscapes().replace("OPAQUE", "O".repeat(33));
    String reply =
        expected
            .translateEscapes()
            .replace("USAGE", BAD_FORMAT + ".  Usage: delete <key> [noreply]")
            .replace("FORMAT", BAD_FORMAT)
            .replace("EXPTIME", "CLIENT_ERROR invalid exptime argument")
            .replace("NUMBER", "CLIENT_ERROR cannot increment or decrement non-numeric value")
            .replace("KEY", "CLIENT_ERROR error decoding key")
            .replace("LONG", "CLIENT_ERROR opaque token too long");
    assertThat(client.send(request + "\r\nmn\r\n"))
        .isEqualTo((reply.isEmpty() ? "" : reply + "\r\n") + "MN\r\n");
  }

  @Test
  void shouldReplyEvenWithAnItemThatIsFlushedInTheSameSecond() {
    Client client = new Client(store);
    assertThat(client.send("flush_all 1\r\nma new N30 J7 v t\r\nma new v\r\n"))
        .isEqualTo("OK\r\nVA 1 t30\r\n7\r\nNF\r\n");
  }

  @ParameterizedTest
  @CsvSource({"0, -1", "1, 1", "2592000, 2592000", "2000000000, 300000000"})
  void shouldReadExptimesAsNeverRelativeOrAbsolute(long exptime, long left) {
    Client client = new Client(store);
    client.send("set k 0 " + exptime + " 1\r\nv\r\n");
    assertThat(client.send("mg k t\r\n")).isEqualTo("HD t" + left + "\r\n");
  }
}
