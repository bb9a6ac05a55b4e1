package sluice.gateway.top;

import java.util.Locale;

/** Formatting of numbers for people; a dash for unknown ones. */
final class Figures {
  private static final String UNKNOWN = "-";

  private Figures() {}

  static String count(double n) {
    return Double.isNaN(n) ? UNKNOWN : String.format(Locale.ROOT, "%,.0f", n);
  }

  static String rate(double n) {
    if (Double.isNaN(n)) {
      return UNKNOWN;
    }
    return n >= 1e6 ? digits(n / 1e6) + "M" : n >= 1e4 ? digits(n / 1e3) + "k" : digits(n);
  }

  static String seconds(double n) {
    if (Double.isNaN(n)) {
      return UNKNOWN;
    }
    return n < 1e-3 ? digits(n * 1e6) + "us" : n < 1 ? digits(n * 1e3) + "ms" : digits(n) + "s";
  }

  static String bytes(double n) {
    if (Double.isNaN(n)) {
      return UNKNOWN;
    }
    return n < 1 << 10
        ? digits(n) + "B"
        : n < 1 << 20
            ? digits(n / (1 << 10)) + "KiB"
            : n < 1 << 30 ? digits(n / (1 << 20)) + "MiB" : digits(n / (1 << 30)) + "GiB";
  }

  static String percent(double share) {
    return Double.isFinite(share) ? String.format(Locale.ROOT, "%.2f%%", share * 100) : UNKNOWN;
  }

  static String uptime(double seconds) {
    if (Double.isNaN(seconds)) {
      return UNKNOWN;
    }
    long whole = (long) seconds;
    return whole < 120
        ? whole + "s"
        : whole < 7200
            ? whole / 60 + "min"
            : whole < 172_800 ? whole / 3600 + "h" : whole / 86_400 + "days";
  }

  private static String digits(double n) {
    return String.format(Locale.ROOT, n >= 100 ? "%.0f" : n >= 10 ? "%.1f" : "%.2f", n);
  }
}
