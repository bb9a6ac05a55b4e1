package sluice.config.schema;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Conversion of other programs' spellings of quantities and flags to this file's. */
final class Spellings {
  private static final Pattern QUANTITY = Pattern.compile("([0-9]+(?:[.][0-9]+)?)\\s*([A-Za-z]*)");
  private static final int LONGEST = 64;
  private static final BigDecimal HOURS_A_DAY = BigDecimal.valueOf(24);

  private static final Map<String, String> UNITS =
      Map.ofEntries(
          Map.entry("b", "B"),
          Map.entry("byte", "B"),
          Map.entry("bytes", "B"),
          Map.entry("k", "KiB"),
          Map.entry("kb", "KiB"),
          Map.entry("kib", "KiB"),
          Map.entry("mb", "MiB"),
          Map.entry("mib", "MiB"),
          Map.entry("g", "GiB"),
          Map.entry("gb", "GiB"),
          Map.entry("gib", "GiB"),
          Map.entry("millis", "ms"),
          Map.entry("msec", "ms"),
          Map.entry("ms", "ms"),
          Map.entry("s", "s"),
          Map.entry("sec", "s"),
          Map.entry("secs", "s"),
          Map.entry("second", "s"),
          Map.entry("seconds", "s"),
          Map.entry("min", "m"),
          Map.entry("mins", "m"),
          Map.entry("minute", "m"),
          Map.entry("minutes", "m"),
          Map.entry("h", "h"),
          Map.entry("hour", "h"),
          Map.entry("hours", "h"));

  private static final Map<String, String> FLAGS =
      Map.of("yes", "true", "on", "true", "no", "false", "off", "false");

  private Spellings() {}

  /**
   * Possible meanings of a text, likely ones first; a type's parser decides which of them it
   * accepts.
   */
  static Stream<String> of(String text) {
    String lower = text.strip().toLowerCase(Locale.ROOT);
    if (lower.length() > LONGEST) {
      return Stream.empty();
    }
    Matcher quantity = QUANTITY.matcher(text.strip());
    return Stream.concat(
        Stream.of(FLAGS.getOrDefault(lower, lower)),
        quantity.matches() ? quantities(quantity.group(1), quantity.group(2)) : Stream.empty());
  }

  private static String hours(String days) {
    return new BigDecimal(days).multiply(HOURS_A_DAY).stripTrailingZeros().toPlainString();
  }

  /** A product without a fraction; empty if it has one. */
  private static String times(String number, int factor) {
    BigDecimal product = new BigDecimal(number).multiply(BigDecimal.valueOf(factor));
    return product.stripTrailingZeros().scale() <= 0 ? product.toBigInteger().toString() : "";
  }

  private static Stream<String> quantities(String number, String unit) {
    String lower = unit.toLowerCase(Locale.ROOT);
    return number.indexOf('.') < 0
        ? whole(number, unit, lower)
        : Stream.concat(
            fraction(number, UNITS.getOrDefault(lower, unit)), whole(number, unit, lower));
  }

  /** The same quantity in the next smaller unit. */
  private static Stream<String> fraction(String number, String unit) {
    return switch (unit) {
      case "" -> Stream.of(times(number, 100) + "%");
      case "s" -> Stream.of(times(number, 1_000) + "ms");
      case "m", "M" -> Stream.of(times(number, 60) + "s", times(number, 1_024) + "KiB");
      case "h" -> Stream.of(times(number, 60) + "m");
      case "KiB" -> Stream.of(times(number, 1_024) + "B");
      case "MiB" -> Stream.of(times(number, 1_024) + "KiB");
      case "GiB" -> Stream.of(times(number, 1_024) + "MiB");
      default -> Stream.empty();
    };
  }

  private static Stream<String> whole(String number, String unit, String lower) {
    return switch (lower) {
      case "" -> Stream.of(number + "%", number + "B");
      case "m" -> Stream.of(number + "m", number + "MiB");
      case "d", "day", "days" -> Stream.of(number + "d", hours(number) + "h");
      default -> Stream.of(number + UNITS.getOrDefault(lower, unit));
    };
  }
}
