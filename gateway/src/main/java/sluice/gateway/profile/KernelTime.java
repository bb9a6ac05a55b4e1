package sluice.gateway.profile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Whether perf events count what this process does in the kernel. Where {@code
 * kernel.perf_event_paranoid} is 2 they may be opened by everybody, but count a process without
 * capabilities in user space alone, and nothing in the profile says so: of a gateway, more than
 * half of its time is missing then.
 */
final class KernelTime {
  private static final int USER_SPACE_ONLY = 2;
  private static final long CAPABILITIES = 1L << 21 /* SYS_ADMIN */ | 1L << 38 /* PERFMON */;
  private static final String WHOLE_MACHINE = "0 0 4294967295";

  private KernelTime() {}

  /** Of this process. */
  static boolean isCounted() {
    try {
      return isCounted(
          Files.readString(Path.of("/proc/sys/kernel/perf_event_paranoid")),
          Files.readString(Path.of("/proc/self/status")),
          Files.readString(Path.of("/proc/self/uid_map")));
    } catch (IOException e) {
      return true; // perf itself will say
    }
  }

  /**
   * By what /proc says.
   *
   * @param users the user namespace's map: in one of its own, capabilities are of that one alone
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
