package sluice.testkit.selfcheck;

import java.util.List;

/**
 * Possible results of a connection's read of a key that another connection writes: all values at
 * the time of the request, and those written then or later. Older values, and those of other keys,
 * are wrong.
 *
 * <p>The writer learns nothing from these reads, but only from its own replies, in their order.
 */
final class Witness extends KeyState {
  private boolean over;

  Witness(KeyState of, boolean checksCas) {
    super(of.key, of.dialect, checksCas, Memory.EXACT);
    mayNotRead(Write.ABSENT); // unless it is reported
  }

  /** Whether it was answered, or never will be. */
  boolean isOver() {
    return over;
  }

  @Override
  void found(List<Write> writes) {
    over = true;
  }

  @Override
  void foundSomething() {
    over = true;
  }

  @Override
  void unanswered() {
    over = true;
  }
}
