package sluice.gateway.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What no recorded case tells, or tells otherwise than the store is to answer. */
class CommandDetailsTest {
  private final FakeClock clock = new FakeClock();
  private final EmbeddedStore store =
      new EmbeddedStore(
          1024 * 1024,
          EmbeddedStore.DEFAULT_ITEM_SIZE_LIMIT,
          clock,
          new UnpooledByteBufAllocator(true));

  @AfterEach
  void close() {
    store.close();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "delete with 0                | delete k 0             | DELETED",
        "delete with a time           | delete k 10            | CLIENT_ERROR bad command line"
            + " format.  Usage: delete <key> [noreply]",
        "delete with two keys         | delete k j             | CLIENT_ERROR bad command line"
            + " format.  Usage: delete <key> [noreply]",
        "delete with a time, silent   | delete k 10 noreply    | ''",
        "delete with 0, silent        | delete k 0 noreply     | ''",
        "delete with too much         | delete k 0 0 noreply   | ''",
        "a counter grows              | incr n 1               | 100",
        "a counter grows, with ttl    | incr n 1\\r\\nmg n v f t | 100\\r\\nVA 3 f7 t60\\r\\n100",
        "new ttl of a longer number   | ma n t T9              | HD t60",
        "and it holds                 | ma n T9\\r\\nmg n t v    | HD\\r\\nVA 3 t9\\r\\n100",
        "new cas of a longer number   | ma n E77 c\\r\\nmg n c   | HD c77\\r\\nHD c77",
        "decr below zero              | decr n 100             | 0",
        "a padded counter             | decr n 90\\r\\nincr n 1  | 9\\r\\n10",
        "a blank behind a number      | incr b 1               | 13",
        "a minus is 0 of memcached    | touch k -              | TOUCHED",
        "no plus                      | touch k +1             | CLIENT_ERROR invalid exptime"
            + " argument",
        "too many digits              | touch k 000000000001   | CLIENT_ERROR invalid exptime"
            + " argument",
        "two letters and LF           | mn\\n"
            + "                  | CLIENT_ERROR bad command line format\\r"
            + "\\n"
            + "ERROR",
        "commands for operators       | ' version'             | ERROR",
        "abbreviated                  | stats siz              | ERROR",
        "abbreviated reset            | stats re               | RESET",
        "mode of several letters      | ma n MINCR v           | VA 3\\r\\n100",
        "base64 with padding inside   | mg a=== b              | CLIENT_ERROR error decoding key",
        "base64 that is blank between | mg aw!== b v           | VA 1\\r\\nv",
        "opaque after a change        | ma n O01234567890123456789012345678901 v\\r"
            + "\\n"
            + "mg n v | CLIENT_ERROR opaque token too long\\r"
            + "\\n"
            + "VA 3\\r"
            + "\\n"
            + "100",
      })
  void shouldAnswer(String name, String escaped, String expected) {
    Client client = new Client(store);
    client.send("set k 0 0 1\r\nv\r\nset n 7 60 2\r\n99\r\nset b 0 0 6\r\n12 abc\r\n");
    String reply = expected.translateEscapes();
    assertThat(client.send(escaped.translateEscapes() + "\r\nmn\r\n"))
        .isEqualTo((reply.isEmpty() ? "" : reply + "\r\n") + "MN\r\n");
  }

  @ParameterizedTest
  @CsvSource({"0, -1", "1, 1", "2592000, 2592000", "2000000000, 300000000"})
  void shouldReadExptimesAsNeverRelativeOrAbsolute(long exptime, long left) {
    Client client = new Client(store);
    client.send("set k 0 " + exptime + " 1\r\nv\r\n");
    assertThat(client.send("mg k t\r\n")).isEqualTo("HD t" + left + "\r\n");
  }
}
