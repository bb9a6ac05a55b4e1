package sluice.gateway.route;

import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Options;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import sluice.gateway.time.Clocks;

/** A rate limit that several event loops share, in a moment that does not pass: a counter. */
@Param(name = "requests", gen = IntGen.class, conf = "1:4")
public class RateLimitInterleavings {
  private static final int BURST = 7;

  private final RateLimit limit = new RateLimit("r", 1, BURST);
  private final long now = Clocks.nanos();

  /** What loops expect. */
  public static final class Bucket {
    private int left = BURST;

    public boolean take(int requests) {
      if (requests > left) {
        return false;
      }
      left -= requests;
      return true;
    }
  }

  @Operation
  public boolean take(@Param(name = "requests") int requests) {
    return limit.take(requests, now);
  }

  private static void check(Options<?, ?> options) {
    options
        .threads(3)
        .actorsPerThread(2)
        .iterations(8)
        .invocationsPerIteration(300)
        .sequentialSpecification(Bucket.class)
        .check(RateLimitInterleavings.class);
  }

  /** Fails if the threads see anything else. */
  public static void main(String[] arguments) {
    check(new StressOptions());
  }
}
