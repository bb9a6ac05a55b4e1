package sluice.perf;

import java.io.IOException;
import picocli.CommandLine.Option;

/** Options of a load that is measured: whose CPU time, after how much load, and for how long. */
public final class MeasuredWindow {
  @Option(
      names = "--pid",
      paramLabel = "PID",
      converter = OptionValues.PidConverter.class,
      description = "process whose CPU time is measured")
  private String pid = "";

  @Option(
      names = "--warm",
      paramLabel = "SECONDS",
      defaultValue = "2",
      converter = OptionValues.DecimalConverter.class,
      description = "length of the load before the window (default: 2)")
  private double warmSeconds;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      defaultValue = "4",
      converter = OptionValues.DecimalConverter.class,
      description = "length of the window in seconds (default: 4)")
  private double seconds;

  /** Length of the load before the window, in nanoseconds; it may be 0. */
  public long warmNanos() {
    return (long) (warmSeconds * 1e9);
  }

  /** Length of the window, in seconds. */
  public double seconds() {
    return seconds;
  }

  /**
   * Begins the window.
   *
   * @throws IOException if there is no such process
   */
  public ProcessTimes begin() throws IOException {
    return ProcessTimes.begin(pid);
  }

  /** When a window that has begun will end, as {@link System#nanoTime} counts. */
  public long endNanos(ProcessTimes begun) {
    return begun.beginNanos() + (long) (seconds * 1e9);
  }
}
