package sluice.perf.jmh;

import io.netty.buffer.ByteBuf;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.IovArray;
import java.io.IOException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.buffer.Slices;

/**
 * A choice between two ways out for ranges of a buffer that was read: each as a slice and a piece
 * of a gathering write, or copied behind each other and written as one. From how many bytes on
 * slices are cheaper is {@link SliceList#COPIED_BELOW}. What is written goes nowhere: a socket's
 * kernel copies the same bytes in either case.
 */
public class CopyThresholdBenchmark extends CodecBenchmark {
  private static final int RANGES = 16;

  /** Between two ranges, so that they are not neighbours. */
  private static final int APART = 64;

  /** Of each range. */
  @Param({"64", "128", "256", "512", "1024", "2048", "4096"})
  public int bytes;

  private final Slices slices = new Slices();
  private final SliceList list = new SliceList(slices);
  private ByteBuf read;
  private IovArray pieces;
  private FileDescriptor nowhere;

  /** Compares what leaves in the two ways. */
  @Setup
  public void setup() throws IOException {
    int length = RANGES * (bytes + APART);
    read = direct(length);
    for (int i = 0; i < length; i++) {
      read.writeByte(i * 31 >> 3);
    }
    pieces = new IovArray(RANGES);
    nowhere = FileDescriptor.from("/dev/null");
    addSlices();
    ByteBuf sliced = direct(RANGES * bytes);
    list.appendTo(sliced);
    same(list.count(), RANGES, "slices");
    list.clear();
    addCopies();
    ByteBuf copied = direct(RANGES * bytes);
    list.appendTo(copied);
    same(list.count(), 1, "buffers that were copied into");
    list.clear();
    sameBytes(sliced, copied, "the ranges");
    same(slices(), (long) RANGES * bytes, "bytes written as slices");
    same(copies(), (long) RANGES * bytes, "bytes written as a copy");
  }

  /** Closes what was opened. */
  @TearDown
  public void close() throws IOException {
    pieces.release();
    nowhere.close();
  }

  private void addSlices() {
    for (int i = 0; i < RANGES; i++) {
      list.addSlice(read, i * (bytes + APART), bytes);
    }
  }

  private void addCopies() {
    for (int i = 0; i < RANGES; i++) {
      list.copy(read, i * (bytes + APART), bytes, allocator, RANGES * bytes, RANGES * bytes);
    }
  }

  private long written() throws IOException {
    pieces.clear();
    for (int i = 0; i < list.count(); i++) {
      ByteBuf piece = list.get(i);
      pieces.add(piece, piece.readerIndex(), piece.readableBytes());
    }
    long written = nowhere.writevAddresses(pieces.memoryAddress(0), pieces.count());
    list.clear();
    return written;
  }

  /** Each a slice. */
  @Benchmark
  public long slices() throws IOException {
    addSlices();
    return written();
  }

  /** All in one buffer. */
  @Benchmark
  public long copies() throws IOException {
    addCopies();
    return written();
  }
}
