package sluice.testkit.selfcheck;

import java.util.List;

/**
 * What a connection may read of a key that another one writes: all that the key could hold when it
 * asked, and what was being written then or since. Nothing older, and nothing of another key.
 *
 * <p>What it reads tells its writer nothing: that one learns it in the order of its own replies.
 */
final class Witness extends KeyState {
  private boolean over;

  Witness(KeyState of, boolean checksCas) {
    super(of.key, of.dialect, checksCas, Memory.EXACT);
    mayNotRead(Write.ABSENT); // unless it is told
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
