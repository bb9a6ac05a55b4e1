package sluice.gateway.samples;

/**
 * Consumer of the requests that the event loops sampled. One thread at a time drains; other methods
 * may be called from any thread.
 */
public final class Samples {
  private final HotKeys hotKeys = new HotKeys();

  /** The most requested keys. */
  public HotKeys hotKeys() {
    return hotKeys;
  }

  /** Counts and logs all samples so far. Blocks: it may write to a file. */
  public synchronized void drain(Iterable<LoopSamples> loops) {
    for (LoopSamples loop : loops) {
      // A bound, in case the loops produce samples faster than this thread drains them.
      for (int i = 0; i < LoopSamples.CAPACITY; i++) {
        Sample sample = loop.poll();
        if (sample == null) {
          break;
        }
        try {
          if (sample.weight > 0) {
            hotKeys.add(sample);
          } else {
            RequestLog.write(sample);
          }
        } finally {
          loop.release(sample);
        }
      }
    }
  }
}
