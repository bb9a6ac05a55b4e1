package sluice.gateway.samples;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import sluice.config.model.LogsConfig;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.metrics.SampleKind;
import sluice.names.Command;
import sluice.testkit.SteadyState;

class LoopSamplesTest {
  private static final InetSocketAddress CLIENT =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 5000);
  private static final ByteBuf KEY = Unpooled.wrappedBuffer("user:17".getBytes(US_ASCII));

  private final LoopMetrics metrics = new GatewayMetrics().newLoop();
  private final LoopSamples samples = new LoopSamples(metrics);

  private void route(int requests) {
    for (int i = 0; i < requests; i++) {
      samples.routed(this, KEY, 0, KEY.readableBytes(), "cache", "main");
    }
  }

  private long drain() {
    long stoodFor = 0;
    for (Sample sample = samples.poll(); sample != null; sample = samples.poll()) {
      stoodFor += sample.weight;
      samples.release(sample);
    }
    return stoodFor;
  }

  @Test
  void shouldPickEveryKeyWhileThereAreFew() {
    route(100);
    assertThat(drain()).isEqualTo(100);
    assertThat(metrics.samplesDropped(SampleKind.KEY)).isZero();
  }

  /** A client may send any token as a key, up to the length of a line. */
  @Test
  void shouldKeepNothingOfAKeyThatIsTooLong() {
    ByteBuf key = Unpooled.buffer().writeZero(60_000);
    samples.routed(this, key, 0, key.readableBytes(), "cache", "main");
    assertThat(samples.poll()).isNull();
    route(1);
    assertThat(drain()).isOne();
    samples.follow(new LogsConfig(Optional.of(0L), Optional.empty()));
    samples.begin();
    samples.routed(this, key, 0, key.readableBytes(), "cache", "main");
    assertThat(samples.noted().key()).hasSizeLessThan(1_000);
  }

  @Test
  void shouldPickFewerOfManyAndLetThemStandForAll() {
    long now = System.nanoTime();
    long requests = 0;
    long stoodFor = 0;
    int picked = 0;
    for (int period = 0; period < 200; period++) {
      now += TimeUnit.MILLISECONDS.toNanos(100);
      samples.sweep(now);
      route(10_000);
      if (period >= 20) {
        requests += 10_000;
        for (Sample sample = samples.poll(); sample != null; sample = samples.poll()) {
          stoodFor += sample.weight;
          picked++;
          samples.release(sample);
        }
      } else {
        drain();
      }
    }
    assertThat(picked).isLessThan(180 * 200);
    assertThat((double) stoodFor / requests).isBetween(0.95, 1.05);
    assertThat(metrics.samplesDropped(SampleKind.KEY)).isPositive(); // before it had adapted
    long before = metrics.samplesDropped(SampleKind.KEY);
    for (int period = 0; period < 20; period++) {
      now += TimeUnit.MILLISECONDS.toNanos(100);
      samples.sweep(now);
    }
    route(50);
    assertThat(drain()).isBetween(1L, 200L); // they are few again
    assertThat(metrics.samplesDropped(SampleKind.KEY)).isEqualTo(before);
  }

  @Test
  void shouldCountWhatFindsNoRoom() {
    route(LoopSamples.CAPACITY + 10);
    assertThat(metrics.samplesDropped(SampleKind.KEY)).isEqualTo(10);
    samples.follow(new LogsConfig(Optional.of(1L), Optional.empty()));
    end(5_000_000);
    assertThat(metrics.samplesDropped(SampleKind.SLOW)).isEqualTo(1);
    assertThat(drain()).isEqualTo(LoopSamples.CAPACITY);
  }

  @Test
  void shouldAllocateNothingOnceItHasWhatItNeeds() {
    samples.follow(new LogsConfig(Optional.of(1L), Optional.of(50)));
    Runnable round =
        () -> {
          for (int i = 0; i < 20_000; i++) {
            one(i);
          }
        };
    assertThat(SteadyState.leastAllocated(20_000, round)).isLessThan(20_000);
  }

  private void one(int i) {
    samples.begin();
    route(1);
    if (samples.hasNoted(this)) {
      end(samples.noted(), i % 4 == 0 ? 2_000_000 : 100_000);
    }
    drain();
  }

  private void end(long nanos) {
    end(null, nanos);
  }

  private void end(KeyNote note, long nanos) {
    if (samples.wants(nanos)) {
      samples.ended("cache", CLIENT, Command.GET, Outcome.MISS, note, "10.0.0.1:1", nanos, 90_000);
    }
  }

  @Test
  void shouldWriteALineForASlowRequestAndNoneForOthers() {
    samples.follow(new LogsConfig(Optional.of(10L), Optional.empty()));
    samples.begin();
    samples.routed(this, KEY, 0, 7, "cache", "main");
    samples.routed(this, KEY, 0, 6, "cache", "other");
    drain();
    KeyNote note = samples.noted();
    end(note, 9_999_999);
    assertThat(samples.poll()).isNull();
    end(note, 12_345_678);
    Sample sample = samples.poll();
    sample.epochMillis = 1_767_323_045_006L;
    assertThat(sample.access).isFalse();
    assertThat(RequestLog.line("slow", sample))
        .isEqualTo(
            "{\"log\":\"slow\",\"time\":\"2026-01-02T03:04:05.006Z\",\"listener\":\"cache\","
                + "\"client\":\"127.0.0.1:5000\",\"command\":\"get\",\"outcome\":\"miss\","
                + "\"key\":\"user:17\",\"keys\":2,\"pool\":\"main\",\"server\":\"10.0.0.1:1\","
                + "\"millis\":12.346,\"serverMillis\":0.09,\"ownMillis\":12.256}");
  }

  @Test
  void shouldPickAShareOfAllForTheAccessLog() {
    samples.follow(new LogsConfig(Optional.empty(), Optional.of(20)));
    int picked = 0;
    for (int i = 0; i < 10_000; i++) {
      end(1_000);
      for (Sample sample = samples.poll(); sample != null; sample = samples.poll()) {
        assertThat(sample.slow).isFalse();
        assertThat(new JsonObject(RequestLog.line("access", sample)).fieldNames())
            .doesNotContain("key", "keys", "pool");
        samples.release(sample);
        picked++;
      }
    }
    assertThat(picked).isBetween(1_700, 2_300);
    samples.follow(new LogsConfig(Optional.empty(), Optional.of(100)));
    end(1_000);
    assertThat(samples.poll()).isNotNull();
  }

  @Test
  void shouldNotTakeAKeyForThatOfAnotherRequest() {
    samples.follow(new LogsConfig(Optional.of(1L), Optional.empty()));
    samples.begin();
    samples.routed(this, KEY, 0, 7, "cache", "main");
    for (Object other : List.of("another client")) {
      assertThat(samples.hasNoted(other)).isFalse();
    }
    assertThat(samples.hasNoted(this)).isTrue();
    samples.noted();
    assertThat(samples.hasNoted(this)).isFalse(); // one request took it
    samples.routed(this, KEY, 0, 7, "cache", "main");
    samples.begin();
    assertThat(samples.hasNoted(this)).isFalse(); // it was looked at again later
  }
}
