package sluice.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import sluice.config.model.LimitsConfig;
import sluice.config.model.TlsIdentity;

/** How values are written in the configuration file. */
final class Notation {
  private Notation() {}

  /** A section: keys and values in turn. */
  static Map<String, Object> fields(Object... keysAndValues) {
    Map<String, Object> fields = new LinkedHashMap<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      fields.put((String) keysAndValues[i], keysAndValues[i + 1]);
    }
    return fields;
  }

  /** A duration that may be {@link LimitsConfig#NEVER}. */
  static String durationOrNever(long millis) {
    return millis == LimitsConfig.NEVER ? "never" : duration(millis);
  }

  /** In the largest unit that has it whole. */
  static String duration(long millis) {
    if (millis == 0 || millis % 1_000 != 0) {
      return millis + "ms";
    }
    long seconds = millis / 1_000;
    if (seconds % 3_600 == 0) {
      return seconds / 3_600 + "h";
    }
    return seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
  }

  /** In the largest unit that has it whole. */
  static String size(long bytes) {
    int unit = bytes == 0 ? 0 : Math.min(30, Long.numberOfTrailingZeros(bytes) / 10 * 10);
    return (bytes >> unit) + List.of("B", "KiB", "MiB", "GiB").get(unit / 10);
  }

  static Map<String, Object> identity(TlsIdentity identity) {
    return fields("certificate", identity.certificateFile(), "key", identity.keyFile());
  }
}
