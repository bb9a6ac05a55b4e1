package sluice.perf.jmh;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import java.util.regex.Pattern;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.buffer.Slices;
import sluice.codecs.memcached.CountableValue;

/** Whether memcached may count with a value, which must not be compressed then. */
public class CountableValueBenchmark extends CodecBenchmark {
  private static final Pattern COUNTABLE = Pattern.compile("\\s*[+-]?\\d+(?:[\\s\\x00].*)?");

  /** The value. */
  @Param({"1234567890", "{\"id\":1234567890,\"name\":\"some words\"}"})
  public String value;

  private final Slices slices = new Slices();
  private final SliceList queue = new SliceList(slices);
  private ByteBuf in;

  /** Compares both. */
  @Setup
  public void setup() {
    in = direct(value);
    boolean expected = Character.isDigit(value.charAt(0));
    same(sluice(), expected, value);
    same(regex(), expected, value + " by a regular expression");
  }

  /** Ours. */
  @Benchmark
  public boolean sluice() {
    queue.add(slices.take(in, 0, in.readableBytes()));
    boolean countable = CountableValue.is(queue);
    queue.clear();
    return countable;
  }

  /** A string and a regular expression. */
  @Benchmark
  public boolean regex() {
    return COUNTABLE.matcher(in.toString(ISO_8859_1)).matches();
  }
}
