package sluice.ring;

import com.datastax.oss.driver.api.core.ConsistencyLevel;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import sluice.gateway.cli.CommandLines;

/**
 * What a ring over two sites writes to the connection between them, with and without compression by
 * the gateways: prints a line for each, and records what the nodes sent. See perf/README.md.
 */
@Command(
    name = "WanLoad",
    customSynopsis = "WanLoad FILE DIVISOR",
    description = {
      "Writes to a ring over two sites, with and without compression between them.",
      "Prints a line for each kind of writes, and records what the nodes sent."
    },
    exitCodeList = {"0:all was written", "1:a write failed", "2:the command line is wrong"})
final class WanLoad implements Callable<Integer> {

  private static final String TABLE = Ring.KEYSPACE + ".wan";
  private static final int NOISE = 0; // percent that repeats

  /** Acknowledgements come late, up to 40 ms. */
  private static final long SETTLED_MILLIS = 500;

  /** Whose values are written. */
  private enum Content {
    /** Records as text. */
    TEXT,
    /** What LZ4 finds nothing in. */
    RANDOM
  }

  /**
   * Writes of one kind.
   *
   * @param length of a value, in bytes
   * @param parallel how many are under way at the same time
   */
  private record Load(Content content, int length, int parallel, int rows) {

    String name() {
      return content.name().toLowerCase(Locale.ROOT) + "-" + length + "-x" + parallel;
    }

    ByteBuffer value(long key) {
      return content == Content.RANDOM
          ? Values.of(key, length, NOISE)
          : ByteBuffer.wrap(Texts.of(key, length).getBytes(StandardCharsets.US_ASCII));
    }

    void write(Coordinator coordinator, int from, int to) {
      InFlight.all(
          from,
          to,
          parallel,
          key ->
              coordinator.askAsync(
                  ConsistencyLevel.ALL,
                  "INSERT INTO " + TABLE + " (k, v) VALUES (?, ?)",
                  key,
                  value(key)));
    }
  }

  private static final List<Load> LOADS =
      List.of(
          new Load(Content.TEXT, 200, 128, 20_000),
          new Load(Content.TEXT, 1024, 128, 10_000),
          new Load(Content.TEXT, 1024, 8, 10_000),
          new Load(Content.TEXT, 8192, 64, 4_000),
          new Load(Content.TEXT, 100_000, 8, 500),
          new Load(Content.RANDOM, 1024, 128, 10_000));

  private final PrintStream out;

  @Parameters(index = "0", paramLabel = "FILE", description = "to record to")
  private Path file;

  @Parameters(
      index = "1",
      paramLabel = "DIVISOR",
      converter = WorkloadCommand.PositiveCountConverter.class,
      description = "of the numbers of rows")
  private int divisor;

  private WanLoad(PrintStream out) {
    this.out = out;
  }

  public static void main(String[] arguments) {
    System.exit(commandLine(System.out, System.err).execute(arguments));
  }

  static CommandLine commandLine(PrintStream out, PrintStream err) {
    return CommandLines.of(CommandSpec.forAnnotatedObject(new WanLoad(out)), out, err);
  }

  @Override
  public Integer call() throws IOException {
    List<Load> loads = new ArrayList<>();
    for (Load load : LOADS) {
      loads.add(new Load(load.content, load.length, load.parallel, load.rows / divisor));
    }
    CassandraRelease release = CassandraRelease.underTest().findFirst().orElseThrow();
    Path directory = Ring.newDirectory("wan");
    Wan[] wan = new Wan[1];
    try (Recording recording = new Recording(file);
        Ring ring =
            Ring.behind(
                release,
                directory,
                Framing.CRC,
                Framing.CRC,
                links -> wan[0] = new Wan(directory, links))) {
      out.println("cassandra=" + release.version());
      ring.form(Framing.SAME);
      ring.change(0, "CREATE TABLE " + TABLE + " (k bigint PRIMARY KEY, v blob)");
      run("none", ring, wan[0], loads);
      ring.cut();
      ring.join(Framing.LZ4);
      run("lz4", ring, wan[0], loads);
      ring.cut();
      wan[0].record(recording);
      ring.join(Framing.SAME);
      for (Load load : loads) {
        recording.mark(load.name());
        load.write(ring.coordinator(0), 0, load.rows);
      }
      recording.mark("");
    }
    return CommandLines.FINE;
  }

  private void run(String compression, Ring ring, Wan wan, List<Load> loads) {
    for (Load load : loads) {
      load.write(ring.coordinator(0), 0, load.rows / 2); // warms the gateways up
    }
    for (Load load : loads) {
      Wan.Counts start = settled(wan);
      long began = System.nanoTime();
      load.write(ring.coordinator(0), 0, load.rows);
      double seconds = (System.nanoTime() - began) / (double) TimeUnit.SECONDS.toNanos(1);
      Wan.Counts counts = settled(wan).since(start);
      out.printf(
          Locale.ROOT,
          "run=%s load=%s rows=%d seconds=%.1f messages=%d before=%d after=%d kernel=%d frames=%d"
              + " cpu_us=%.2f%n",
          compression,
          load.name(),
          load.rows,
          seconds,
          counts.messages(),
          counts.before(),
          counts.after(),
          counts.kernel(),
          counts.frames(),
          counts.cpu().toNanos() / 1e3 / counts.messages());
    }
  }

  private static Wan.Counts settled(Wan wan) {
    try {
      TimeUnit.MILLISECONDS.sleep(SETTLED_MILLIS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return wan.counts();
  }
}
