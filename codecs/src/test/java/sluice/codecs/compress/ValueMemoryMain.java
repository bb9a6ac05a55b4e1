package sluice.codecs.compress;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.internal.PlatformDependent;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.buffer.Replacement;
import sluice.codecs.buffer.Replacer;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.kafka.HeadersLayout;

/**
 * What is allocated for values that are worked on, in a JVM that does nothing else: {@code
 * ValueMemoryMain WORK VALUES LENGTH}. WORK is an algorithm, which compresses each value and
 * restores it, or REPLACE, or PLAIN. Values arrive in pieces of up to 64 KiB. Prints bytes of heap
 * a value, direct memory before and behind it all, and the largest in between.
 */
public final class ValueMemoryMain {
  private static final int PIECE = 65_536;
  private static final int WARM_UP = 2_000;

  /** The heap counts of the best of so many rounds; fewer when there are very many values. */
  private static final int ROUNDS = 30;

  private static final int MOST_VALUES = 100_000;

  /** So few bytes of heap a value end the measurement. */
  private static final long LOW = 50;

  private final ByteBufAllocator allocator = ByteBufAllocator.DEFAULT;
  private final Workspace workspace = Workspace.of(allocator);
  private final Compressor compressor = new Compressor(workspace);
  private final Replacer replacer =
      new Replacer(
          List.of(
              new Replacement("=value".getBytes(ISO_8859_1), "=another one".getBytes(ISO_8859_1))));
  private final SliceList value = new SliceList(workspace.slices());
  private final SliceList stored = new SliceList(workspace.slices());
  private final ByteBuf text;
  private final int length;
  private final String work;

  private ValueMemoryMain(String work, int length) {
    this.work = work;
    this.length = length;
    text = allocator.directBuffer(length, length);
    Random random = new Random(1);
    text.writeByte(0);
    while (text.isWritable(20)) {
      text.writeCharSequence("name" + random.nextInt(10_000) + "=value;", ISO_8859_1);
    }
    text.writeZero(text.writableBytes());
  }

  /** What is written at the top. */
  public static void main(String[] arguments) throws InterruptedException {
    PrintStream out = System.err;
    ValueMemoryMain main = new ValueMemoryMain(arguments[0], Integer.parseInt(arguments[2]));
    int values = Integer.parseInt(arguments[1]);
    main.work(WARM_UP);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long directBefore = PlatformDependent.usedDirectMemory();
    long most = 0;
    long heap = Long.MAX_VALUE;
    int rounds = Math.max(1, Math.min(ROUNDS, MOST_VALUES / values));
    for (int round = 0; round < rounds && heap > LOW; round++) {
      // on a busy machine the compiler may be late: it gets time to catch up
      TimeUnit.MILLISECONDS.sleep(round == 0 ? 0 : 200);
      long before = threads.getCurrentThreadAllocatedBytes();
      most = Math.max(most, main.work(values));
      heap = Math.min(heap, (threads.getCurrentThreadAllocatedBytes() - before) / values);
    }
    out.println("heap " + heap);
    out.println("direct " + directBefore + " " + PlatformDependent.usedDirectMemory() + " " + most);
  }

  private long work(int values) {
    long most = 0;
    for (int i = 0; i < values; i++) {
      for (int at = 0; at < length; at += PIECE) {
        int bytes = Math.min(PIECE, length - at);
        ByteBuf read = allocator.directBuffer(bytes);
        Bytes.append(text, at, bytes, read);
        value.add(read);
      }
      switch (work) {
        case "REPLACE" -> replace();
        case "PLAIN" -> value.skip(HeadersLayout.TIMESTAMPED_HEADERS.plainOffset(value));
        default -> compressAndRestore(Algorithm.valueOf(work));
      }
      if (value.length() + stored.length() < length - 9) {
        throw new IllegalStateException("something was lost");
      }
      value.clear();
      stored.clear();
      most = Math.max(most, PlatformDependent.usedDirectMemory());
    }
    return most;
  }

  private void compressAndRestore(Algorithm algorithm) {
    stored.add(compressor.compress(value, algorithm, Dictionaries.NONE, false, length * 9 / 10));
    value.clear();
    if (compressor.restore(stored, Dictionaries.NONE, length, value)
        != Compressor.Outcome.RESTORED) {
      throw new IllegalStateException("not restored");
    }
  }

  private void replace() {
    if (replacer.lengthAfter(value) <= length) {
      throw new IllegalStateException("nothing was replaced");
    }
    replacer.move(value, stored);
  }
}
