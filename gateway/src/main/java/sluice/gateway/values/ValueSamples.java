package sluice.gateway.values;

import io.netty.buffer.Unpooled;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.compress.DictionaryTrainer;

/**
 * Samples of the values that a pool compresses, for a dictionary that is being trained. They are
 * spread over the time of the recording, one recording at a time. Thread safe: all event loops
 * offer their values.
 */
public final class ValueSamples {
  private volatile @Nullable Recording recording;

  /** One recording; its monitor guards all but the final fields. */
  private static final class Recording {
    private final DictionaryTrainer trainer;
    private final long most;
    private final long began = System.nanoTime();
    private final long nanos;
    private long taken; // bytes

    Recording(int size, int seconds) {
      trainer = new DictionaryTrainer(size);
      most = DictionaryTrainer.sampleBytes(size);
      nanos = TimeUnit.SECONDS.toNanos(seconds);
    }

    synchronized void offer(SliceList value) {
      int length = value.length();
      double passed = (double) (System.nanoTime() - began) / nanos;
      if (taken + length > most * Math.min(1, passed)) {
        return;
      }
      byte[] sample = new byte[length];
      value.getBytes(0, Unpooled.wrappedBuffer(sample), 0, length);
      if (trainer.add(sample)) {
        taken += length;
      }
    }
  }

  /**
   * Begins a recording, which allocates the memory for all samples.
   *
   * @param size the most bytes that the dictionary may have
   * @param seconds over which the samples are spread
   * @return whether it began: false if there is one already
   */
  public synchronized boolean begin(int size, int seconds) {
    if (recording != null) {
      return false;
    }
    recording = new Recording(size, seconds);
    return true;
  }

  /**
   * Ends the recording.
   *
   * @return the trainer with its samples; no event loop uses it any more
   * @throws IllegalStateException if there is no recording
   */
  public synchronized DictionaryTrainer end() {
    Recording ended = recording;
    if (ended == null) {
      throw new IllegalStateException("expected a recording, found none");
    }
    recording = null;
    synchronized (ended) { // an event loop may be adding a sample
      return ended.trainer;
    }
  }

  /** Offers a value. Borrows it. */
  void offer(SliceList value) {
    Recording now = recording;
    if (now != null && value.length() <= DictionaryTrainer.LONGEST_SAMPLE) {
      now.offer(value);
    }
  }
}
