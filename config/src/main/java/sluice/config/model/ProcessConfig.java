package sluice.config.model;

/**
 * What holds for the whole process.
 *
 * @param eventLoops at least 1
 * @param transport how the sockets are driven
 * @param drainMillis how long a stop waits for what is in flight
 * @param memoryBytes ceiling of what all connections together buffer
 */
public record ProcessConfig(
    int eventLoops, Transport transport, long drainMillis, long memoryBytes) {
  private static final long MIB = 1L << 20;
  private static final long MIN_DEFAULT_MEMORY = 16 * MIB;
  private static final long MAX_DEFAULT_MEMORY = 128 * MIB;

  /** What is left to code, stacks and the collector before the buffers get theirs. */
  private static final long REST_OF_THE_JVM = 100 * MIB;

  /**
   * What the container's limit leaves after the heap and 100 MiB, at least 16 MiB and at most 128
   * MiB.
   *
   * @param limitBytes what the container or else the machine has
   * @param heapBytes the largest heap
   */
  public static long defaultMemoryBytes(long limitBytes, long heapBytes) {
    return Math.min(
        MAX_DEFAULT_MEMORY, Math.max(MIN_DEFAULT_MEMORY, limitBytes - heapBytes - REST_OF_THE_JVM));
  }
}
