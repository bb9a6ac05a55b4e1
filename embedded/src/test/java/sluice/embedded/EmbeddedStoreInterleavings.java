package sluice.embedded;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;

/** The embedded store as sessions on several threads see it: each command takes effect at once. */
@Param(name = "key", gen = IntGen.class, conf = "0:1")
@Param(name = "digit", gen = IntGen.class, conf = "1:3")
public class EmbeddedStoreInterleavings {
  private static final InstantSource CLOCK = InstantSource.fixed(Instant.ofEpochSecond(2_000_000));

  private final EmbeddedStore store =
      new EmbeddedStore(400_000, 64 * 1024, CLOCK, new UnpooledByteBufAllocator(false, true));

  /** What sessions expect. */
  public static final class Items {
    private final Map<Integer, String> values = new HashMap<>();

    public String set(int key, int digit) {
      values.put(key, Integer.toString(digit));
      return "STORED";
    }

    public String get(int key) {
      String value = values.get(key);
      return value == null
          ? "END"
          : "VALUE k" + key + " 0 " + value.length() + " " + value + " END";
    }

    public String append(int key, int digit) {
      return values.computeIfPresent(key, (name, value) -> value + digit) == null
          ? "NOT_STORED"
          : "STORED";
    }

    public String increment(int key) {
      String value =
          values.computeIfPresent(key, (name, before) -> Long.toString(Long.parseLong(before) + 1));
      return value == null ? "NOT_FOUND" : value;
    }

    public String delete(int key) {
      return values.remove(key) == null ? "NOT_FOUND" : "DELETED";
    }
  }

  private String command(String text) {
    ByteBuf request = Unpooled.copiedBuffer(text, US_ASCII);
    ByteBuf reply = Unpooled.buffer();
    new EmbeddedSession(store).text(request, 0, request.readableBytes(), reply);
    return reply.toString(US_ASCII).trim().replace("\r\n", " ");
  }

  @Operation
  public String set(@Param(name = "key") int key, @Param(name = "digit") int digit) {
    return command("set k" + key + " 0 0 1\r\n" + digit + "\r\n");
  }

  @Operation
  public String get(@Param(name = "key") int key) {
    return command("get k" + key + "\r\n");
  }

  @Operation
  public String append(@Param(name = "key") int key, @Param(name = "digit") int digit) {
    return command("append k" + key + " 0 0 1\r\n" + digit + "\r\n");
  }

  @Operation
  public String increment(@Param(name = "key") int key) {
    return command("incr k" + key + " 1\r\n");
  }

  @Operation
  public String delete(@Param(name = "key") int key) {
    return command("delete k" + key + "\r\n");
  }

  @Validate
  public void release() {
    store.close();
  }

  /** Fails if the threads see anything else. */
  public static void main(String[] arguments) {
    new StressOptions()
        .threads(3)
        .actorsPerThread(2)
        .iterations(10)
        .invocationsPerIteration(200)
        .sequentialSpecification(Items.class)
        .check(EmbeddedStoreInterleavings.class);
  }
}
