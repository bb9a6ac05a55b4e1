package sluice.gateway.metrics;

import com.sun.management.ThreadMXBean;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/** Memory of the process, in use and allocated so far. Not thread safe. */
final class ProcessMemory {
  private static final Path STATUS = Path.of("/proc/self/status");

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private Map<Long, Long> byThread = new HashMap<>();
  private long byDeadThreads;

  /** Bytes of the heap in use. */
  static long heapUsed() {
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  /** The largest heap in bytes. */
  static long heapLimit() {
    return Runtime.getRuntime().maxMemory();
  }

  /** Bytes that Netty has allocated outside the heap, in use or pooled. */
  static long directUsed() {
    return Math.max(0, PlatformDependent.usedDirectMemory());
  }

  /** The most bytes that Netty may allocate outside the heap. */
  static long directLimit() {
    return PlatformDependent.maxDirectMemory();
  }

  /** Resident memory of the process in bytes; empty where there is no /proc. */
  static OptionalLong resident() {
    try {
      return Files.readAllLines(STATUS).stream()
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
          .findFirst();
    } catch (IOException noProc) {
      return OptionalLong.empty();
    }
  }

  /** Bytes that threads have allocated on the heap since the first call. */
  long allocated() {
    Map<Long, Long> now = new HashMap<>();
    long[] ids = threads.getAllThreadIds();
    long[] bytes = threads.getThreadAllocatedBytes(ids);
    long living = 0;
    for (int i = 0; i < ids.length; i++) {
      if (bytes[i] >= 0) {
        now.put(ids[i], bytes[i]);
        living += bytes[i];
      }
    }
    // A thread's allocations still count after it has ended.
    for (Map.Entry<Long, Long> before : byThread.entrySet()) {
      if (!now.containsKey(before.getKey())) {
        byDeadThreads += before.getValue();
      }
    }
    byThread = now;
    return byDeadThreads + living;
  }

  /** CPU seconds of a thread; 0 if it has ended. */
  double cpuSeconds(long threadId) {
    return Math.max(0, threads.getThreadCpuTime(threadId)) / 1e9;
  }
}
