package sluice.gateway.client.leaving;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import sluice.gateway.metrics.DropReason;

class DepartureTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final Departure departure = new Departure();

  @Test
  void shouldNeverBeOverdueWhileTheClientStays() {
    departure.progress(0);
    assertThat(departure.hasSaidAll()).isFalse();
    assertThat(departure.isOverdue(0, 1000 * SECOND)).isFalse();
  }

  @Test
  void shouldGiveAClientMoreTimeWithEachReplyAndWithEachByteThatItTakes() {
    departure.sayAll(0);
    assertThat(departure.isOverdue(0, 30 * SECOND)).isFalse();
    assertThat(departure.isOverdue(0, 31 * SECOND)).isTrue();
    assertThat(departure.isOverdue(10 * SECOND, 31 * SECOND)).isFalse();
    departure.progress(20 * SECOND);
    assertThat(departure.isOverdue(10 * SECOND, 50 * SECOND)).isFalse();
    assertThat(departure.isOverdue(10 * SECOND, 51 * SECOND)).isTrue();
  }

  @Test
  void shouldGiveAClientThatIsGoneNoMoreTime() {
    departure.sayAll(0);
    departure.go(10 * SECOND);
    assertThat(departure.isGone()).isTrue();
    departure.progress(30 * SECOND);
    assertThat(departure.isOverdue(35 * SECOND, 40 * SECOND)).isFalse();
    assertThat(departure.isOverdue(35 * SECOND, 41 * SECOND)).isTrue();
  }

  @Test
  void shouldKeepTheFirstReasonWhyRequestsAreDropped() {
    assertThat(departure.dropping()).isNull();
    departure.drop(DropReason.STALLED);
    departure.drop(DropReason.STOPPING);
    assertThat(departure.dropping()).isEqualTo(DropReason.STALLED);
  }

  @Test
  void shouldNotReturnFromTheEnd() {
    departure.go(0);
    departure.end();
    departure.sayAll(0);
    assertThat(departure.isGone()).isFalse();
    assertThat(departure.hasSaidAll()).isTrue();
  }
}
