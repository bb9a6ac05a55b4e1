package sluice.perf.jmh;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import sluice.codecs.buffer.KeyHash;
import sluice.codecs.memcached.text.TextReply;

/**
 * The line in front of a value: whether it is an error, whether it names the key that was asked
 * for, how long the value is.
 */
public class ReplyLineBenchmark extends CodecBenchmark {
  private static final int MISMATCH = -2;

  /** The key that was asked for. */
  @Param({"user:1234567890", "tenant:0123456789abcdef:session:0123456789abcdef0123456789abcdef"})
  public String key;

  private ByteBuf in;
  private long asked;
  private String askedString;

  /** Compares what both make of the line, and of one that names another key. */
  @Setup
  public void setup() {
    asked = hash(key);
    askedString = key;
    in = direct("VALUE " + key.replace("0", "1") + " 5 1048576 18446744073709551615");
    same(sluice(), MISMATCH, "another key");
    same(strings(), MISMATCH, "another key by way of strings");
    in = direct("SERVER_ERROR " + key + " 1 1");
    same(sluice(), -1, "an error");
    same(strings(), -1, "an error by way of strings");
    in = direct("VALUE " + key + " 5 1048576 18446744073709551615");
    same(sluice(), 1_048_576, "the value's length");
    same(strings(), 1_048_576, "the value's length by way of strings");
  }

  private long hash(String text) {
    ByteBuf buffer = direct(text);
    return KeyHash.of(buffer, 0, buffer.writerIndex());
  }

  /** Ours. */
  @Benchmark
  public int sluice() {
    int end = in.writerIndex();
    if (TextReply.isError(in, 0, end) || !TextReply.isValue(in, 0, end)) {
      return -1;
    }
    int keyEnd = TextReply.tokenEnd(in, 6, end);
    return KeyHash.of(in, 6, keyEnd) == asked ? TextReply.valueSize(in, keyEnd, end) : MISMATCH;
  }

  /** The line as a string, its tokens as strings. */
  @Benchmark
  public int strings() {
    String line = in.toString(ISO_8859_1);
    if (line.startsWith("ERROR") || line.startsWith("CLIENT_ERROR")) {
      return -1;
    }
    String[] parts = line.split(" ", -1);
    if (!parts[0].equals("VALUE")) {
      return -1;
    }
    return parts[1].equals(askedString) ? Integer.parseInt(parts[3]) : MISMATCH;
  }
}
