package sluice.perf.simulation;

import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.history.CounterHistory;
import sluice.perf.simulation.history.Step;

/** Number that several clients count up and down. */
final class SharedCounter extends JudgedKey {
  /** The flags of its item. */
  static final int FLAGS = 16;

  private enum State {
    NEW,
    BEGUN,
    READY,
    LOST
  }

  private final World world;
  private final CounterHistory history;
  private State state = State.NEW;

  SharedCounter(World world, Rule rule, String name) {
    super(world, rule, name);
    this.world = world;
    history = new CounterHistory(rule.promise());
  }

  /** Whether a client must write its first number. */
  boolean isNew() {
    return state == State.NEW;
  }

  /** Whether it has a number. */
  boolean isReady() {
    return state == State.READY;
  }

  /** A client writes its first number. */
  void begins() {
    state = State.BEGUN;
  }

  /** The server has the first number, or may not have it. */
  void hasBegun(boolean done) {
    state = done ? State.READY : State.LOST;
  }

  @Override
  boolean isWorn() {
    return super.isWorn() || state == State.LOST || history.isSpent();
  }

  /** A client sends a change. */
  CounterHistory.Count count(Object client) {
    return history.count(client, world.simulator().now());
  }

  /** A client sends a request that changes nothing. */
  Step read(Object client) {
    return history.read(client, world.simulator().now());
  }

  /**
   * Judges the number that a reply shows.
   *
   * @param digits null for nothing
   */
  @Nullable String judge(Step request, @Nullable String digits) {
    if (!isCertain()) {
      return null;
    }
    if (digits == null || !digits.matches("[0-9]{1,18} *")) { // a shorter number leaves spaces
      return "found " + digits + ", expected a number; the request: " + request;
    }
    return history.judge(request, Long.parseLong(digits.strip()), world.simulator().now());
  }

  /** The reply to a change says that it was carried out. */
  void done(Step count) {
    count.done(world.simulator().now());
  }
}
