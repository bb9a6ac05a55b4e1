package sluice.gateway.admin;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import sluice.gateway.history.History;
import sluice.gateway.metrics.Interval;

/** JSON form of the history: one array for each figure, and the sums of the last minute. */
final class HistoryJson {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private HistoryJson() {}

  /** The samples of the last {@code seconds} before {@code now}. */
  static JsonObject of(History history, int seconds, Instant now) {
    List<History.Sample> samples = history.within(Duration.ofSeconds(seconds), now);
    JsonArray times = new JsonArray();
    samples.forEach(sample -> times.add(sample.end().toEpochMilli()));
    JsonObject series =
        new JsonObject()
            .put("requests", each(samples, i -> rate(i, i.requests())))
            .put("errors", each(samples, i -> rate(i, i.errors())))
            .put("misses", each(samples, i -> rate(i, i.misses())))
            .put("bytesIn", each(samples, i -> rate(i, i.bytesIn())))
            .put("bytesOut", each(samples, i -> rate(i, i.bytesOut())))
            .put("gatewayP50", each(samples, i -> time(i.gatewayP50())))
            .put("gatewayP99", each(samples, i -> time(i.gatewayP99())))
            .put("requestP50", each(samples, i -> time(i.requestP50())))
            .put("requestP99", each(samples, i -> time(i.requestP99())))
            .put("inFlight", each(samples, Interval::inFlight))
            .put("connections", each(samples, Interval::connections))
            .put("bufferedBytes", each(samples, Interval::bufferedBytes));
    return new JsonObject()
        .put("now", now.toEpochMilli())
        .put("everySeconds", History.PERIOD_SECONDS)
        .put("lastMinute", sums(history.within(MINUTE, now)))
        .put("times", times)
        .put("series", series);
  }

  private static JsonObject sums(List<History.Sample> samples) {
    double seconds = 0;
    long requests = 0;
    long errors = 0;
    long misses = 0;
    for (History.Sample sample : samples) {
      seconds += sample.figures().seconds();
      requests += sample.figures().requests();
      errors += sample.figures().errors();
      misses += sample.figures().misses();
    }
    return new JsonObject()
        .put("seconds", seconds)
        .put("requests", requests)
        .put("errors", errors)
        .put("misses", misses);
  }

  private static JsonArray each(
      List<History.Sample> samples, Function<Interval, @Nullable Number> figure) {
    JsonArray all = new JsonArray();
    samples.forEach(sample -> all.add(figure.apply(sample.figures())));
    return all;
  }

  private static double rate(Interval interval, long count) {
    return interval.seconds() > 0 ? count / interval.seconds() : 0;
  }

  /** JSON has no NaN. */
  private static @Nullable Double time(double seconds) {
    return Double.isNaN(seconds) ? null : seconds;
  }
}
