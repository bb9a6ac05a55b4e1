package sluice.codecs.memcached.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.codecs.Ascii;
import sluice.codecs.memcached.ServerVersion;

/** How versions of memcached read lines without a key. Seen on 1.6.18 and 1.6.45. */
class KeylessLineTest {
  private static final ServerVersion BEFORE = ServerVersion.parse("1.6.18");
  private static final ServerVersion AFTER = ServerVersion.parse("1.6.45");

  private final TextLine line = new TextLine();
  private final KeylessLine keyless = new KeylessLine();

  private String verdict(String text, ServerVersion version) {
    line.wrap(Ascii.buffer(text), 0, text.length());
    keyless.read(line, TextCommands.of(line), version);
    String silent = keyless.noreply() ? " silent" : "";
    if (keyless.error() != null) {
      return keyless.error().replace("CLIENT_ERROR ", "") + silent;
    }
    ByteBuf out = Unpooled.buffer();
    keyless.write(out);
    return Ascii.text(out).stripTrailing() + silent;
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "flush_all | flush_all | flush_all",
        "flush_all noreply | flush_all silent | flush_all silent",
        "flush_all 010 | flush_all 10 | flush_all 10",
        "flush_all -1 | flush_all -1 | flush_all -1",
        "flush_all 0 noreply | flush_all 0 silent | flush_all 0 silent",
        "flush_all noreply noreply | invalid exptime argument silent | invalid exptime argument"
            + " silent",
        "flush_all x | invalid exptime argument | invalid exptime argument",
        "flush_all 1 2 3 | ERROR | flush_all 1",
        "flush_all 0 0 noreply | ERROR | flush_all 0 silent",
        "verbosity 1 | verbosity 1 | verbosity 1",
        "verbosity 1 2 | verbosity 1 | verbosity 1",
        "verbosity 1 2 3 | ERROR | verbosity 1",
        "verbosity | ERROR | bad command line format",
        "verbosity x | bad command line format | bad command line format",
        "verbosity noreply noreply | bad command line format silent | bad command line format"
            + " silent",
        "verbosity 4294967296 | verbosity 0 | bad command line format",
        "verbosity 4294967295 | verbosity 4294967295 | verbosity 4294967295",
        "verbosity -1 | bad command line format | bad command line format",
        "verbosity +1 | verbosity 1 | bad command line format",
        "'verbosity 1\t' | verbosity 1 | bad command line format",
        "verbosity 00000000001 | verbosity 1 | verbosity 1",
        "verbosity 000000000001 | verbosity 1 | bad command line format",
        "cache_memlimit 100 noreply | cache_memlimit 100 silent | cache_memlimit 100 silent",
        "cache_memlimit x | ERROR | ERROR",
        "version a b noreply | version | version"
      })
  void shouldReadLinesAsEachVersionDoes(String text, String before, String after) {
    assertThat(verdict(text, BEFORE)).as("1.6.18").isEqualTo(before);
    assertThat(verdict(text, AFTER)).as("1.6.45").isEqualTo(after);
  }

  @ParameterizedTest(name = "\"{0}\"")
  @ValueSource(strings = {"", "settings", "items", "slabs", "sizes", "conns", "reset", "detail on"})
  void shouldKnowStatisticsThatHoldNothingOfClients(String name) {
    assertThat(StatsNames.areLinesOfTheServer(Ascii.buffer(name), 0, name.length())).isTrue();
  }

  @ParameterizedTest(name = "\"{0}\"")
  @ValueSource(
      strings = {"detail dump", "detail  on", "d dump", "cachedump 1 0", "cachedum 1 0", "x", "r"})
  void shouldNotTrustStatisticsThatMayHoldKeys(String name) {
    assertThat(StatsNames.areLinesOfTheServer(Ascii.buffer(name), 0, name.length())).isFalse();
  }
}
