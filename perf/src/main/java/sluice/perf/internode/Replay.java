package sluice.perf.internode;

import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import sluice.gateway.cli.CommandLines;
import sluice.names.build.AllowedHere;

/**
 * Replay of reads that {@code perf/wan} recorded between nodes and gateways, with compression. Each
 * read is compressed twice: as a gateway does it, which joins its adjacent self-contained frames,
 * and frame by frame. The result is decompressed and must contain the same messages.
 */
@AllowedHere("a command line writes to its terminal")
@Command(
    name = "Replay",
    customSynopsis = "Replay FILE",
    description = {
      "Compresses a recording again, frame by frame and with joined frames.",
      "Prints one line for each load: bytes, frames, time per message."
    },
    exitCodeList = {
      "0:the result has the same messages",
      "1:it has other messages, or the file cannot be read",
      "2:the command line is wrong"
    })
public final class Replay implements Callable<Integer> {
  private static final int PASSES = 6; // the fastest of them counts

  private final PrintStream out;

  @Parameters(paramLabel = "FILE", description = "recording of perf/wan")
  private Path file;

  private Replay(PrintStream out) {
    this.out = out;
  }

  /** Replays a file. */
  public static void main(String[] arguments) {
    InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
    System.exit(run(System.out, arguments));
  }

  /** Replays one and prints to out. */
  static int run(PrintStream out, String... arguments) {
    return commandLine(out).execute(arguments);
  }

  static CommandLine commandLine(PrintStream out) {
    return CommandLines.of(CommandSpec.forAnnotatedObject(new Replay(out)), out, out);
  }

  @Override
  public Integer call() throws IOException {
    ReplayPass apart = new ReplayPass(false).play(file);
    ReplayPass joined = new ReplayPass(true).play(file);
    for (int pass = 1; pass < PASSES; pass++) {
      apart = new ReplayPass(false).play(file).faster(apart);
      joined = new ReplayPass(true).play(file).faster(joined);
    }
    for (Map.Entry<String, ReplayPass.Sums> entry : apart.sums().entrySet()) {
      ReplayPass.Sums one = entry.getValue();
      ReplayPass.Sums other = Objects.requireNonNull(joined.sums().get(entry.getKey()));
      if (!one.in.areSame(one.out) || !other.in.areSame(other.out) || !one.in.areSame(other.in)) {
        out.println("FAILED: other messages came out than went in, of " + entry.getKey());
        return CommandLines.FAILED;
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
    return CommandLines.FINE;
  }
}
