package sluice.gateway.profile;

import java.util.List;

/**
 * What takes the samples. Of the processors' time there are several: {@code perf_event_open(2)}
 * sees the kernel's frames too, where {@link KernelTime} is counted, and is forbidden in most
 * containers (seccomp); a timer for each thread ({@code timer_create(2)}) is allowed everywhere on
 * Linux; one for the process ({@code setitimer(2)}) everywhere.
 */
public enum Engine {
  /** The kernel's clock event of perf. */
  PERF_EVENTS("perf_events", "cpu-clock"),
  /** A timer of each thread's processor time. */
  CTIMER("ctimer", "ctimer"),
  /** A timer of the process's processor time. */
  ITIMER("itimer", "itimer"),
  /** The JVM's own sampling of allocations. */
  ALLOCATIONS("jvmti-alloc", "alloc"),
  /** The JVM's events of contended locks. */
  LOCKS("jvmti-lock", "lock"),
  /** A thread that signals the others. */
  WALL_CLOCK("wall", "wall");

  private final String label;
  private final String event;

  Engine(String label, String event) {
    this.label = label;
    this.event = event;
  }

  /** As it is told to people. */
  public String label() {
    return label;
  }

  /** As async-profiler names it in {@code event=}. */
  String event() {
    return event;
  }

  /** Those that can count an event, the best first. */
  static List<Engine> of(ProfileEvent event) {
    return switch (event) {
      case CPU -> List.of(PERF_EVENTS, CTIMER, ITIMER);
      case ALLOC -> List.of(ALLOCATIONS);
      case LOCK -> List.of(LOCKS);
      case WALL -> List.of(WALL_CLOCK);
    };
  }
}
