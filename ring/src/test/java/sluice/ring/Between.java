package sluice.ring;

import java.util.Set;

/** What stands between the nodes: every byte they send each other passes it. */
interface Between extends AutoCloseable {

  /** Which framings it can be started with. */
  Set<Framing> framings();

  /** Returns when it accepts connections; whatever passes then arrives in this framing. */
  void start(Framing framing);

  /** Ends it without a word to anybody: {@code kill -9}. Returns when its ports are free. */
  void kill();

  /** Ends it if it runs. */
  @Override
  void close();
}
