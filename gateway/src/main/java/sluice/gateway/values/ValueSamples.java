package sluice.gateway.values;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.SliceList;
import sluice.codecs.compress.DictionaryTrainer;
import sluice.gateway.net.Sockets;
import sluice.gateway.time.Clocks;

/**
 * Samples of the values that a pool compresses, for a dictionary that is being trained. They are
 * spread over the time of the recording, one recording at a time. Thread safe: all event loops
 * offer their values.
 */
public final class ValueSamples {
  private volatile @Nullable Recording recording;

  /** One recording. Its monitor guards the trainer until it is over. */
  private static final class Recording {
    private final DictionaryTrainer trainer;
    private final long began = Clocks.nanos();
    private final long nanos;
    private boolean over;

    Recording(int size, int seconds) {
      trainer = new DictionaryTrainer(Sockets.allocator(), size);
      nanos = TimeUnit.SECONDS.toNanos(seconds);
    }

    synchronized void offer(SliceList value) {
      // A value of any length is taken when it is time for one: short ones must not crowd out
      // others.
      double passed = (double) (Clocks.nanos() - began) / nanos;
      if (!over && trainer.bytes() < trainer.capacity() * Math.min(1, passed)) {
        trainer.add(value);
      }
    }

    synchronized DictionaryTrainer end() {
      over = true;
      return trainer;
    }
  }

  /**
   * Begins a recording, which allocates the memory for all samples.
   *
   * @param size the most bytes that the dictionary may have
   * @param seconds over which the samples are spread
   * @throws IllegalStateException if there is a recording already
   */
  public synchronized void begin(int size, int seconds) {
    if (recording != null) {
      throw new IllegalStateException("expected no recording, found one");
    }
    recording = new Recording(size, seconds);
  }

  /**
   * Ends the recording.
   *
   * @return the trainer with its samples, which the caller owns; no event loop uses it any more
   * @throws IllegalStateException if there is no recording
   */
  public synchronized DictionaryTrainer end() {
    Recording ended = recording;
    if (ended == null) {
      throw new IllegalStateException("expected a recording, found none");
    }
    recording = null;
    return ended.end();
  }

  /** Offers a value. Borrows it. */
  void offer(SliceList value) {
    Recording now = recording;
    if (now != null && value.length() <= DictionaryTrainer.LONGEST_SAMPLE) {
      now.offer(value);
    }
  }
}
