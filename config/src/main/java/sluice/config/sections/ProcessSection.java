package sluice.config.sections;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import sluice.config.model.ProcessConfig;
import sluice.config.model.Transport;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Notation;
import sluice.config.schema.Quantities;
import sluice.config.schema.Scalars;

/** Description of {@code process}: its keys, and its record. */
public final class ProcessSection {
  public static final Key<Integer> EVENT_LOOPS =
      Key.optional(
              "eventLoops",
              Quantities.integer(1, 1024),
              "Number of event loops, each with one thread.")
          .or(
              "one per available processor",
              () -> Integer.toString(Math.min(1024, Runtime.getRuntime().availableProcessors())));
  public static final Key<Transport> TRANSPORT =
      Key.optional(
              "transport",
              Scalars.choice(Transport.class),
              "Interface to the sockets: auto is epoll, or nio where epoll is not available. With"
                  + " io_uring, the gateway makes fewer system calls, but needs a seccomp profile"
                  + " that allows it.")
          .or("auto");
  public static final Key<Long> DRAIN =
      Key.optional(
              "drain",
              Quantities.duration("0ms", "1h"),
              "How long a shutdown waits for work in flight.")
          .or("20s");
  public static final Key<Long> MEMORY =
      Key.optional(
              "memory",
              Quantities.size("1MiB", "1024GiB"),
              "Limit on the bytes that all connections together buffer. Reading pauses before the"
                  + " limit is reached.")
          .or(
              "what the container's limit leaves after heap and 100MiB, at least 16MiB, at most"
                  + " 128MiB",
              () -> Notation.size(defaultMemoryBytes()));

  /** Its keys, and the record's value for each. */
  public static final Layout<ProcessConfig> LAYOUT =
      Layout.of(ProcessConfig.class)
          .key(EVENT_LOOPS, ProcessConfig::eventLoops)
          .key(TRANSPORT, ProcessConfig::transport)
          .key(DRAIN, ProcessConfig::drainMillis)
          .key(MEMORY, ProcessConfig::memoryBytes);

  private ProcessSection() {}

  /** The record of a valid section. */
  public static ProcessConfig bind(Fields process) {
    return new ProcessConfig(
        process.value(EVENT_LOOPS),
        process.value(TRANSPORT),
        process.value(DRAIN),
        process.value(MEMORY));
  }

  /** The JDK reports a container's limit as the memory of the machine. */
  private static long defaultMemoryBytes() {
    long limit =
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
    return ProcessConfig.defaultMemoryBytes(limit, Runtime.getRuntime().maxMemory());
  }
}
