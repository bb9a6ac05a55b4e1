package sluice.gateway.profile;

import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Request for a profile. None of it reaches the profiler as text: async-profiler's command is one
 * string, where a comma could introduce an option of the caller's choice, such as a file.
 *
 * @param event to count
 * @param seconds duration, 1 to {@value #MAX_SECONDS}
 * @param format of the artifact
 */
public record ProfileRequest(ProfileEvent event, int seconds, ProfileFormat format) {
  /** Below the idle time after which the admin port closes a connection. */
  public static final int MAX_SECONDS = 50;

  private static final int DEFAULT_SECONDS = 30;

  /** Refuses seconds out of range. */
  public ProfileRequest {
    if (seconds < 1 || seconds > MAX_SECONDS) {
      throw new IllegalArgumentException(
          "seconds: found " + seconds + ", expected 1 to " + MAX_SECONDS);
    }
  }

  /**
   * Parses a caller's parameters. Null selects the default: cpu, 30 seconds, a flame graph.
   *
   * @throws IllegalArgumentException with a message for the caller
   */
  public static ProfileRequest parse(
      @Nullable String event, @Nullable String seconds, @Nullable String format) {
    return new ProfileRequest(
        event == null
            ? ProfileEvent.CPU
            : known("event", event, ProfileEvent.values(), ProfileEvent::label),
        seconds == null ? DEFAULT_SECONDS : seconds(seconds),
        format == null
            ? ProfileFormat.FLAMEGRAPH
            : known("format", format, ProfileFormat.values(), ProfileFormat::label));
  }

  private static int seconds(String written) {
    if (!written.matches("[0-9]{1,4}")) {
      throw new IllegalArgumentException(
          "seconds: found '" + written + "', expected 1 to " + MAX_SECONDS);
    }
    return Integer.parseInt(written);
  }

  private static <T> T known(String name, String written, T[] values, Function<T, String> label) {
    return Arrays.stream(values)
        .filter(value -> label.apply(value).equals(written))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    name
                        + ": found '"
                        + written
                        + "', expected one of "
                        + Arrays.stream(values).map(label).collect(Collectors.joining(", "))));
  }
}
