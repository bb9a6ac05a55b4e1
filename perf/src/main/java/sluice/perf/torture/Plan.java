package sluice.perf.torture;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** What happens in a run, in order: a seed's own. Each kind comes once before any comes again. */
final class Plan {
  /**
   * Single event.
   *
   * @param number from 1
   * @param server the index of the affected server, of all servers
   * @param seed of all other random choices
   * @param millis duration, if it has one
   * @param pauseMillis wait before the next
   */
  record Step(int number, Fault fault, int server, long seed, int millis, int pauseMillis) {
    @Override
    public String toString() {
      return number
          + " "
          + fault.label()
          + switch (fault) {
            case CUT_CLIENT, RELOAD, RENEW_CERTIFICATES, RESTART_GATEWAY -> "";
            default -> " of server " + server + (fault.lasts() ? " for " + millis + " ms" : "");
          };
    }
  }

  private final Random random;
  private final List<Fault> kinds;
  private final List<Fault> first;
  private final Options options;
  private int number;

  Plan(Options options) {
    this.options = options;
    random = new Random(options.seed());
    kinds = new ArrayList<>();
    Set<Fault> chosen = options.faults();
    for (Fault fault : chosen) {
      kinds.addAll(Collections.nCopies(fault.weight(), fault));
    }
    first = new ArrayList<>(chosen);
    Collections.shuffle(first, random);
  }

  /** Whether nothing ever happens. */
  boolean isEmpty() {
    return kinds.isEmpty();
  }

  /** How many there were. */
  int steps() {
    return number;
  }

  /** The next step. */
  Step next() {
    Fault fault =
        first.isEmpty() ? kinds.get(random.nextInt(kinds.size())) : first.remove(first.size() - 1);
    // Only servers that may forget are restarted: the others' contents are compared at the end.
    int server =
        fault == Fault.RESTART_SERVER
            ? Servers.STEADY + random.nextInt(Servers.MOVING)
            : random.nextInt(Servers.COUNT);
    // Shorter and longer than the time that a request has.
    int millis = 20 + random.nextInt(2 * options.timeoutMillis());
    return new Step(
        ++number, fault, server, random.nextLong(), millis, random.nextInt(options.pauseMillis()));
  }
}
