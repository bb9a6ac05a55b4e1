package sluice.perf.jmh;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import java.util.Locale;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.text.StorageLine;
import sluice.codecs.memcached.text.TextCommands;
import sluice.codecs.memcached.text.TextLine;
import sluice.names.Command;

/**
 * The line of a storage command, classic and meta: its tokens, its command, whether a server takes
 * it and how long the data block behind it is. Beside it the same by way of strings.
 */
public class StorageLineBenchmark extends CodecBenchmark {
  /** The line without its line end. */
  @Param({
    "set user:1234567890 5 86400 1024",
    "cas user:1234567890 4294967295 0 1048576 18446744073709551615 noreply",
    "ms user:1234567890 1024 T86400 F5 Oabc q"
  })
  public String line;

  private final TextLine tokens = new TextLine();
  private final StorageLine storage = new StorageLine();
  private ByteBuf in;

  /** Compares what both make of the line with what stands in it. */
  @Setup
  public void setup() {
    in = direct(line);
    long expected = line.startsWith("cas") ? ~1_048_576L : 1024;
    same(sluice(), expected, line);
    same(strings(), expected, line + " by way of strings");
  }

  /** Ours: bytes of the data block; all bits turned over if nothing is to be answered. */
  @Benchmark
  public long sluice() {
    tokens.wrap(in, 0, in.writerIndex());
    storage.read(tokens, TextCommands.of(tokens), ServerVersion.EMBEDDED);
    if (storage.error() != null) {
      return -1;
    }
    return storage.noreply() ? ~storage.dataLength() : storage.dataLength();
  }

  /** The line as a string, its tokens as strings, its command found by name. */
  @Benchmark
  public long strings() {
    String[] parts = in.toString(ISO_8859_1).split(" ", -1);
    Command command = Command.valueOf(parts[0].toUpperCase(Locale.ROOT));
    if (parts[1].length() > StorageLine.MAX_KEY) {
      return -1;
    }
    if (command == Command.MS) {
      for (int i = 3; i < parts.length; i++) {
        boolean wrong =
            switch (parts[i].charAt(0)) {
              case 'T' -> Long.parseLong(parts[i].substring(1)) > Integer.MAX_VALUE;
              case 'F' -> Long.parseUnsignedLong(parts[i].substring(1)) >>> 32 != 0;
              case 'O' -> parts[i].length() - 1 > StorageLine.MAX_OPAQUE;
              default -> false;
            };
        if (wrong) {
          return -1;
        }
      }
      return Integer.parseInt(parts[2]);
    }
    if (Long.parseUnsignedLong(parts[2]) >>> 32 != 0
        || Long.parseLong(parts[3]) > Integer.MAX_VALUE
        || (command == Command.CAS && Long.parseUnsignedLong(parts[5]) == 0)) {
      return -1;
    }
    int length = Integer.parseInt(parts[4]);
    return parts[parts.length - 1].equals("noreply") ? ~length : length;
  }
}
