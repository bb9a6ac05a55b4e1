package sluice.codecs.compress;

import com.github.luben.zstd.ZstdDictTrainer;
import com.github.luben.zstd.ZstdException;

/**
 * Trainer of a {@link ZstdDictionary} from samples of values. Zstandard recommends about a hundred
 * times as many bytes of samples as the dictionary has. One thread at a time.
 */
public final class DictionaryTrainer {
  /** The longest sample in bytes: a dictionary saves little on longer values. */
  public static final int LONGEST_SAMPLE = 16 * 1024;

  /** The fewest samples that a dictionary is trained from. */
  public static final int FEWEST_SAMPLES = 100;

  private static final int SAMPLE_BYTES_PER_BYTE = 100;

  private final int size;
  private final ZstdDictTrainer samples;
  private int count;

  /**
   * A trainer without samples, which has the memory for all of them.
   *
   * @param size the most bytes that the dictionary may have
   */
  public DictionaryTrainer(int size) {
    this.size = size;
    samples = new ZstdDictTrainer(sampleBytes(size), size, ZstdFrames.LEVEL);
  }

  /** The most bytes of samples for a dictionary of that size. */
  public static int sampleBytes(int size) {
    return Math.multiplyExact(size, SAMPLE_BYTES_PER_BYTE);
  }

  /**
   * Adds a sample of at most {@link #LONGEST_SAMPLE} bytes, which is copied.
   *
   * @return false if there is no room for it: there are enough
   */
  public boolean add(byte[] sample) {
    boolean added = samples.addSample(sample);
    if (added) {
      count++;
    }
    return added;
  }

  /** The number of samples. */
  public int count() {
    return count;
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
    try {
      return samples.trainSamples();
    } catch (ZstdException e) {
      throw new IllegalStateException(
          count
              + " samples do not make a dictionary of "
              + size
              + " bytes: Zstandard says '"
              + e.getMessage()
              + "'",
          e);
    }
  }
}
