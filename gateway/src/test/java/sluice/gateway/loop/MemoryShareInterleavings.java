package sluice.gateway.loop;

import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Options;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;

/**
 * Reservations of memory by two event loops. One succeeds if there is room, or if nothing else is
 * reserved; all loops see them in one order.
 */
@Param(name = "bytes", gen = IntGen.class, conf = "200:700")
public class MemoryShareInterleavings {
  private static final long CEILING = 1_000;
  private static final long TIGHT = 875;

  private final MemoryShare[] shares = MemoryShare.of(2, CEILING);
  private final long[] reserved = new long[2]; // each is its loop's

  /** What loops expect. */
  public static final class Memory {
    private final long[] reserved = new long[2];

    private boolean reserve(int loop, int bytes) {
      long all = reserved[0] + reserved[1];
      if (all + bytes > TIGHT && all > 0) {
        return false;
      }
      reserved[loop] += bytes;
      return true;
    }

    public boolean reserveOnOne(int bytes) {
      return reserve(0, bytes);
    }

    public boolean reserveOnOther(int bytes) {
      return reserve(1, bytes);
    }

    public void releaseOnOne() {
      reserved[0] = 0;
    }

    public void releaseOnOther() {
      reserved[1] = 0;
    }
  }

  private boolean reserve(int loop, int bytes) {
    boolean succeeds = shares[loop].reserve(bytes);
    reserved[loop] += succeeds ? bytes : 0;
    return succeeds;
  }

  private void release(int loop) {
    shares[loop].add(-reserved[loop]);
    shares[loop].unreserve(reserved[loop]);
    reserved[loop] = 0;
  }

  @Operation(nonParallelGroup = "one")
  public boolean reserveOnOne(@Param(name = "bytes") int bytes) {
    return reserve(0, bytes);
  }

  @Operation(nonParallelGroup = "one")
  public void releaseOnOne() {
    release(0);
  }

  @Operation(nonParallelGroup = "other")
  public boolean reserveOnOther(@Param(name = "bytes") int bytes) {
    return reserve(1, bytes);
  }

  @Operation(nonParallelGroup = "other")
  public void releaseOnOther() {
    release(1);
  }

  private static void check(Options<?, ?> options) {
    options
        .threads(2)
        .actorsPerThread(3)
        .iterations(8)
        .invocationsPerIteration(300)
        .sequentialSpecification(Memory.class)
        .check(MemoryShareInterleavings.class);
  }

  /** Fails if the threads see anything else. */
  public static void main(String[] arguments) {
    check(new StressOptions());
    check(new ModelCheckingOptions());
  }
}
