package sluice.gateway.server.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import sluice.config.model.DurationRange;
import sluice.config.model.HealthConfig;
import sluice.config.model.LimitsConfig;

/** What ejects a server, and what does not; the times are a test's. */
class HealthTest {
  private static final long SECOND = 1_000_000_000L;
  private static final String LATE = "a request timed out";
  private static final HealthConfig CONFIG =
      new HealthConfig(3, LimitsConfig.NEVER, 100, new DurationRange(1_000, 60_000), 50, true);

  private final ServerStatus status = new ServerStatus("cache", "a:1");
  private final ServerStatus other = new ServerStatus("cache", "b:1");
  private final Health health = status.health();
  private PoolHealth pool;
  private final long start = System.nanoTime();

  @BeforeEach
  void begin() {
    pool = new PoolHealth("cache", CONFIG, List.of(status, other), left -> null);
    pool.begin();
  }

  private void fail(int times, long sentAt, long now) {
    for (int i = 0; i < times; i++) {
      health.failed(LATE, sentAt, now);
    }
  }

  @Test
  void shouldEjectAfterSoManyInARow() {
    fail(2, start, start + SECOND);
    health.answered(1_000, start + SECOND);
    fail(2, start, start + SECOND);
    assertThat(health.isEjected()).isFalse();
    fail(1, start, start + SECOND);
    assertThat(health.isEjected()).isTrue();
    assertThat(health.why()).isEqualTo("3 failures in a row, the last: " + LATE);
  }

  /** Its clients waited while it was gone: that they give up now says nothing of how it is now. */
  @Test
  void shouldNotEjectAgainForWhatWasSentBeforeItCameBack() {
    fail(3, start, start + SECOND);
    long back = start + 5 * SECOND;
    health.answeredProbe(back);
    assertThat(health.isEjected()).isFalse();
    fail(10, back - 1, back + SECOND);
    assertThat(health.isEjected()).isFalse();
    assertThat(health.ejections()).isEqualTo(1);
    fail(3, back + 1, back + SECOND);
    assertThat(health.isEjected()).isTrue();
    assertThat(health.ejections()).isEqualTo(2);
  }

  @Test
  void shouldStayEjectedByHandUntilSomeoneRestoresIt() {
    assertThat(pool.eject(status)).isNull();
    assertThat(health.isEjected()).isTrue();
    assertThat(health.why()).isEqualTo("ejected by an administrator");
    assertThat(health.claimsProbe(start + 3600 * SECOND, ServerStatus.Side.TEXT)).isFalse();
    health.answeredProbe(start + SECOND); // to a probe of before
    assertThat(health.isEjected()).isTrue();
    pool.begin(); // another configuration
    assertThat(health.isEjected()).isTrue();

    pool.restore(status);
    assertThat(health.isEjected()).isFalse();
    assertThat(health.ejections()).isEqualTo(1);
  }

  /** As when a reply to a probe comes while a reload takes effect. */
  @Test
  void shouldMoveKeysBackThoughThePoolOfAnEarlierConfigurationRestoresTheServer() {
    fail(3, start, start + SECOND);
    PoolHealth next = new PoolHealth("cache", CONFIG, List.of(status, other), left -> null);
    next.begin();

    pool.restore(status);

    assertThat(next.instead(0, Unpooled.EMPTY_BUFFER, 0, 0)).isZero();
  }

  /** A server may answer one of them only. */
  @Test
  void shouldProbeByTextAndBinaryInTurn() {
    fail(3, start, start);
    StringBuilder probes = new StringBuilder();
    for (int second = 1; second < 2_000; second++) {
      for (ServerStatus.Side side : ServerStatus.Side.values()) { // text first, in every sweep
        if (health.claimsProbe(start + second * SECOND, side)) {
          probes.append(side.name().charAt(0));
        }
      }
    }
    assertThat(probes.toString()).matches("(TB){3,}T?");
    int before = probes.length();
    for (int second = 2_000; second < 4_000; second++) { // and where there is one alone
      if (health.claimsProbe(start + second * SECOND, ServerStatus.Side.BINARY)) {
        probes.append('B');
      }
    }
    assertThat(probes.length()).isGreaterThan(before + 3);
  }

  @Test
  void shouldNotEjectTheLastServerByHand() {
    assertThat(pool.eject(other)).isNull();
    assertThat(pool.eject(status)).isEqualTo("no other server of the pool is left");
    assertThat(health.isEjected()).isFalse();
    assertThat(pool.eject(new ServerStatus("cache", "gone")))
        .isEqualTo("the server is no longer in the pool");
  }

  @Test
  void shouldKnowWhetherAnyServerCanBeEjected() {
    assertThat(pool.canEject()).isTrue();
    assertThat(ofOneServer(99).canEject()).isFalse();
    assertThat(ofOneServer(100).canEject()).isTrue();
  }

  private PoolHealth ofOneServer(int maxEjectedPercent) {
    HealthConfig config =
        new HealthConfig(
            3, LimitsConfig.NEVER, 100, new DurationRange(1_000, 60_000), maxEjectedPercent, true);
    return new PoolHealth("cache", config, List.of(status), left -> null);
  }

  @Test
  void shouldLeaveKeysWhereTheyAreWithoutRehash() {
    HealthConfig config =
        new HealthConfig(3, LimitsConfig.NEVER, 100, new DurationRange(1_000, 60_000), 50, false);
    PoolHealth pool =
        new PoolHealth(
            "cache",
            config,
            List.of(status, other),
            left -> {
              throw new AssertionError("no ring of the others is wanted");
            });
    pool.begin();
    fail(3, start, start + SECOND);
    assertThat(health.isEjected()).isTrue();
    assertThat(pool.instead(0, Unpooled.EMPTY_BUFFER, 0, 0)).isZero();
  }
}
