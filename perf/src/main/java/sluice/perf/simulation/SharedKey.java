package sluice.perf.simulation;

import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.history.Step;
import sluice.perf.simulation.history.ValueHistory;

/** Key that several clients write and read. */
final class SharedKey extends JudgedKey {
  private static final int MOST_CHANGES = 100;
  private static final int MOST_FAILURES = 4; // each is possible for ever

  private final World world;
  private final ValueHistory history;

  SharedKey(World world, Rule rule, String name) {
    super(world, rule, name);
    this.world = world;
    history = new ValueHistory(rule.promise(), rule.mayMiss());
  }

  ValueHistory history() {
    return history;
  }

  @Override
  boolean isWorn() {
    return super.isWorn() || history.size() > MOST_CHANGES || history.failures() > MOST_FAILURES;
  }

  /** A client sends a write of its next value. */
  ValueHistory.Change write(Object client, String value) {
    return history.write(client, world.simulator().now(), value, flags());
  }

  /** A client sends a delete. */
  ValueHistory.Change delete(Object client) {
    return history.delete(client, world.simulator().now());
  }

  /** A client sends a request that changes nothing. */
  Step read(Object client) {
    return history.read(client, world.simulator().now());
  }

  /**
   * Judges what the reply to a request shows.
   *
   * @param found null for nothing
   */
  @Nullable String judge(Step request, @Nullable String found, long flags) {
    long now = world.simulator().now();
    if (!isCertain()) {
      return found == null ? null : history.judgeAny(found, flags);
    }
    return found == null
        ? history.judgeNothing(request, now)
        : history.judgeValue(request, found, flags, now);
  }

  /** Judges a reply that shows whether there is an item, and not which one. */
  @Nullable String judge(Step request, boolean found) {
    if (!isCertain()) {
      return null;
    }
    return found
        ? history.judgeSomething(request)
        : history.judgeNothing(request, world.simulator().now());
  }

  /** The reply to a change says that it was carried out. */
  void done(Step change) {
    change.done(world.simulator().now());
  }

  /** Judges the cas unique of a value that a reply shows. */
  @Nullable String judgeUnique(String found, long unique) {
    return isCertain() ? history.judgeUnique(found, unique) : null;
  }

  /** Judges the success of a cas, or its refusal because of the unique of the item. */
  @Nullable String judgeCas(ValueHistory.Change cas, ValueHistory.Change compared, boolean done) {
    if (!isCertain()) {
      return null;
    }
    return done ? history.judgeSwapped(cas, compared) : history.judgeStale(cas, compared);
  }
}
