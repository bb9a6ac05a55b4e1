package sluice.codecs.compress;

import com.github.luben.zstd.Zstd;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.Arrays;
import sluice.codecs.buffer.SliceList;

/**
 * Trainer of a {@link ZstdDictionary} from samples of values. Zstandard recommends samples of about
 * a hundred times the dictionary's size. One thread at a time; the last one closes it.
 */
public final class DictionaryTrainer implements AutoCloseable {
  /** The longest sample in bytes: a dictionary saves little on longer values. */
  public static final int LONGEST_SAMPLE = 16 * 1024;

  /** The fewest samples that a dictionary is trained from. */
  public static final int FEWEST_SAMPLES = 100;

  private static final int SAMPLE_BYTES_PER_BYTE = 100;
  private static final int FIRST_LENGTHS = 1024;

  private final ByteBuf samples;
  private final ByteBuf dictionary;
  private int[] lengths = new int[FIRST_LENGTHS];
  private int count;

  /**
   * A trainer without samples, which has the memory for all of them.
   *
   * @param allocator of that memory, which is direct
   * @param size the most bytes that the dictionary may have
   */
  public DictionaryTrainer(ByteBufAllocator allocator, int size) {
    int bytes = Math.multiplyExact(size, SAMPLE_BYTES_PER_BYTE);
    samples = allocator.directBuffer(bytes, bytes);
    dictionary = allocator.directBuffer(size, size);
  }

  /**
   * Adds a sample of at most {@link #LONGEST_SAMPLE} bytes. Borrows it.
   *
   * @return false if there is no room for it: there are enough
   */
  public boolean add(SliceList sample) {
    int length = sample.length();
    if (length > samples.writableBytes()) {
      return false;
    }
    int from = samples.writerIndex();
    sample.getBytes(0, samples, from, length);
    samples.writerIndex(from + length);
    if (count == lengths.length) {
      lengths = Arrays.copyOf(lengths, 2 * count);
    }
    lengths[count++] = length;
    return true;
  }

  /** The number of samples. */
  public int count() {
    return count;
  }

  /** The bytes of all samples. */
  public int bytes() {
    return samples.readableBytes();
  }

  /** The most bytes of samples that it takes. */
  public int capacity() {
    return samples.capacity();
  }

  /**
   * Trains the dictionary, which takes up to some seconds.
   *
   * @return the content of its file
   * @throws IllegalStateException if the samples do not suffice; the message says why
   */
  public byte[] train() {
    if (count < FEWEST_SAMPLES) {
      throw new IllegalStateException(
          count + " samples, expected at least " + FEWEST_SAMPLES + " to train a dictionary from");
    }
    ByteBuffer from = samples.nioBuffer(0, samples.readableBytes()).slice();
    ByteBuffer to = dictionary.nioBuffer(0, dictionary.capacity()).slice();
    long length =
        Zstd.trainFromBufferDirect(
            from, Arrays.copyOf(lengths, count), to, false, ZstdFrames.LEVEL);
    if (Zstd.isError(length)) {
      throw new IllegalStateException(
          count
              + " samples are not suitable for a dictionary: Zstandard reports '"
              + Zstd.getErrorName(length)
              + "'");
    }
    byte[] content = new byte[(int) length];
    to.get(content);
    return content;
  }

  /** Releases the memory. */
  @Override
  public void close() {
    samples.release();
    dictionary.release();
  }
}
