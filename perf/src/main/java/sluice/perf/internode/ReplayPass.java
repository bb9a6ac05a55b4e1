package sluice.perf.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.compress.Workspace;
import sluice.codecs.internode.Frame;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Initiate;
import sluice.codecs.internode.MessageHeader;
import sluice.codecs.internode.MessageWalk;
import sluice.codecs.internode.Reframer;

/** One pass over a recording: what it compresses, and how long that took. */
final class ReplayPass {
  private static final int MARK = -1;
  private static final int MAX_READ = 1 << 20;
  private static final long MAX_MESSAGE = 128L << 20;

  private final Workspace workspace = Workspace.of(ByteBufAllocator.DEFAULT);
  private final boolean joins;
  private final Map<Integer, Stream> streams = new HashMap<>();
  private final Map<String, Sums> sums = new LinkedHashMap<>();
  private Sums current = new Sums();

  /** What one load came to. */
  static final class Sums {
    final Messages in = new Messages();
    final Messages out = new Messages();
    long bytesIn;
    long bytesOut;
    long framesOut;
    long nanos;
  }

  /** What messages were seen. */
  static final class Messages {
    long count;
    private long bytes;
    private long mixed; // ids and verbs in their order

    private boolean see(MessageHeader header) {
      count++;
      bytes += header.messageLength();
      mixed = 31 * mixed + 7 * header.id() + header.verb();
      return true;
    }

    boolean areSame(Messages other) {
      return count == other.count && bytes == other.bytes && mixed == other.mixed;
    }
  }

  /**
   * A pass that has not begun.
   *
   * @param joins whether neighbouring frames of a read are joined
   */
  ReplayPass(boolean joins) {
    this.joins = joins;
  }

  /** What each load came to, in the order of the recording. */
  Map<String, Sums> sums() {
    return sums;
  }

  /** Plays the whole recording, once. */
  ReplayPass play(Path file) throws IOException {
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

  /** The same, with the less of its times and those of another pass over the same recording. */
  ReplayPass faster(ReplayPass other) {
    sums.forEach(
        (load, one) ->
            one.nanos = Math.min(one.nanos, Objects.requireNonNull(other.sums.get(load)).nanos));
    return this;
  }

  /** What follows is of that load, or of none if it has no name. */
  private void mark(String load) {
    current = new Sums();
    if (!load.isEmpty()) {
      sums.put(load, current);
    }
  }

  /** What compresses a stream, and what undoes that. */
  private record Reframers(Reframer compressor, Reframer decompressor) {}

  /** What one initiator sent. */
  private final class Stream {
    private final SliceList queue =
        new SliceList(workspace.slices()); // of frames, where they are kept apart
    private final Frame frame = new Frame(Framing.CRC);
    private final ArrayDeque<ByteBuf> written = new ArrayDeque<>();
    private @Nullable Reframers reframers; // null for what is not compressed
    private boolean begun;

    private void read(byte[] recorded) {
      ByteBuf read = ByteBufAllocator.DEFAULT.directBuffer(recorded.length).writeBytes(recorded);
      if (!begun) {
        begin(read);
      }
      if (reframers == null) {
        read.release(); // a stream of files, or no framing that is compressed
        return;
      }
      Reframer compressor = reframers.compressor;
      current.bytesIn += read.readableBytes();
      long frames = compressor.framesWritten();
      if (joins) {
        compress(compressor, read);
      } else {
        queue.addRead(read);
        while (queue.length() >= Framing.CRC.headerLength()
            && queue.length() >= frame.wrap(queue, 0).length()) {
          queue.moveTo(bytes -> compress(compressor, bytes), frame.length());
        }
      }
      current.framesOut += compressor.framesWritten() - frames;
      while (!written.isEmpty()) {
        ByteBuf block = written.poll();
        current.bytesOut += block.readableBytes();
        reframers.decompressor.read(block);
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
      Reframer compressor =
          Reframer.observing(
              Framing.CRC,
              Framing.LZ4,
              new MessageWalk(version, MAX_MESSAGE, header -> current.in.see(header)),
              workspace,
              written::add);
      Reframer decompressor =
          Reframer.observing(
              Framing.LZ4,
              Framing.UNPROTECTED,
              new MessageWalk(version, MAX_MESSAGE, header -> current.out.see(header)),
              workspace,
              ByteBuf::release);
      reframers = new Reframers(compressor, decompressor);
    }

    private void compress(Reframer compressor, ByteBuf bytes) {
      long start = System.nanoTime();
      compressor.read(bytes);
      current.nanos += System.nanoTime() - start;
    }

    private void close() {
      queue.clear();
      if (reframers != null) {
        reframers.compressor.close();
        reframers.decompressor.close();
      }
    }
  }
}
