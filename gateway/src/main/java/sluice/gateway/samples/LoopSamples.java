package sluice.gateway.samples;

import io.netty.buffer.ByteBuf;
import java.net.SocketAddress;
import org.jctools.queues.SpscArrayQueue;
import sluice.config.model.LogsConfig;
import sluice.gateway.metrics.LoopMetrics;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.metrics.SampleKind;
import sluice.names.Command;

/**
 * Picks requests on one event loop. Every method but {@link #poll} and {@link #giveBack} is called
 * by that loop's thread only; nothing is allocated once as many samples are under way as ever are,
 * and a request that is not picked costs a decrement.
 *
 * <p>How many keys are picked follows the traffic: all of them while there are few, one of {@value
 * #MOST_INTERVAL} at most. The gaps between them are random, so that no pattern of requests hides
 * from them.
 */
public final class LoopSamples {
  /** What is under way between the loop and whoever drains it; more is dropped, and counted. */
  static final int CAPACITY = 1024;

  static final int MOST_INTERVAL = 4096;

  /** Of keys, in {@link #PERIOD_NANOS}; then the interval doubles. */
  private static final int MANY = 128;

  private static final int FEW = 32;
  private static final long PERIOD_NANOS = 100_000_000L;
  private static final long OFF = Long.MAX_VALUE;

  private final LoopMetrics metrics;
  private final SpscArrayQueue<Sample> picked = new SpscArrayQueue<>(CAPACITY);
  private final SpscArrayQueue<Sample> free = new SpscArrayQueue<>(CAPACITY);
  private final KeyNote note = new KeyNote();
  private Object noteOf; // the client whose request the note is of
  private int made;
  private int interval = 1;
  private int untilPicked = 1;
  private int pickedInPeriod;
  private long periodEnds;
  private long random = System.nanoTime() | 1;
  private long slowNanos = OFF;
  private long accessShare; // of 2^31; 0: no access log
  private boolean logs;
  private boolean pickedForAccess; // the request that wants() was asked about last

  /** Picks keys, and nothing for a log until told so. */
  public LoopSamples(LoopMetrics metrics) {
    this.metrics = metrics;
  }

  /** What the logs want from now on. */
  public void follow(LogsConfig config) {
    slowNanos = config.slowMillis().map(millis -> millis * 1_000_000L).orElse(OFF);
    accessShare = config.accessPercent().map(percent -> ((long) percent << 31) / 100).orElse(0L);
    logs = slowNanos != OFF || accessShare != 0;
  }

  /** A request, or a part of one, is about to be read: what was noted before is of another. */
  public void begin() {
    noteOf = null;
  }

  /**
   * A rule sent a request to a pool; [from, to) is its key as its client names it. Borrows key.
   *
   * @param client whose it is: the same object that {@link #noted} is asked with
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

  /** Whether a request of client that begins now has a key that a log may tell. */
  public boolean hasNoted(Object client) {
    return logs && noteOf == client && note.keys() > 0;
  }

  /** What was noted of the request that is being read. */
  public KeyNote noted() {
    noteOf = null;
    return note;
  }

  /** Whether a request that took so long is for a log; if so, {@link #ended} is to follow. */
  public boolean wants(long nanos) {
    return logs && (nanos >= slowNanos || (accessShare != 0 && isPickedForAccess()));
  }

  private boolean isPickedForAccess() {
    pickedForAccess = nextRandom() >>> 1 < accessShare;
    return pickedForAccess;
  }

  /**
   * A request ended that a log wants.
   *
   * @param noted what was noted of its key; null for nothing
   * @param server who answered; null if nobody was asked
   * @param requestNanos from its last byte in to its reply's last byte out
   * @param serverNanos of these, spent waiting for the server
   */
  public void ended(
      String listener,
      SocketAddress client,
      Command command,
      Outcome outcome,
      KeyNote noted,
      String server,
      long requestNanos,
      long serverNanos) {
    boolean slow = requestNanos >= slowNanos;
    // Of a slow one that was not asked yet.
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
    sample.epochMillis = System.currentTimeMillis();
    sample.requestNanos = requestNanos;
    sample.serverNanos = serverNanos;
    if (noted != null) {
      sample.note.copy(noted);
    }
    picked.offer(sample);
  }

  private Sample take() {
    Sample sample = free.poll();
    if (sample == null && made < CAPACITY) {
      made++;
      sample = new Sample();
    }
    return sample;
  }

  /**
   * Called every few milliseconds: more or fewer keys are picked, as the traffic asks for.
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

  /** A positive number; xorshift: nobody's safety depends on it. */
  private long nextRandom() {
    random ^= random << 13;
    random ^= random >>> 7;
    random ^= random << 17;
    return random >>> 32;
  }

  // --- on the thread that drains ------------------------------------------------------------

  /** Whether nothing waits to be drained; from any thread. */
  public boolean isEmpty() {
    return picked.isEmpty();
  }

  /** The next one picked, to be {@linkplain #giveBack given back}; null for none. */
  Sample poll() {
    return picked.poll();
  }

  void giveBack(Sample sample) {
    sample.clear();
    free.offer(sample);
  }
}
