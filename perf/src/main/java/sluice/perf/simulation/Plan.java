package sluice.perf.simulation;

import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a simulation consists of: its seed, and which parts of what the seed chooses take place.
 *
 * @param seconds of virtual time
 * @param faults the numbers of the faults that happen, from 1; null for all
 * @param clients the numbers of the clients that take part, from 1; null for all
 */
record Plan(
    long seed, long seconds, @Nullable Set<Integer> faults, @Nullable Set<Integer> clients) {
  /** Everything that a seed chooses. */
  static Plan of(long seed, long seconds) {
    return new Plan(seed, seconds, null, null);
  }

  boolean hasFault(int number) {
    return faults == null || faults.contains(number);
  }

  boolean hasClient(int number) {
    return clients == null || clients.contains(number);
  }

  Plan withSeconds(long other) {
    return new Plan(seed, other, faults, clients);
  }

  Plan withFaults(Set<Integer> others) {
    return new Plan(seed, seconds, others, clients);
  }

  Plan withClients(Set<Integer> others) {
    return new Plan(seed, seconds, faults, others);
  }

  /** The command that runs it. */
  String command() {
    return "./sluice simulate --seeds 1 --first "
        + seed
        + (seconds % 60 == 0 ? " --minutes " + seconds / 60 : " --seconds " + seconds)
        + option(" --only-faults ", faults)
        + option(" --only-clients ", clients);
  }

  private static String option(String name, @Nullable Set<Integer> numbers) {
    return numbers == null ? "" : name + list(numbers);
  }

  /** Numbers as an option takes them; 0, which none has, if there are none. */
  static String list(Set<Integer> numbers) {
    return numbers.isEmpty()
        ? "0"
        : numbers.stream().sorted().map(String::valueOf).collect(Collectors.joining(","));
  }
}
