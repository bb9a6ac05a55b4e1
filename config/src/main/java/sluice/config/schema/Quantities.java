package sluice.config.schema;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import sluice.config.model.DurationRange;
import sluice.config.model.LimitsConfig;

/** Scalar types of numbers: counts, durations, sizes, shares and bits. */
public final class Quantities {
  /** Without leading zeros: to some readers of YAML, 010 is eight. */
  private static final Pattern INTEGER = Pattern.compile("[-+]?(?:0|[1-9][0-9]{0,17})");

  private static final Pattern DURATION = Pattern.compile("([0-9]{1,10})(ms|s|m|h|d)");
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,12})(B|KiB|MiB|GiB)");
  private static final Pattern PERCENT = Pattern.compile("([0-9]{1,3})%");
  private static final Pattern BITS = Pattern.compile("0|[1-9][0-9]{0,9}|0x[0-9A-Fa-f]{1,8}");
  private static final Pattern SHARE = Pattern.compile("([0-9]{1,3}(?:\\.[0-9]{1,6})?)%");
  private static final Pattern MICROS = Pattern.compile("([0-9]{1,9})(us|ms|s)");
  private static final String DURATION_WORDS = "a duration";
  private static final List<String> UNITS_OF_TIME = List.of("us", "ms", "s", "m", "h", "d");
  private static final int MOST_ALTERNATIVES = 3;
  private static final String NEVER = "never";
  private static final long MAX_BITS = 0xFFFF_FFFFL;

  private Quantities() {}

  /** A whole number; both limits included. */
  public static Type.Scalar<Integer> integer(int min, int max) {
    return new Type.Scalar<>(
        min == max ? Integer.toString(min) : min + " to " + max,
        true,
        text -> {
          if (!INTEGER.matcher(text).matches()) {
            return null;
          }
          long value = Long.parseLong(text);
          return min <= value && value <= max ? (int) value : null;
        },
        value -> value,
        schema(min, max));
  }

  private static Map<String, Object> schema(long min, long max) {
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("type", "integer");
    schema.put("minimum", min);
    schema.put("maximum", max);
    return schema;
  }

  public static Type.Scalar<Boolean> bool() {
    return new Type.Scalar<>(
        "true | false",
        true, // for text that YAML reads as neither a number nor a string
        text -> text.equals("true") ? Boolean.TRUE : text.equals("false") ? Boolean.FALSE : null,
        value -> value,
        Map.of("type", "boolean"));
  }

  /** A duration in milliseconds; both limits included. */
  public static Type.Scalar<Long> duration(String min, String max) {
    long least = millis(min).orElseThrow();
    long most = millis(max).orElseThrow();
    return Scalars.string(
        DURATION_WORDS + " from " + min + " to " + max + ", such as " + durations(least, most),
        text -> millis(text).filter(m -> least <= m && m <= most).orElse(null),
        Notation::duration,
        DURATION.pattern());
  }

  /** Durations within the limits, so that a message never suggests what it would refuse. */
  private static String durations(long least, long most) {
    return or(
        Stream.of("250ms", "5s", "2m", "12h", "30d")
            .filter(each -> millis(each).filter(m -> least <= m && m <= most).isPresent()));
  }

  /** The first three of them, as alternatives; empty without any. */
  private static String or(Stream<String> texts) {
    List<String> first = texts.limit(MOST_ALTERNATIVES).toList();
    int last = first.size() - 1;
    return last < 1
        ? String.join("", first)
        : String.join(", ", first.subList(0, last)) + " or " + first.get(last);
  }

  /**
   * A number as a duration in each unit that the type accepts; empty if the type is no duration, or
   * the text no number. Which unit was meant, only the author knows.
   */
  static Optional<String> inEachUnit(String text, Type.Scalar<?> type) {
    if (!type.expected().startsWith(DURATION_WORDS) || !INTEGER.matcher(text).matches()) {
      return Optional.empty();
    }
    Stream<String> valid =
        UNITS_OF_TIME.stream().map(text::concat).filter(each -> type.parser().apply(each) != null);
    return Optional.of(or(valid)).filter(units -> !units.isEmpty());
  }

  /** A duration in milliseconds, or {@link LimitsConfig#NEVER}. */
  public static Type.Scalar<Long> durationOrNever(String min, String max) {
    Type.Scalar<Long> limited = duration(min, max);
    return Scalars.string(
        limited.expected() + ", or never",
        text ->
            text.equals(NEVER) ? Long.valueOf(LimitsConfig.NEVER) : limited.parser().apply(text),
        Notation::durationOrNever,
        NEVER + "|" + DURATION.pattern());
  }

  private static Optional<Long> millis(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long unit =
        switch (matcher.group(2)) {
          case "ms" -> 1;
          case "s" -> 1_000;
          case "m" -> 60_000;
          case "h" -> 3_600_000;
          default -> 86_400_000;
        };
    return Optional.of(Long.parseLong(matcher.group(1)) * unit);
  }

  /** Two durations, the first at most the second, as a {@link DurationRange}. */
  public static Type.Scalar<DurationRange> durationRange(String min, String max) {
    Type.Scalar<Long> each = duration(min, max);
    return Scalars.string(
        "two durations from " + min + " to " + max + ", such as 1s..30s",
        text -> {
          String[] parts = text.split("\\.\\.", -1);
          if (parts.length != 2) {
            return null;
          }
          Long least = each.parser().apply(parts[0]);
          Long most = each.parser().apply(parts[1]);
          return least != null && most != null && least <= most
              ? new DurationRange(least, most)
              : null;
        },
        range ->
            Notation.duration(range.leastMillis()) + ".." + Notation.duration(range.mostMillis()),
        DURATION.pattern() + "\\.\\." + DURATION.pattern());
  }

  /** A point in time, in milliseconds since 1970. */
  public static Type.Scalar<Long> instant() {
    return Scalars.string(
        "a time such as 2030-01-31T12:00:00Z",
        text -> {
          try {
            return Instant.parse(text).toEpochMilli();
          } catch (DateTimeParseException | ArithmeticException e) {
            return null; // the second: more milliseconds than fit into a number
          }
        },
        millis -> Instant.ofEpochMilli(millis).toString(),
        "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9:]+)");
  }

  /** A size in bytes; both limits included. */
  public static Type.Scalar<Long> size(String min, String max) {
    long least = bytes(min).orElseThrow();
    long most = bytes(max).orElseThrow();
    return Scalars.string(
        "a size from " + min + " to " + max + ", such as " + examples(least, most),
        text -> bytes(text).filter(b -> least <= b && b <= most).orElse(null),
        Notation::size,
        SIZE.pattern());
  }

  /** Two sizes within the limits, so that a message never suggests what it would refuse. */
  private static String examples(long least, long most) {
    if (least > 64 << 10) {
      return "1MiB or 64MiB";
    }
    return most < 1 << 20 ? "512B or 64KiB" : "64KiB or 1MiB";
  }

  private static Optional<Long> bytes(String text) {
    Matcher matcher = SIZE.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    int shift =
        switch (matcher.group(2)) {
          case "B" -> 0;
          case "KiB" -> 10;
          case "MiB" -> 20;
          default -> 30;
        };
    long count = Long.parseLong(matcher.group(1));
    return count <= Long.MAX_VALUE >> shift ? Optional.of(count << shift) : Optional.empty();
  }

  /** A whole number of percent, 1 to 100. */
  public static Type.Scalar<Integer> percent() {
    return Scalars.string(
        "1% to 100%",
        text -> {
          Matcher matcher = PERCENT.matcher(text);
          int percent = matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
          return 1 <= percent && percent <= 100 ? percent : null;
        },
        percent -> percent + "%",
        PERCENT.pattern());
  }

  /** A {@link Double} from 0 to 1. */
  public static Type.Scalar<Double> share() {
    return Scalars.string(
        "0% to 100%, such as 1% or 0.5%",
        text -> {
          Matcher matcher = SHARE.matcher(text);
          double percent = matcher.matches() ? Double.parseDouble(matcher.group(1)) : -1;
          return 0 <= percent && percent <= 100 ? percent / 100 : null;
        },
        share -> BigDecimal.valueOf(share).movePointRight(2).toPlainString() + "%",
        SHARE.pattern());
  }

  /** A duration in microseconds, up to a minute. */
  public static Type.Scalar<Long> micros() {
    return Scalars.string(
        DURATION_WORDS + " up to 60s, such as 200us or 5ms",
        text -> {
          Matcher matcher = MICROS.matcher(text);
          if (!matcher.matches()) {
            return null;
          }
          long unit =
              switch (matcher.group(2)) {
                case "us" -> 1;
                case "ms" -> 1_000;
                default -> 1_000_000;
              };
          long micros = Long.parseLong(matcher.group(1)) * unit;
          return micros <= 60_000_000 ? micros : null;
        },
        micros -> micros + "us",
        MICROS.pattern());
  }

  /** One bit of an item's 32 flags, the highest included. */
  public static Type.Scalar<Integer> flag() {
    return bits("one bit of 32, such as 0x10000", 1, bits -> Long.bitCount(bits) == 1);
  }

  /** Bits of an item's flags, or none. */
  public static Type.Scalar<Integer> flags() {
    return bits("bits of 32, such as 0x2, or 0 for none", 0, bits -> true);
  }

  private static Type.Scalar<Integer> bits(String expected, long min, Predicate<Long> valid) {
    return new Type.Scalar<>(
        expected,
        true,
        text -> {
          if (!BITS.matcher(text).matches()) {
            return null;
          }
          boolean hex = text.startsWith("0x");
          long bits = hex ? Long.parseLong(text.substring(2), 16) : Long.parseLong(text);
          return bits <= MAX_BITS && valid.test(bits) ? (int) bits : null;
        },
        Integer::toUnsignedLong,
        schema(min, MAX_BITS));
  }
}
