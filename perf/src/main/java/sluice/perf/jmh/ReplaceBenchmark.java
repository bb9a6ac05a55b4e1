package sluice.perf.jmh;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import sluice.codecs.buffer.ByteSearch;
import sluice.codecs.buffer.Bytes;
import sluice.codecs.buffer.Replacement;
import sluice.codecs.buffer.Replacer;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.buffer.Slices;

/**
 * Replacement of a string by a longer one, once in 4 KiB, in a message that arrived in several
 * buffers. It compares ours, Netty's composite buffers with Netty's own search, and a copy into one
 * new buffer with our search. The result is released.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ReplaceBenchmark {
  private static final int APART = 4096;
  private static final byte[] FIND = "http://old.example/".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] WITH = "https://www.new.example/".getBytes(StandardCharsets.US_ASCII);

  /** Length of the message in bytes. */
  @Param({"4096", "65536", "1048576"})
  public int length;

  /** How many it arrived in. */
  @Param({"1", "16", "64"})
  public int buffers;

  private final ByteBufAllocator allocator = ByteBufAllocator.DEFAULT;
  private final Slices slices = new Slices();
  private final SliceList value = new SliceList(slices);
  private final SliceList out = new SliceList(slices);
  private final Replacer replacer = new Replacer(List.of(new Replacement(FIND, WITH)));
  private final ByteSearch search = new ByteSearch(FIND);
  private final ByteBuf find = Unpooled.wrappedBuffer(FIND);
  private ByteBuf with;
  private ByteBuf[] arrived;
  private int[] offsets;

  /** Makes a message of words, and compares what comes out of all ways. */
  @Setup
  public void setup() {
    with = allocator.directBuffer(WITH.length).writeBytes(WITH);
    StringBuilder text = new StringBuilder();
    Random random = new Random(length);
    while (text.length() < length) {
      text.append("{\"id\":")
          .append(random.nextInt(1_000_000))
          .append(",\"name\":\"some words\"},");
    }
    for (int at = APART / 2; at < length; at += APART) {
      text.replace(at, at + FIND.length, new String(FIND, StandardCharsets.US_ASCII));
    }
    byte[] bytes = text.substring(0, length).getBytes(StandardCharsets.US_ASCII);
    arrived = new ByteBuf[buffers];
    offsets = new int[length / APART + 1];
    int each = length / buffers;
    for (int i = 0; i < buffers; i++) {
      arrived[i] = allocator.directBuffer(each).writeBytes(bytes, i * each, each);
    }
    String expected =
        text.substring(0, length)
            .replace(
                new String(FIND, StandardCharsets.US_ASCII),
                new String(WITH, StandardCharsets.US_ASCII));
    ByteBuf ours = allocator.buffer();
    replace();
    for (int i = 0; i < out.count(); i++) {
      ours.writeBytes(out.get(i).duplicate());
    }
    out.clear();
    require(ours, expected);
    require(composed(), expected);
    require(copied(), expected);
  }

  private static void require(ByteBuf bytes, String expected) {
    if (!bytes.toString(StandardCharsets.US_ASCII).equals(expected)) {
      throw new IllegalStateException("something else came out than expected");
    }
    bytes.release();
  }

  /** Gives the buffers back. */
  @TearDown
  public void tearDown() {
    for (ByteBuf buffer : arrived) {
      buffer.release();
    }
    with.release();
  }

  private void fill() {
    for (ByteBuf buffer : arrived) {
      value.add(slices.take(buffer, 0, buffer.readableBytes()));
    }
  }

  private void replace() {
    fill();
    replacer.lengthAfter(value);
    replacer.move(value, out);
  }

  private ByteBuf composed() {
    CompositeByteBuf in = allocator.compositeBuffer(buffers);
    for (ByteBuf buffer : arrived) {
      in.addComponent(true, buffer.retainedSlice());
    }
    CompositeByteBuf composed = allocator.compositeBuffer(Integer.MAX_VALUE);
    while (true) {
      int found = ByteBufUtil.indexOf(find, in);
      if (found < 0) {
        break;
      }
      composed.addComponent(true, in.readRetainedSlice(found - in.readerIndex()));
      composed.addComponent(true, with.retainedSlice());
      in.skipBytes(FIND.length);
    }
    return composed.addComponent(true, in);
  }

  private ByteBuf copied() {
    fill();
    int found = 0;
    search.begin(value);
    for (int next = search.next(0); next != ByteSearch.NONE; next = search.next(next + 1)) {
      offsets[found++] = next;
    }
    int most = length + found * (WITH.length - FIND.length);
    ByteBuf copied = allocator.directBuffer(most);
    int at = 0;
    for (int i = 0; i < found; i++) {
      copy(offsets[i] - at, copied);
      value.skip(FIND.length);
      Bytes.append(with, 0, WITH.length, copied);
      at = offsets[i] + FIND.length;
    }
    copy(length - at, copied);
    return copied;
  }

  private void copy(int bytes, ByteBuf to) {
    int index = to.writerIndex();
    value.getBytes(0, to, index, bytes);
    to.writerIndex(index + bytes);
    value.skip(bytes);
  }

  /** Ours. */
  @Benchmark
  public int sluice() {
    replace();
    int bytes = out.length();
    out.clear();
    return bytes;
  }

  /** Netty's composite buffers, used the plain way. */
  @Benchmark
  public int composite() {
    ByteBuf composed = composed();
    int bytes = composed.readableBytes();
    composed.release();
    return bytes;
  }

  /** One new buffer. */
  @Benchmark
  public int copying() {
    ByteBuf copied = copied();
    int bytes = copied.readableBytes();
    copied.release();
    return bytes;
  }
}
