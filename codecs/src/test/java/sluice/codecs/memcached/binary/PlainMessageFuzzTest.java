package sluice.codecs.memcached.binary;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Arrays;

/** Whatever is read as user and password stands between the two NULs that there are, or behind. */
class PlainMessageFuzzTest {
  @FuzzTest(maxDuration = "20s")
  void shouldReadOnlyWhatCanBeWrittenAgain(byte[] message) {
    PlainMessage view = new PlainMessage();
    if (view.wrap(message)) {
      assertThat(message[view.userStart() - 1]).isZero();
      assertThat(message[view.userEnd()]).isZero();
      assertThat(Arrays.copyOfRange(message, view.userStart(), view.userEnd()))
          .doesNotContain((byte) 0);
      assertThat(Arrays.copyOfRange(message, view.passwordStart(), message.length))
          .doesNotContain((byte) 0);
    }
  }
}
