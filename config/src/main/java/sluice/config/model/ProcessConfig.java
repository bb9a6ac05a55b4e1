package sluice.config.model;

/**
 * Settings of the whole process.
 *
 * @param eventLoops at least 1
 * @param transport of the sockets
 * @param drainMillis how long a shutdown waits for work in flight
 * @param memoryBytes limit on the bytes that all connections together buffer
 */
public record ProcessConfig(
    int eventLoops, Transport transport, long drainMillis, long memoryBytes) {
  private static final long MIB = 1L << 20;
  private static final long MIN_DEFAULT_MEMORY = 16 * MIB;
  private static final long MAX_DEFAULT_MEMORY = 128 * MIB;

  /** Memory for code, stacks and the collector, set aside before the buffers get theirs. */
  private static final long REST_OF_THE_JVM = 100 * MIB;

  /**
   * The default: the container's limit less the heap and 100 MiB, at least 16 MiB and at most 128
   * MiB.
   *
   * @param limitBytes memory of the container, or else of the machine
   * @param heapBytes the largest heap
   */
  public static long defaultMemoryBytes(long limitBytes, long heapBytes) {
    return Math.min(
        MAX_DEFAULT_MEMORY, Math.max(MIN_DEFAULT_MEMORY, limitBytes - heapBytes - REST_OF_THE_JVM));
  }
}
