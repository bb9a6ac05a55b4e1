package sluice.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import one.convert.Arguments;
import one.convert.JfrToFlame;
import sluice.config.plan.LoadPlan;

/** Profiles of the gateway under load, recorded one after the other. */
final class Profiling {
  private final Admin admin;
  private final LoadPlan.Phases phases;
  private final Path directory;
  private final Map<String, String> engines = new LinkedHashMap<>();
  private List<String> flags = List.of();
  private String kernel = "";

  @SuppressWarnings("NullAway.Init") // set by record
  private Samples samples;

  Profiling(Admin admin, LoadPlan.Phases phases, Path directory) {
    this.admin = admin;
    this.phases = phases;
    this.directory = directory;
  }

  /** Records all profiles; blocks until they are finished. */
  void record() throws IOException {
    Path cpu = record("cpu", phases.profiled(), "profile.jfr");
    Path alloc = record("alloc", phases.profiledAllocations(), "profile-alloc.jfr");
    Path lock = record("lock", phases.profiledLocks(), "profile-lock.jfr");
    flames(cpu, "cpu", "--cpu");
    flames(alloc, "alloc", "--alloc", "--total");
    flames(lock, "lock", "--lock", "--total");
    samples = Samples.of(cpu);
    lookAround(cpu);
  }

  /** Reads the environment from the recording, because the gateway may run on another machine. */
  private void lookAround(Path recording) throws IOException {
    try (RecordingFile file = new RecordingFile(recording)) {
      while (file.hasMoreEvents()) {
        RecordedEvent event = file.readEvent();
        switch (event.getEventType().getName()) {
          case "jdk.JVMInformation" -> {
            String arguments = event.getString("jvmArguments");
            if (arguments != null && !arguments.isBlank()) {
              flags = List.of(arguments.strip().split("\\s+"));
            }
          }
          case "jdk.OSInformation" -> kernel = event.getString("osVersion");
          default -> {}
        }
      }
    }
  }

  private Path record(String event, long millis, String file) throws IOException {
    Admin.Profile profile =
        admin.profile(event, Math.max(1, TimeUnit.MILLISECONDS.toSeconds(millis)));
    engines.put(event, profile.engine());
    return Files.write(directory.resolve(file), profile.recording());
  }

  private void flames(Path recording, String event, String... options) throws IOException {
    String[] arguments = new String[options.length + 2];
    System.arraycopy(options, 0, arguments, 0, options.length);
    arguments[options.length] = "--title";
    arguments[options.length + 1] = event + " by " + engines.get(event);
    JfrToFlame.convert(
        recording.toString(),
        directory.resolve("flame-" + event + ".html").toString(),
        new Arguments(arguments));
  }

  /** The profiler that took the samples, by event. */
  Map<String, String> engines() {
    return engines;
  }

  /** Options of the gateway's JVM. */
  List<String> flags() {
    return flags;
  }

  /** Kernel of the gateway's machine. */
  String kernel() {
    return kernel;
  }

  /** Samples of the CPU profile; only after {@link #record()}. */
  Samples samples() {
    return samples;
  }
}
