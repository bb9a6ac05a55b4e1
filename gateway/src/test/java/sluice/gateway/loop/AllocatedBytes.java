package sluice.gateway.loop;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Arrays;

/** What threads have allocated on the heap. */
public final class AllocatedBytes {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private AllocatedBytes() {}

  /** Bytes that the event loops' threads have allocated. */
  public static long ofEventLoops() {
    long[] ids =
        Arrays.stream(THREADS.getThreadInfo(THREADS.getAllThreadIds()))
            .filter(thread -> thread.getThreadName().startsWith("vert.x-eventloop"))
            .mapToLong(ThreadInfo::getThreadId)
            .toArray();
    return Arrays.stream(THREADS.getThreadAllocatedBytes(ids)).sum();
  }
}
