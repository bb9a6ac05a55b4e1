package sluice.gateway.profile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import one.profiler.AsyncProfiler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Recorder of profiles of this process, one at a time. Thread safe. */
public final class Profiler {
  private static final Logger LOG = LoggerFactory.getLogger(Profiler.class);

  /** async-profiler's commands, as text. */
  interface Commands {
    /**
     * Executes a command.
     *
     * @throws IllegalArgumentException for an unknown option
     * @throws IllegalStateException if it is not possible, or not now
     */
    String execute(String command) throws IOException;
  }

  /** Loader of {@link Commands}, which unpacks and loads a library. */
  interface Loader {
    Commands load();
  }

  private final Loader loader;
  private final BooleanSupplier kernelIsCounted;
  private final AtomicReference<@Nullable ProfileRequest> recording = new AtomicReference<>();

  /** A profiler that loads nothing until the first profile. */
  public Profiler() {
    this(() -> AsyncProfiler.getInstance()::execute, KernelTime::isCounted);
  }

  /**
   * A profiler for tests.
   *
   * @param kernelIsCounted by perf events
   */
  Profiler(Loader loader, BooleanSupplier kernelIsCounted) {
    this.loader = loader;
    this.kernelIsCounted = kernelIsCounted;
  }

  /** The profile being recorded or prepared; null for none. */
  public @Nullable ProfileRequest recording() {
    return recording.get();
  }

  /**
   * Reserves the profiler for one request; {@link #start} must follow, on a thread that may block.
   *
   * @return whether it was free
   */
  public boolean reserve(ProfileRequest request) {
    return recording.compareAndSet(null, request);
  }

  /**
   * Begins the reserved recording. Blocks: the first call unpacks a library.
   *
   * @return recording, which the caller must finish or drop
   * @throws ProfilerException if no engine works; then the reservation has ended
   */
  public Recording start() throws ProfilerException {
    ProfileRequest request =
        Objects.requireNonNull(recording.get(), "expected a reservation before the start");
    try {
      return begin(request);
    } catch (ProfilerException e) {
      recording.set(null);
      throw e;
    } catch (IOException | RuntimeException | LinkageError e) {
      // the JVM reports an unloadable library as an error, which is none of the gateway's
      recording.set(null);
      throw new ProfilerException("cannot profile here: " + e.getMessage(), e);
    }
  }

  private Recording begin(ProfileRequest request) throws IOException, ProfilerException {
    Commands commands = loader.load();
    Path file = Files.createTempFile("sluice-profile", "." + request.format().extension());
    try {
      if (file.toString().indexOf(',') >= 0) {
        throw new ProfilerException(
            "cannot profile here: java.io.tmpdir has a comma in it: " + file.getParent(), null);
      }
      return new Recording(commands, request, startAny(commands, request, file), file);
    } catch (ProfilerException | RuntimeException e) {
      Files.deleteIfExists(file);
      throw e;
    }
  }

  private Engine startAny(Commands commands, ProfileRequest request, Path file)
      throws IOException, ProfilerException {
    Exception refused = new IllegalStateException("no engine records such an event");
    for (Engine engine : Engine.of(request.event())) {
      if (engine == Engine.PERF_EVENTS && !kernelIsCounted.getAsBoolean()) {
        continue; // timers include all of a thread's time
      }
      try {
        commands.execute(startCommand(engine, request, file));
        return engine;
      } catch (IllegalStateException | IllegalArgumentException e) {
        LOG.info("cannot record a profile by {}: {}", engine.label(), e.getMessage());
        refused = e;
      }
    }
    throw new ProfilerException("cannot profile here: " + refused.getMessage(), refused);
  }

  private static String startCommand(Engine engine, ProfileRequest request, Path file) {
    String start = "start,event=" + engine.event();
    switch (request.event()) {
      case CPU -> start += ",interval=1ms";
      case WALL -> start += ",interval=10ms";
      case ALLOC -> start += ",alloc=64k";
      case LOCK -> start += ",lock=1us";
    }
    return request.format() == ProfileFormat.JFR ? start + ",jfr,file=" + file : start;
  }

  /** Recording in progress. Either method blocks, and frees the profiler. */
  public final class Recording {
    private final Commands commands;
    private final ProfileRequest request;
    private final Engine engine;
    private final Path file;

    private Recording(Commands commands, ProfileRequest request, Engine engine, Path file) {
      this.commands = commands;
      this.request = request;
      this.engine = engine;
      this.file = file;
    }

    /** The engine that takes the samples. */
    public Engine engine() {
      return engine;
    }

    /** Ends the recording, and returns the profile. */
    public Profile finish() throws ProfilerException {
      try {
        commands.execute(stopCommand());
        return new Profile(request, engine, Files.readAllBytes(file));
      } catch (IOException | RuntimeException e) {
        throw new ProfilerException("the profile could not be written: " + e.getMessage(), e);
      } finally {
        end();
      }
    }

    /** Ends the recording without a result. */
    public void drop() {
      try {
        commands.execute("stop");
      } catch (IOException | RuntimeException e) {
        LOG.warn("cannot stop a profile", e);
      } finally {
        end();
      }
    }

    private String stopCommand() {
      String title = request.event().label() + " by " + engine.label();
      // Allocations and locks: total amounts, not numbers of events.
      boolean total = request.event() == ProfileEvent.ALLOC || request.event() == ProfileEvent.LOCK;
      return switch (request.format()) {
        case JFR -> "stop";
        case FLAMEGRAPH ->
            "stop,flamegraph" + (total ? ",total" : "") + ",title=" + title + ",file=" + file;
        case COLLAPSED -> "stop,collapsed" + (total ? ",total" : "") + ",file=" + file;
      };
    }

    private void end() {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        LOG.warn("cannot delete the temporary file {}: {}", file, e.getMessage());
      }
      recording.set(null);
    }
  }
}
