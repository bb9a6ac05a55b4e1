package sluice.perf.jmh;

import io.netty.buffer.ByteBuf;
import io.netty.channel.epoll.Epoll;
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
 * Comparison of two ways to write ranges of a buffer: as slices in a gathering write, or copied
 * into one buffer. {@link SliceList#COPIED_BELOW} is the length from which slices are cheaper. The
 * bytes go to /dev/null: a socket's kernel would copy the same bytes in either case.
 */
public class CopyThresholdBenchmark extends CodecBenchmark {
  private static final int RANGES = 16;

  /** Distance between two ranges, so that they are not adjacent. */
  private static final int APART = 64;

  /** Length of each range, in bytes. */
  @Param({"64", "128", "256", "512", "1024", "2048", "4096"})
  public int bytes;

  private final Slices slices = new Slices();
  private final SliceList list = new SliceList(slices);
  private ByteBuf read;
  private IovArray ranges;
  private FileDescriptor nowhere;

  /** Checks that both ways write the same bytes. */
  @Setup
  public void setup() throws IOException {
    int length = RANGES * (bytes + APART);
    read = direct(length);
    for (int i = 0; i < length; i++) {
      read.writeByte((i * 31) >> 3);
    }
    Epoll.ensureAvailability(); // loads the library that the next two are of
    ranges = new IovArray(RANGES);
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

  /** Releases the buffers. */
  @TearDown
  public void close() throws IOException {
    ranges.release();
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
    ranges.clear();
    for (int i = 0; i < list.count(); i++) {
      ByteBuf slice = list.get(i);
      ranges.add(slice, slice.readerIndex(), slice.readableBytes());
    }
    long written = nowhere.writevAddresses(ranges.memoryAddress(0), ranges.count());
    list.clear();
    return written;
  }

  /** Writes each range as a slice. */
  @Benchmark
  public long slices() throws IOException {
    addSlices();
    return written();
  }

  /** Writes all ranges from one buffer. */
  @Benchmark
  public long copies() throws IOException {
    addCopies();
    return written();
  }
}
