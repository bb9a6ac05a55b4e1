package sluice.gateway.time;

import java.security.SecureRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/**
 * Random numbers of the calling thread: the system's, except on a {@link SimulatedThread}. Not
 * suitable for secrets.
 */
public final class Chance {
  private static final SecureRandom UNIQUE = new SecureRandom();

  private Chance() {}

  /** A number from 0 to 1, 1 excluded. */
  public static double nextDouble() {
    return source().nextDouble();
  }

  /** Any number. */
  public static long nextLong() {
    return source().nextLong();
  }

  /** A number from 0 to bound, bound excluded. */
  public static long nextLong(long bound) {
    return source().nextLong(bound);
  }

  /** Any number, which processes that start at the same moment do not have in common. */
  public static long nextUnique() {
    return Thread.currentThread() instanceof SimulatedThread simulated
        ? simulated.random().nextLong()
        : UNIQUE.nextLong();
  }

  private static RandomGenerator source() {
    return Thread.currentThread() instanceof SimulatedThread simulated
        ? simulated.random()
        : ThreadLocalRandom.current();
  }
}
