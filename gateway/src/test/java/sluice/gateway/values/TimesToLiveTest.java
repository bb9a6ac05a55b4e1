package sluice.gateway.values;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.bridge.Exptime;
import sluice.codecs.memcached.bridge.MetaRequestReader;
import sluice.codecs.memcached.bridge.Operation;
import sluice.codecs.memcached.bridge.Request;
import sluice.codecs.memcached.text.TextLine;
import sluice.names.Command;

class TimesToLiveTest {
  private static final long NOW = 1_900_000_000L;
  private static final long DAY = 24 * 60 * 60;

  private static long set(long min, long max, double jitter, double random, long exptime) {
    Request request = new Request().clear(Operation.SET);
    request.timeToLive.exptime = exptime;
    new TimesToLive(min, max, jitter, null, () -> NOW, () -> random).prepare(request);
    assertThat(request.timeToLive.isGiven).isTrue();
    return request.timeToLive.exptime;
  }

  @ParameterizedTest
  @CsvSource({
    "0, 60, 60", // for ever
    "10, 60, 30", // too short
    "45, 60, 45",
    "90, 60, 60", // too long
    "-1, 60, -1", // has expired
    "1900000045, 60, 1900000045",
    "1900000010, 60, 30",
    "1900000090, 60, 60",
    "1899999999, 60, 1899999999", // has expired
    "0, 0, 0",
    "10, 0, 30",
    "90, 0, 90",
  })
  void shouldKeepTimesWithinBounds(long exptime, long max, long expected) {
    assertThat(set(30, max, 0, 0, exptime)).isEqualTo(expected);
  }

  @Test
  void shouldSayLongTimesAsSecondsSince1970() {
    assertThat(set(0, 40 * DAY, 0, 0, 0)).isEqualTo(NOW + 40 * DAY);
    assertThat(set(0, 40 * DAY, 0, 0, NOW + 50 * DAY)).isEqualTo(NOW + 40 * DAY);
    assertThat(set(0, 30 * DAY, 0, 0, 0)).isEqualTo(Exptime.MOST_RELATIVE);
  }

  @Test
  void shouldShortenByNoMoreThanTheJitter() {
    assertThat(set(0, 0, 0.1, 0, 100)).isEqualTo(100);
    assertThat(set(0, 0, 0.1, 0.5, 100)).isEqualTo(95);
    assertThat(set(0, 0, 0.1, 0.999, 100)).isEqualTo(91);
    assertThat(set(0, 0, 1, 1, 100)).isEqualTo(1); // 0 would be for ever
    assertThat(set(0, 0, 0.1, 0.5, 0)).isZero();
    assertThat(set(0, 0, 0.1, 0.5, NOW + 100)).isEqualTo(95);
  }

  @Test
  void shouldBoundWhatTouchesAndWhatBegins() {
    TimesToLive bounds = new TimesToLive(0, 60, 0, null, () -> NOW, () -> 0);
    Request touch = new Request().clear(Operation.TOUCH);
    touch.timeToLive.isGiven = true;
    touch.timeToLive.exptime = 90;
    bounds.prepare(touch);
    assertThat(touch.timeToLive.exptime).isEqualTo(60);
    Request get = new Request().clear(Operation.GET);
    bounds.prepare(get);
    assertThat(get.timeToLive.isGiven).isFalse();
    Request counter = new Request().clear(Operation.INCREMENT);
    counter.arithmetic.created.isGiven = true;
    bounds.prepare(counter);
    assertThat(counter.arithmetic.created.exptime).isEqualTo(60);
    assertThat(counter.timeToLive.isGiven).isFalse();
    Request append = new Request().clear(Operation.APPEND);
    bounds.prepare(append);
    assertThat(append.timeToLive.isGiven).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "GET, 90, 60", // mg N
    "GET, 0, 60",
    "TOUCH, 45, 45", // mg N T
    "APPEND, 90, 60", // ms MA N
    "PREPEND, 0, 60",
    "DELETE, 90, 60", // md I T, md x T
    "DELETE, 0, 60",
    "DELETE, -1, -1",
  })
  void shouldBoundWhatMetaRequestsLeaveBehind(Operation operation, long asked, long expected) {
    Request request = new Request().clear(operation);
    request.left.set(asked);
    new TimesToLive(0, 60, 0, null, () -> NOW, () -> 0).prepare(request);
    assertThat(request.left.exptime).isEqualTo(expected);
  }

  @Test
  void shouldBoundAnEmptyItemThatWouldLiveForEver() {
    Request emptied = new Request();
    readEmptying(emptied);
    new TimesToLive(0, 60, 0, null, () -> NOW, () -> 0).prepare(emptied);
    assertThat(emptied.left.isGiven).isTrue();
    assertThat(emptied.left.exptime).isEqualTo(60);
    readEmptying(emptied);
    new TimesToLive(30, 0, 0, null, () -> NOW, () -> 0).prepare(emptied);
    assertThat(emptied.left.isGiven).isFalse();
    Request deleted = new Request().clear(Operation.DELETE);
    new TimesToLive(0, 60, 0, null, () -> NOW, () -> 0).prepare(deleted);
    assertThat(deleted.left.isGiven).isFalse();
  }

  private static void readEmptying(Request request) {
    byte[] line = "md key x".getBytes(US_ASCII);
    TextLine words = new TextLine().wrap(Unpooled.wrappedBuffer(line), 0, line.length);
    assertThat(MetaRequestReader.read(words, Command.MD, ServerVersion.EMBEDDED, request)).isNull();
  }
}
