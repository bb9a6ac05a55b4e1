package sluice.gateway.samples;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import sluice.gateway.time.Clocks;

/**
 * Most requested keys of each listener and pool in the last one to two minutes: those counted in
 * the current minute and in the previous one. Thread safe.
 */
public final class HotKeys {
  /** A key that makes up more than one in this many requests is found. */
  static final int CAPACITY = 256;

  static final long WINDOW_MILLIS = TimeUnit.MINUTES.toMillis(1);

  /** A pair of listener and pool without requests is forgotten after both minutes. */
  private final SortedMap<String, SortedMap<String, Windows>> all = new TreeMap<>();

  private final LongSupplier epochMillis;
  private long windowBegan;
  private long earlierBegan;

  /** An empty count. */
  public HotKeys() {
    this(Clocks::millis);
  }

  HotKeys(LongSupplier epochMillis) {
    this.epochMillis = epochMillis;
    windowBegan = epochMillis.getAsLong();
    earlierBegan = windowBegan;
  }

  private static final class Windows {
    SpaceSaving now = new SpaceSaving(CAPACITY);
    SpaceSaving before = new SpaceSaving(CAPACITY);
  }

  /**
   * Hot keys of a listener's requests to a pool.
   *
   * @param requests approximate number of requests
   * @param sampled number of sampled requests, weighted alike
   * @param keys the hottest first
   */
  public record Group(
      String listener, String pool, long requests, long sampled, List<HotKey> keys) {
    /** Copies the list. */
    public Group {
      keys = List.copyOf(keys);
    }
  }

  /**
   * Hot key.
   *
   * @param key its bytes, one a character
   * @param share of the requests, estimated
   * @param error bound of the share's error in either direction: the sketch's possible excess, and
   *     1.96 standard deviations of the sampling
   */
  public record HotKey(String key, double share, double error) {}

  /**
   * Hot keys at one moment.
   *
   * @param since when counting began
   */
  public record Snapshot(Instant since, List<Group> groups) {
    /** Copies the list. */
    public Snapshot {
      groups = List.copyOf(groups);
    }
  }

  synchronized void add(Sample sample) {
    rotate();
    all.computeIfAbsent(sample.listener, name -> new TreeMap<>())
        .computeIfAbsent(sample.note.pool(), name -> new Windows())
        .now
        .add(sample.note.key(), sample.note.length(), sample.weight);
  }

  /**
   * Forgets other pools: a gateway whose pools come and go would keep each for two minutes. Samples
   * of theirs that are still queued do count.
   */
  public synchronized void keepOnly(Set<String> pools) {
    all.values().forEach(known -> known.keySet().retainAll(pools));
    all.values().removeIf(Map::isEmpty);
  }

  private void rotate() {
    long now = epochMillis.getAsLong();
    if (now - windowBegan < WINDOW_MILLIS) {
      return;
    }
    boolean both = now - windowBegan >= 2 * WINDOW_MILLIS; // no sample came for that long
    earlierBegan = both ? now : windowBegan;
    windowBegan = now;
    for (SortedMap<String, Windows> pools : all.values()) {
      pools
          .values()
          .removeIf(
              windows -> {
                SpaceSaving old = windows.before;
                windows.before = windows.now;
                windows.now = old;
                old.clear();
                if (both) {
                  windows.before.clear();
                }
                return windows.before.total() == 0;
              });
    }
    all.values().removeIf(Map::isEmpty);
  }

  /**
   * The current hot keys.
   *
   * @param most number of keys for each listener and pool
   */
  public synchronized Snapshot hottest(int most) {
    rotate();
    List<Group> groups = new ArrayList<>();
    all.forEach(
        (listener, pools) ->
            pools.forEach((pool, windows) -> groups.add(group(listener, pool, windows, most))));
    return new Snapshot(Instant.ofEpochMilli(earlierBegan), groups);
  }

  private static Group group(String listener, String pool, Windows windows, int most) {
    SpaceSaving now = windows.now;
    SpaceSaving before = windows.before;
    long total = now.total() + before.total();
    double effective = total == 0 ? 0 : (double) total * total / (now.squares() + before.squares());
    Map<String, Sum> sums = new HashMap<>();
    add(now, sums);
    add(before, sums);
    long hidden = now.mostOfOthers() + before.mostOfOthers();
    List<HotKey> keys = new ArrayList<>();
    sums.forEach(
        (key, sum) -> {
          double share = Math.min(1, (double) sum.count / total);
          double sampling = 1.96 * Math.sqrt(share * (1 - share) / effective);
          double counting = (double) (sum.error + hidden - sum.hidden) / total;
          keys.add(new HotKey(key, share, Math.min(1, counting + sampling)));
        });
    keys.sort(Comparator.comparingDouble(HotKey::share).reversed().thenComparing(HotKey::key));
    return new Group(
        listener, pool, total, Math.round(effective), keys.subList(0, Math.min(most, keys.size())));
  }

  private static void add(SpaceSaving window, Map<String, Sum> sums) {
    long hidden = window.mostOfOthers();
    for (int i = 0; i < window.size(); i++) {
      Sum sum = sums.computeIfAbsent(new String(window.key(i), ISO_8859_1), key -> new Sum());
      sum.count += window.count(i);
      sum.error += window.error(i);
      sum.hidden += hidden;
    }
  }

  /** Sum of a key over both windows. */
  private static final class Sum {
    long count;
    long error;
    long hidden; // the most that the key could have had uncounted
  }
}
