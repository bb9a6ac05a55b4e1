package sluice.gateway.samples;

/**
 * What becomes of the requests that the event loops picked. Drained by one thread at a time,
 * whoever it is; anything else from any thread.
 */
public final class Samples {
  private final HotKeys hotKeys = new HotKeys();

  /** The keys asked for most. */
  public HotKeys hotKeys() {
    return hotKeys;
  }

  /** Counts and logs what the loops picked until now. Blocks: it may write to a file. */
  public synchronized void drain(Iterable<LoopSamples> loops) {
    for (LoopSamples loop : loops) {
      // A bound, so that loops that are faster than this cannot keep it here.
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
          loop.giveBack(sample);
        }
      }
    }
  }
}
