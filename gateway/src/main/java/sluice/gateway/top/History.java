package sluice.gateway.top;

import java.util.ArrayDeque;
import java.util.Deque;

/** The latest values of a number, and their picture in one line. */
final class History {
  private static final int KEPT = 256;
  private static final String BARS = "▁▂▃▄▅▆▇█";
  private static final String ASCII_BARS = "_.:-=+*#";

  private final Deque<Double> values = new ArrayDeque<>();

  /** Adds a value; an unknown one counts as 0. */
  void add(double value) {
    values.addLast(Double.isFinite(value) ? value : 0);
    if (values.size() > KEPT) {
      values.removeFirst();
    }
  }

  /** The largest of the latest values; 0 without any. */
  double peak(int width) {
    return values.stream()
        .skip(Math.max(0, values.size() - width))
        .mapToDouble(Double::doubleValue)
        .max()
        .orElse(0);
  }

  /**
   * A sparkline: a bar for each of the latest values, the last one at the right.
   *
   * @param unicode whether the terminal has block elements
   */
  String sparkline(int width, boolean unicode) {
    String bars = unicode ? BARS : ASCII_BARS;
    double peak = peak(width);
    StringBuilder line = new StringBuilder();
    values.stream()
        .skip(Math.max(0, values.size() - width))
        .forEach(
            value -> {
              int height = peak == 0 ? 0 : (int) Math.round(value / peak * (bars.length() - 1));
              line.append(bars.charAt(height));
            });
    return line.toString();
  }
}
