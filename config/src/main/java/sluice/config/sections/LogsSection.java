package sluice.config.sections;

import sluice.config.model.LogsConfig;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Quantities;

/** Description of {@code logs}: its keys, and its record. */
public final class LogsSection {
  public static final Key<Long> ABOVE =
      Key.optional(
              "above",
              Quantities.duration("1ms", "1h"),
              "Requests that take this long or longer are logged.")
          .or("10ms");
  public static final Key<Integer> SAMPLE =
      Key.optional(
              "sample",
              Quantities.percent(),
              "Share of the requests that are logged; they are chosen at random.")
          .or("1%");

  private static final Layout<LogsConfig> SLOW_LAYOUT =
      Layout.of(LogsConfig.class).optional(ABOVE, LogsConfig::slowMillis);
  private static final Layout<LogsConfig> ACCESS_LAYOUT =
      Layout.of(LogsConfig.class).optional(SAMPLE, LogsConfig::accessPercent);

  public static final Key<Fields> SLOW =
      Key.optional(
          "slow", SLOW_LAYOUT.type(), "One log line for each slow request; off by default.");
  public static final Key<Fields> ACCESS =
      Key.optional(
          "access",
          ACCESS_LAYOUT.type(),
          "One log line for each request of a random sample; off by default.");

  /** Its keys, and the record's value for each. */
  public static final Layout<LogsConfig> LAYOUT =
      Layout.of(LogsConfig.class).section(SLOW, SLOW_LAYOUT).section(ACCESS, ACCESS_LAYOUT);

  private LogsSection() {}

  /** The record of a valid section. */
  public static LogsConfig bind(Fields logs) {
    return new LogsConfig(
        logs.written(SLOW).map(slow -> slow.value(ABOVE)),
        logs.written(ACCESS).map(access -> access.value(SAMPLE)));
  }
}
