package sluice.gateway.profile;

import java.util.List;

/**
 * Engine that takes a profile's samples. There are several for CPU time. {@code perf_event_open(2)}
 * also sees the kernel's frames, where {@link KernelTime} is counted, but is forbidden in most
 * containers (seccomp). A timer for each thread ({@code timer_create(2)}) is allowed everywhere on
 * Linux, and one for the process ({@code setitimer(2)}) everywhere.
 */
public enum Engine {
  /** The kernel's clock event of perf. */
  PERF_EVENTS("perf_events", "cpu-clock"),
  /** A timer on each thread's CPU time. */
  CTIMER("ctimer", "ctimer"),
  /** A timer on the process's CPU time. */
  ITIMER("itimer", "itimer"),
  /** The JVM's own sampling of allocations. */
  ALLOCATIONS("jvmti-alloc", "alloc"),
  /** The JVM's events of contended locks. */
  LOCKS("jvmti-lock", "lock"),
  /** A thread that signals the other threads. */
  WALL_CLOCK("wall", "wall");

  private final String label;
  private final String event;

  Engine(String label, String event) {
    this.label = label;
    this.event = event;
  }

  /** Its name for people. */
  public String label() {
    return label;
  }

  /** Its name for async-profiler, in {@code event=}. */
  String event() {
    return event;
  }

  /** The engines for an event, the best first. */
  static List<Engine> of(ProfileEvent event) {
    return switch (event) {
      case CPU -> List.of(PERF_EVENTS, CTIMER, ITIMER);
      case ALLOC -> List.of(ALLOCATIONS);
      case LOCK -> List.of(LOCKS);
      case WALL -> List.of(WALL_CLOCK);
    };
  }
}
