package sluice.gateway.near;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import sluice.codecs.buffer.SliceList;
import sluice.embedded.NearItems;

/**
 * The near cache in front of a server, as clients of several loops see the two: like one variable
 * for each key. A read never gets a value that is older than a write that has ended.
 */
@Param(name = "key", gen = IntGen.class, conf = "0:1")
@Param(name = "value", gen = IntGen.class, conf = "1:3")
public class NearCacheInterleavings {
  private static final long NOW = 5;
  private static final int LENGTH = 2; // of a key

  private final NearCache cache =
      new NearCache(64 * 1024, 1_000, 0, new UnpooledByteBufAllocator(false, true));
  private final AtomicIntegerArray server = new AtomicIntegerArray(2);

  /** What clients expect: one variable for each key. */
  public static final class Variables {
    private final int[] values = new int[2];

    public void write(int key, int value) {
      values[key] = value;
    }

    public int read(int key) {
      return values[key];
    }
  }

  private static ByteBuf bytes(String text) {
    return Unpooled.copiedBuffer(text, US_ASCII);
  }

  private static ByteBuf key(int key) {
    return bytes("k" + key);
  }

  @Operation
  public void write(@Param(name = "key") int key, @Param(name = "value") int value) {
    int hash = NearCache.hash(key(key), 0, LENGTH);
    cache.begin(hash);
    server.set(key, value);
    cache.end(hash);
  }

  @Operation
  public int read(@Param(name = "key") int key) {
    int hash = NearCache.hash(key(key), 0, LENGTH);
    SingleFlight flight = null;
    NearCache.Part part = cache.lock(hash);
    try {
      int item = part.find(hash, key(key), 0, LENGTH, NOW);
      if (item != NearItems.NONE) {
        ByteBuf value = Unpooled.buffer();
        part.items().readValue(item, value);
        return Integer.parseInt(value.toString(US_ASCII));
      }
      if (part.isQuiet(hash)) {
        SingleFlight.Key name = new SingleFlight.Key(key(key), 0, LENGTH, hash);
        flight = new SingleFlight(cache, part, name, hash, NOW, false, null);
      }
    } finally {
      part.unlock();
    }
    int value = server.get(key);
    if (flight != null) {
      keep(flight, value);
    }
    return value;
  }

  private void keep(SingleFlight flight, int value) {
    SliceList slices = new SliceList();
    slices.add(bytes(Integer.toString(value)));
    NearCache.Part part = cache.lock(flight.hash());
    try {
      part.put(flight, 0, 1, slices);
      part.remove(flight);
    } finally {
      part.unlock();
      slices.clear();
    }
  }

  @Validate
  public void release() {
    cache.close();
  }

  /** Fails if the threads see anything else. */
  public static void main(String[] arguments) {
    new StressOptions()
        .threads(3)
        .actorsPerThread(2)
        .actorsBefore(1)
        .actorsAfter(1)
        .iterations(8)
        .invocationsPerIteration(300)
        .sequentialSpecification(Variables.class)
        .check(NearCacheInterleavings.class);
  }
}
