package sluice.load;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.HistogramLogWriter;

/** Files that document the basis of a verdict. */
final class Artifacts {
  /** The file from which Kubernetes reads a container's last message, up to 4 KiB. */
  private static final Path TERMINATION_LOG = Path.of("/dev/termination-log");

  private static final int MOST_OF_LIMIT = 256;
  private static final double[] PERCENTILES = {50, 90, 99, 99.9, 100};

  private final Path directory;

  Artifacts(Path directory) {
    this.directory = directory;
  }

  Path directory() {
    return directory;
  }

  void text(String name, String text) throws IOException {
    Files.writeString(directory.resolve(name), text);
  }

  /** Writes the verdict, to the directory and to Kubernetes' file. */
  void verdict(Verdict verdict) throws IOException {
    text("verdict.json", verdict.json().encodePrettily() + "\n");
    if (Files.isWritable(TERMINATION_LOG)) {
      Files.writeString(TERMINATION_LOG, verdict.json().encode());
    }
  }

  /** Writes every number of every load in every phase. */
  void result(Outcome outcome) throws IOException {
    JsonObject loads = new JsonObject();
    for (List<Tally> phase :
        List.of(outcome.direct(), outcome.judged(), outcome.saturation(), outcome.profiled())) {
      for (Tally tally : phase) {
        if (!loads.containsKey(tally.load)) {
          loads.put(tally.load, new JsonObject());
        }
        loads.getJsonObject(tally.load).put(tally.phase.label(), json(tally));
      }
    }
    JsonObject result =
        new JsonObject()
            .put("loads", loads)
            .put(
                "addedMicros",
                new JsonObject()
                    .put("p50", outcome.added(50) / 1e3)
                    .put("p99", outcome.added(99) / 1e3))
            .put("saturationPerSecond", outcome.saturationPerSecond())
            .put("errors", outcome.errors())
            .put("messages", outcome.messages())
            .put("allocatedBytes", outcome.allocated())
            .put("bytesPerRequest", outcome.bytesPerRequest())
            .put("throttled", outcome.throttled());
    text("result.json", result.encodePrettily() + "\n");
  }

  private static JsonObject json(Tally tally) {
    JsonObject micros = new JsonObject();
    for (double percentile : PERCENTILES) {
      micros.put(name(percentile), tally.latency.getValueAtPercentile(percentile) / 1e3);
    }
    return new JsonObject()
        .put("planned", tally.planned)
        .put("sent", tally.sent)
        .put("answered", tally.answered)
        .put("errors", tally.errors)
        .put("seconds", tally.seconds)
        .put("perSecond", tally.perSecond())
        .put("latencyMicros", micros)
        .put("lateMicrosP99", tally.lateness.getValueAtPercentile(99) / 1e3);
  }

  private static String name(double percentile) {
    return percentile == 100 ? "max" : "p" + (percentile == 99.9 ? "99.9" : "" + (int) percentile);
  }

  /**
   * Writes histograms of latency in nanoseconds, one for each load and phase, distinguished by
   * tags.
   */
  void latencies(Outcome outcome, long startMillis) throws FileNotFoundException {
    HistogramLogWriter log = new HistogramLogWriter(directory.resolve("latency.hlog").toFile());
    try {
      log.outputLogFormatVersion();
      log.outputStartTime(startMillis);
      log.setBaseTime(startMillis);
      log.outputLegend();
      List<Tally> all = new ArrayList<>(outcome.direct());
      all.addAll(outcome.judged());
      all.addAll(outcome.profiled());
      for (Tally tally : all) {
        tally.latency.setStartTimeStamp(startMillis);
        tally.latency.setEndTimeStamp(startMillis + (long) (tally.seconds * 1000));
        log.outputIntervalHistogram(tally.latency);
      }
    } finally {
      log.close();
    }
  }

  /**
   * Writes the environment of the run: this machine, and the gateway's according to the profiles.
   */
  void environment(Profiling profiling) throws IOException {
    JsonObject environment =
        new JsonObject()
            .put(
                "imageDigest", Optional.ofNullable(System.getenv("SLUICE_IMAGE_DIGEST")).orElse(""))
            .put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"))
            .put("machine", System.getProperty("os.arch"))
            .put("processors", Runtime.getRuntime().availableProcessors())
            .put("java", System.getProperty("java.vm.version"))
            .put(
                "driverFlags",
                new JsonArray(
                    new ArrayList<>(ManagementFactory.getRuntimeMXBean().getInputArguments())))
            .put("gatewayFlags", new JsonArray(new ArrayList<>(profiling.flags())))
            .put("gatewayKernel", profiling.kernel())
            .put("cpuLimit", limit("/sys/fs/cgroup/cpu.max", "/sys/fs/cgroup/cpu/cpu.cfs_quota_us"))
            .put(
                "memoryLimit",
                limit("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"))
            .put(
                "perfEventParanoid",
                limit(
                    "/proc/sys/kernel/perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid"))
            .put("profilingEngines", new JsonObject(Map.copyOf(profiling.engines())));
    text("env.json", environment.encodePrettily() + "\n");
  }

  private static String limit(String... files) {
    for (String file : files) {
      // One read: the kernel gives a setting below /proc/sys only to the first.
      try (InputStream in = Files.newInputStream(Path.of(file))) {
        return new String(in.readNBytes(MOST_OF_LIMIT), StandardCharsets.US_ASCII).strip();
      } catch (IOException e) {
        // another version of control groups, or none
      }
    }
    return "";
  }
}
