package sluice.perf.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.compress.Workspace;
import sluice.codecs.internode.Frame;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Initiate;
import sluice.codecs.internode.MessageHeader;
import sluice.codecs.internode.MessageWalk;
import sluice.codecs.internode.Reframer;
import sluice.names.build.AllowedHere;

/**
 * Replay of reads that {@code perf/wan} recorded between nodes and gateways, with compression. Each
 * read is compressed twice: as a gateway does it, which joins its adjacent self-contained frames,
 * and frame by frame. The result is decompressed and must contain the same messages.
 */
public final class Replay {
  private static final int MARK = -1;
  private static final int MAX_READ = 1 << 20;
  private static final long MAX_MESSAGE = 128L << 20;
  private static final int PASSES = 6; // the fastest of them counts

  private final Workspace workspace = Workspace.of(ByteBufAllocator.DEFAULT);
  private final boolean joins;
  private final Map<Integer, Stream> streams = new HashMap<>();
  private final Map<String, Sums> sums = new LinkedHashMap<>();
  private Sums current = new Sums();

  /** What one load came to. */
  private static final class Sums {
    private final Messages in = new Messages();
    private final Messages out = new Messages();
    private long bytesIn;
    private long bytesOut;
    private long framesOut;
    private long nanos;
  }

  /** What messages were seen. */
  private static final class Messages {
    private long count;
    private long bytes;
    private long mixed; // ids and verbs in their order

    private boolean see(MessageHeader header) {
      count++;
      bytes += header.messageLength();
      mixed = 31 * mixed + 7 * header.id() + header.verb();
      return true;
    }

    private boolean areSame(Messages other) {
      return count == other.count && bytes == other.bytes && mixed == other.mixed;
    }
  }

  private Replay(boolean joins) {
    this.joins = joins;
  }

  /** Replays a file. */
  @AllowedHere("a command line writes to its terminal")
  public static void main(String[] arguments) throws IOException {
    InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
    System.exit(run(Path.of(arguments[0]), System.out));
  }

  private static int run(Path file, PrintStream out) throws IOException {
    Replay apart = null;
    Replay joined = null;
    for (int pass = 0; pass < PASSES; pass++) {
      apart = new Replay(false).play(file).faster(apart);
      joined = new Replay(true).play(file).faster(joined);
    }
    for (Map.Entry<String, Sums> entry : apart.sums.entrySet()) {
      Sums one = entry.getValue();
      Sums other = joined.sums.get(entry.getKey());
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

  private Replay play(Path file) throws IOException {
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(file), MAX_READ))) {
      while (true) {
        int connection = in.readInt();
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        if (connection == MARK) {
          mark(new String(bytes, StandardCharsets.UTF_8));
        } else {
          streams.computeIfAbsent(connection, c -> new Stream()).read(bytes);
        }
      }
    } catch (EOFException e) {
      // the end of the recording
    }
    streams.values().forEach(Stream::close);
    workspace.scratch().release();
    return this;
  }

  /**
   * The same, with the less of its gateway latency and the other's; of one that is not there, its
   * own.
   */
  private Replay faster(Replay other) {
    if (other != null) {
      sums.forEach((load, one) -> one.nanos = Math.min(one.nanos, other.sums.get(load).nanos));
    }
    return this;
  }

  /** What follows is of that load, or of none if it has no name. */
  private void mark(String load) {
    current = new Sums();
    if (!load.isEmpty()) {
      sums.put(load, current);
    }
  }

  /** What one initiator sent. */
  private final class Stream {
    private final SliceList queue =
        new SliceList(workspace.slices()); // of frames, where they are kept apart
    private final Frame frame = new Frame(Framing.CRC);
    private final ArrayDeque<ByteBuf> written = new ArrayDeque<>();
    private Reframer compressor;
    private Reframer decompressor;
    private boolean begun;

    private void read(byte[] bytes) {
      ByteBuf read = ByteBufAllocator.DEFAULT.directBuffer(bytes.length).writeBytes(bytes);
      if (!begun) {
        begin(read);
      }
      if (compressor == null) {
        read.release(); // a stream of files, or no framing that is compressed
        return;
      }
      current.bytesIn += read.readableBytes();
      long frames = compressor.framesWritten();
      if (joins) {
        compress(read);
      } else {
        queue.addRead(read);
        while (queue.length() >= Framing.CRC.headerLength()
            && queue.length() >= frame.wrap(queue, 0).length()) {
          queue.moveTo(this::compress, frame.length());
        }
      }
      current.framesOut += compressor.framesWritten() - frames;
      while (!written.isEmpty()) {
        ByteBuf block = written.poll();
        current.bytesOut += block.readableBytes();
        decompressor.read(block);
      }
    }

    /** The handshake, which nodes send alone: they wait for its answer. */
    private void begin(ByteBuf read) {
      begun = true;
      Initiate initiate = new Initiate().wrap(read, read.readerIndex());
      read.skipBytes(initiate.length());
      if (initiate.isLegacy() || initiate.isStreaming() || initiate.framing() != Framing.CRC) {
        return;
      }
      int version = initiate.maxVersion();
      compressor =
          Reframer.observing(
              Framing.CRC,
              Framing.LZ4,
              new MessageWalk(version, MAX_MESSAGE, header -> current.in.see(header)),
              workspace,
              written::add);
      decompressor =
          Reframer.observing(
              Framing.LZ4,
              Framing.UNPROTECTED,
              new MessageWalk(version, MAX_MESSAGE, header -> current.out.see(header)),
              workspace,
              ByteBuf::release);
    }

    private void compress(ByteBuf bytes) {
      long start = System.nanoTime();
      compressor.read(bytes);
      current.nanos += System.nanoTime() - start;
    }

    private void close() {
      queue.clear();
      if (compressor != null) {
        compressor.close();
        decompressor.close();
      }
    }
  }
}
