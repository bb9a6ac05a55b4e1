package sluice.gateway.samples;

import io.netty.buffer.ByteBuf;
import java.net.SocketAddress;
import org.jctools.queues.SpscArrayQueue;
import org.jspecify.annotations.Nullable;
import sluice.config.model.LogsConfig;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.metrics.SampleKind;
import sluice.gateway.time.Chance;
import sluice.gateway.time.Clocks;
import sluice.names.Command;

/**
 * Sampling of requests on one event loop. Only that loop's thread calls methods other than {@link
 * #poll} and {@link #release}. Nothing is allocated in steady state, and a request that is not
 * sampled costs a decrement.
 *
 * <p>The rate of sampled keys follows the traffic: all keys while they are few, and at least one in
 * {@value #MOST_INTERVAL}. The gaps between them are random, so that no pattern of requests escapes
 * them.
 */
public final class LoopSamples {
  /**
   * The most samples between the loop and the draining thread; further ones are dropped and
   * counted.
   */
  static final int CAPACITY = 1024;

  static final int MOST_INTERVAL = 4096;

  /** Keys sampled in {@link #PERIOD_NANOS} from which on the interval doubles. */
  private static final int MANY = 128;

  private static final int FEW = 32;
  private static final long PERIOD_NANOS = 100_000_000L;
  private static final long OFF = Long.MAX_VALUE;

  private final LoopMetrics metrics;
  private final SpscArrayQueue<Sample> picked = new SpscArrayQueue<>(CAPACITY);
  private final SpscArrayQueue<Sample> free = new SpscArrayQueue<>(CAPACITY);
  private final KeyNote note = new KeyNote();
  private @Nullable Object noteOf; // the client whose request the note belongs to
  private int made;
  private int interval = 1;
  private int untilPicked = 1;
  private int pickedInPeriod;
  private long periodEnds;
  private long random = Chance.nextLong() | 1;
  private long slowNanos = OFF;
  private long accessShare; // share in 2^31sts; 0: no access log
  private boolean logs;
  // whether the request of the last wants() was sampled for the access log
  private boolean pickedForAccess;

  /** Samples keys, and nothing for logs until {@link #follow}. */
  public LoopSamples(LoopMetrics metrics) {
    this.metrics = metrics;
  }

  /** Sets what the logs require. */
  public void follow(LogsConfig config) {
    slowNanos = config.slowMillis().map(millis -> millis * 1_000_000L).orElse(OFF);
    accessShare = config.accessPercent().map(percent -> ((long) percent << 31) / 100).orElse(0L);
    logs = slowNanos != OFF || accessShare != 0;
  }

  /** Called before a request, or a part of one, is read: clears the previous note. */
  public void begin() {
    noteOf = null;
  }

  /**
   * Notes that a rule sent a request to a pool; [from, to) is its key as the client wrote it.
   * Borrows key.
   *
   * @param client the same object that is passed to {@link #noted}
   */
  public void routed(Object client, ByteBuf key, int from, int to, String listener, String pool) {
    if (--untilPicked <= 0) {
      pick(key, from, to, listener, pool);
    }
    if (logs) {
      if (noteOf != client) {
        note.clear();
        noteOf = client;
      }
      note.add(key, from, to, pool);
    }
  }

  private void pick(ByteBuf key, int from, int to, String listener, String pool) {
    if (to - from > KeyNote.MOST_BYTES) {
      return; // of a request that is refused: the next is picked
    }
    untilPicked = 1 + (int) (nextRandom() % (2L * interval - 1));
    pickedInPeriod++;
    Sample sample = take();
    if (sample == null) {
      metrics.sampleDropped(SampleKind.KEY);
      return;
    }
    sample.weight = interval;
    sample.listener = listener;
    sample.note.add(key, from, to, pool);
    picked.offer(sample);
  }

  /** Whether a log may need requests. */
  public boolean logs() {
    return logs;
  }

  /** Whether there is a note of the key of the client's current request. */
  public boolean hasNoted(Object client) {
    return noteOf == client && note.keys() > 0;
  }

  /** The note of the request being read. */
  public KeyNote noted() {
    noteOf = null;
    return note;
  }

  /** Whether a log requires a request that took this long; if so, {@link #ended} must follow. */
  public boolean wants(long nanos) {
    return logs && (nanos >= slowNanos || (accessShare != 0 && isPickedForAccess()));
  }

  private boolean isPickedForAccess() {
    pickedForAccess = nextRandom() >>> 1 < accessShare;
    return pickedForAccess;
  }

  /**
   * Samples a request that has ended.
   *
   * @param noted its key; null for none
   * @param server that answered; null if there was none
   * @param requestNanos from its last byte in to its reply's last byte out
   * @param serverNanos the part of this spent waiting for the server
   */
  public void ended(
      String listener,
      @Nullable SocketAddress client,
      Command command,
      Outcome outcome,
      @Nullable KeyNote noted,
      @Nullable String server,
      long requestNanos,
      long serverNanos) {
    boolean slow = requestNanos >= slowNanos;
    // For a slow request that was not considered for the access log yet.
    boolean access = pickedForAccess || (slow && accessShare != 0 && isPickedForAccess());
    pickedForAccess = false;
    Sample sample = take();
    if (sample == null) {
      metrics.sampleDropped(slow ? SampleKind.SLOW : SampleKind.ACCESS);
      return;
    }
    sample.slow = slow;
    sample.access = access;
    sample.listener = listener;
    sample.client = client;
    sample.command = command;
    sample.outcome = outcome;
    sample.server = server;
    sample.epochMillis = Clocks.millis();
    sample.requestNanos = requestNanos;
    sample.serverNanos = serverNanos;
    if (noted != null) {
      sample.note.copy(noted);
    }
    picked.offer(sample);
  }

  private @Nullable Sample take() {
    Sample sample = free.poll();
    if (sample == null && made < CAPACITY) {
      made++;
      sample = new Sample();
    }
    return sample;
  }

  /**
   * Called every few milliseconds: adapts the sampling rate to the traffic.
   *
   * @param now in {@link System#nanoTime}'s nanoseconds
   */
  public void sweep(long now) {
    if (now - periodEnds < 0) {
      return;
    }
    periodEnds = now + PERIOD_NANOS;
    if (pickedInPeriod > MANY && interval < MOST_INTERVAL) {
      interval *= 2;
    } else if (pickedInPeriod < FEW && interval > 1) {
      interval /= 2;
      untilPicked = Math.min(untilPicked, 2 * interval);
    }
    pickedInPeriod = 0;
  }

  /** A positive random number by xorshift, which is not suitable for security. */
  private long nextRandom() {
    random ^= random << 13;
    random ^= random >>> 7;
    random ^= random << 17;
    return random >>> 32;
  }

  // --- on the draining thread -----------------------------------------------------------------

  /** Whether no sample waits to be drained; from any thread. */
  public boolean isEmpty() {
    return picked.isEmpty();
  }

  /** The next sample, which the caller must {@linkplain #release release}; null for none. */
  @Nullable Sample poll() {
    return picked.poll();
  }

  void release(Sample sample) {
    sample.clear();
    free.offer(sample);
  }
}
