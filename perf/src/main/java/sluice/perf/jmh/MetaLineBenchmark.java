package sluice.perf.jmh;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import sluice.codecs.memcached.text.MetaLine;
import sluice.codecs.memcached.text.TextCommands;
import sluice.codecs.memcached.text.TextLine;
import sluice.names.Command;

/** A meta request's line: its tokens, its command and the flags that a gateway must know. */
public class MetaLineBenchmark extends CodecBenchmark {
  /** The line without its line end. */
  @Param({"mg user:1234567890 v", "mg dXNlcjoxMjM0NTY3ODkw b t f v k c s q Oabcdef T30"})
  public String line;

  private final TextLine tokens = new TextLine();
  private final MetaLine flags = new MetaLine();
  private ByteBuf in;

  /** Compares what both make of the line. */
  @Setup
  public void setup() {
    in = direct(line);
    int expected = line.endsWith("T30") ? 10 << 16 | 9 << 8 | 0b1101 : 0xFFFF << 8 | 0b0010;
    same(sluice(), expected, line);
    same(strings(), expected, line + " by way of strings");
  }

  /** Ours: which tokens opaque and q are, and a bit for each other answer. */
  @Benchmark
  public int sluice() {
    tokens.wrap(in, 0, in.writerIndex());
    if (TextCommands.of(tokens) != Command.MG) {
      return -1;
    }
    flags.read(tokens, 2);
    return pack(
        flags.opaque(), flags.quiet(), flags.base64(), flags.returnsKey(), flags.leavesItem());
  }

  private static int pack(int opaque, int quiet, boolean base64, boolean key, boolean leaves) {
    boolean touches = !leaves;
    return (opaque & 0xFF) << 16
        | (quiet & 0xFF) << 8
        | (base64 ? 8 : 0)
        | (key ? 4 : 0)
        | (leaves ? 2 : 0)
        | (touches ? 1 : 0);
  }

  /** The line as a string, its tokens as strings. */
  @Benchmark
  public int strings() {
    String[] parts = in.toString(ISO_8859_1).split(" ", -1);
    if (!parts[0].equals("mg")) {
      return -1;
    }
    int opaque = -1;
    int quiet = -1;
    boolean base64 = false;
    boolean key = false;
    boolean leaves = true;
    for (int i = 2; i < parts.length; i++) {
      switch (parts[i].charAt(0)) {
        case 'O' -> opaque = i;
        case 'q' -> quiet = i;
        case 'b' -> base64 = true;
        case 'k' -> key = true;
        case 'N', 'R', 'T' -> leaves = false;
        default -> {
          // has no meaning here
        }
      }
    }
    return pack(opaque, quiet, base64, key, leaves);
  }
}
