package sluice.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import sluice.gateway.loop.MemoryShare;
import sluice.names.Command;

/** The time that a server takes: from when it could see the request. */
class ServerTimeTest {
  private static final long HOUR = 3_600_000_000_000L;

  private final RequestPool pool = new RequestPool(MemoryShare.of(1, Long.MAX_VALUE)[0]);

  private ServerRequest asked(long now) {
    ServerRequest request = pool.takeRequest();
    request.begin(Command.GET, ReplyKind.VALUES, 0, now);
    return request;
  }

  /** A reply may come before its batch is flushed: many bytes leave earlier. */
  @Test
  void shouldNotCountTheTimeSinceAnEarlierUseOfTheObject() {
    ServerRequest first = asked(1);
    first.flushed(2);
    assertThat(first.answered(5, 0)).isEqualTo(3);
    pool.give(first);

    ServerRequest second = asked(HOUR);
    assertThat(second).isSameAs(first);
    assertThat(second.answered(HOUR + 7, 0)).isEqualTo(7);
  }

  /** The value of an exclusive request leaves as its client sends it. */
  @Test
  void shouldNotCountTheTimeInWhichTheClientSendsAValue() {
    ServerRequest request = asked(1);
    request.flushed(2);
    request.restart(HOUR);
    assertThat(request.answered(HOUR + 7, 0)).isEqualTo(7);
  }
}
