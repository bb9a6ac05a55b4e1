package sluice.gateway.profile;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Check whether perf events include this process's time in the kernel. Where {@code
 * kernel.perf_event_paranoid} is 2, every process may open them, but without capabilities they
 * count only user space. The profile does not show this: for a gateway, more than half of its time
 * is missing then.
 */
final class KernelTime {
  private static final int USER_SPACE_ONLY = 2;
  private static final long CAPABILITIES = 1L << 21 /* SYS_ADMIN */ | 1L << 38 /* PERFMON */;
  private static final int MOST_OF_SETTING = 64;
  private static final String WHOLE_MACHINE = "0 0 4294967295";

  private KernelTime() {}

  /** Whether kernel time is counted for this process. */
  static boolean isCounted() {
    try {
      return isCounted(
          setting(Path.of("/proc/sys/kernel/perf_event_paranoid")),
          Files.readString(Path.of("/proc/self/status")),
          Files.readString(Path.of("/proc/self/uid_map")));
    } catch (IOException e) {
      return true; // perf itself will report the reason
    }
  }

  /**
   * The text of a file below /proc/sys. The kernel gives it to one read: {@link Files#readString}
   * begins with a single byte, and gets no more.
   */
  static String setting(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(MOST_OF_SETTING), StandardCharsets.US_ASCII);
    }
  }

  /**
   * Whether kernel time is counted, judged by files of /proc.
   *
   * @param users map of the user namespace: in a namespace of its own, capabilities apply only
   *     there
   */
  static boolean isCounted(String paranoid, String status, String users) {
    boolean privileged =
        users.strip().replaceAll("\\s+", " ").equals(WHOLE_MACHINE)
            && status
                .lines()
                .filter(line -> line.startsWith("CapEff:"))
                .map(line -> line.substring("CapEff:".length()).strip().toLowerCase(Locale.ROOT))
                .anyMatch(hex -> (Long.parseUnsignedLong(hex, 16) & CAPABILITIES) != 0);
    return privileged || Integer.parseInt(paranoid.strip()) < USER_SPACE_ONLY;
  }
}
