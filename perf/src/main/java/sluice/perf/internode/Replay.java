package sluice.perf.internode;

import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import sluice.names.build.AllowedHere;

/**
 * Replay of reads that {@code perf/wan} recorded between nodes and gateways, with compression. Each
 * read is compressed twice: as a gateway does it, which joins its adjacent self-contained frames,
 * and frame by frame. The result is decompressed and must contain the same messages.
 */
public final class Replay {
  private static final int PASSES = 6; // the fastest of them counts

  private Replay() {}

  /** Replays a file. */
  @AllowedHere("a command line writes to its terminal")
  public static void main(String[] arguments) throws IOException {
    InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
    System.exit(run(Path.of(arguments[0]), System.out));
  }

  private static int run(Path file, PrintStream out) throws IOException {
    ReplayPass apart = null;
    ReplayPass joined = null;
    for (int pass = 0; pass < PASSES; pass++) {
      apart = new ReplayPass(false).play(file).faster(apart);
      joined = new ReplayPass(true).play(file).faster(joined);
    }
    for (Map.Entry<String, ReplayPass.Sums> entry : apart.sums().entrySet()) {
      ReplayPass.Sums one = entry.getValue();
      ReplayPass.Sums other = joined.sums().get(entry.getKey());
      if (!one.in.areSame(one.out) || !other.in.areSame(other.out) || !one.in.areSame(other.in)) {
        out.println("FAILED: other messages came out than went in, of " + entry.getKey());
        return 1;
      }
      out.println(
          String.format(
              Locale.ROOT,
              "replay=%s messages=%d bytes=%d apart=%d apart_frames=%d apart_us=%.3f"
                  + " joined=%d joined_frames=%d joined_us=%.3f",
              entry.getKey(),
              one.in.count,
              one.bytesIn,
              one.bytesOut,
              one.framesOut,
              one.nanos / 1e3 / one.in.count,
              other.bytesOut,
              other.framesOut,
              other.nanos / 1e3 / other.in.count));
    }
    return 0;
  }
}
