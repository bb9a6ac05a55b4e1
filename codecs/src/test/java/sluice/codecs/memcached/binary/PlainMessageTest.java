package sluice.codecs.memcached.binary;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlainMessageTest {
  private final PlainMessage view = new PlainMessage();

  private String read(byte[] message) {
    if (!view.wrap(message)) {
      return "nothing";
    }
    int password = view.passwordStart();
    return new String(message, view.userStart(), view.userEnd() - view.userStart(), UTF_8)
        + " "
        + new String(message, password, message.length - password, UTF_8);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      ignoreLeadingAndTrailingWhitespace = true,
      value = {
        "as clients write it          | '\\0alice\\0secret'        | alice secret",
        "as oneself                   | 'alice\\0alice\\0secret'   | alice secret",
        "spaces and UTF-8             | '\\0\u00e4\\0a b '          | '\u00e4 a b '",
        "no user and no password      | '\\0\\0'                    | ' '",
        "as somebody else             | 'bob\\0alice\\0secret'     | nothing",
        "as the beginning of the user | 'ali\\0alice\\0secret'     | nothing",
        "one NUL                      | '\\0alice'                 | nothing",
        "one NUL at the end           | 'alice\\0'                 | nothing",
        "three NULs                   | '\\0alice\\0secret\\0'     | nothing",
        "a NUL inside the password    | '\\0alice\\0sec\\0ret'     | nothing",
        "no NUL                       | 'alice secret'             | nothing",
        "nothing                      | ''                         | nothing"
      })
  void shouldTellUserAndPassword(String name, String message, String expected) {
    assertThat(read(message.translateEscapes().getBytes(UTF_8))).isEqualTo(expected);
  }
}
