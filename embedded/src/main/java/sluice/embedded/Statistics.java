package sluice.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** Statistics for {@code stats}, under memcached's names where the store has an equivalent. */
final class Statistics {
  /** Receiver of statistics. */
  interface Sink {
    void add(String name, String value);

    default void add(String name, long value) {
      add(name, Long.toString(value));
    }
  }

  /** memcached's counters of parts that this store does not have. */
  private static final List<String> NEVER_HAPPENS =
      List.of(
          "listen_disabled_num",
          "time_in_listen_disabled_us",
          "conn_yields",
          "hash_is_expanding",
          "slab_reassign_rescues",
          "slab_reassign_chunk_rescues",
          "slab_reassign_inline_reclaim",
          "slab_reassign_busy_items",
          "slab_reassign_busy_deletes",
          "slab_reassign_running",
          "slabs_moved",
          "slab_global_page_pool",
          "lru_crawler_running",
          "lru_crawler_starts",
          "lru_maintainer_juggles",
          "malloc_fails",
          "evicted_active",
          "lrutail_reflocked",
          "moves_to_cold",
          "moves_to_warm",
          "moves_within_lru",
          "direct_reclaims",
          "lru_bumps_dropped");

  // proc(5): utime and stime, counted from the field after the name. User programs always see ticks
  // of 1/100 s.
  private static final int USER_TICKS = 11;
  private static final int SYSTEM_TICKS = 12;
  private static final long MICROS_PER_TICK = 10_000;

  private final EmbeddedStore store;

  Statistics(EmbeddedStore store) {
    this.store = store;
  }

  /** Statistics of {@code stats} without an argument. */
  void general(Sink sink) {
    long now = store.now();
    long items = 0;
    long bytes = 0;
    for (int i = 0; i < store.segmentCount(); i++) {
      Segment segment = store.segment(i).lock();
      try {
        items += segment.tally().items();
        bytes += segment.tally().bytes();
      } finally {
        segment.unlock();
      }
    }
    Clients clients = store.clients();
    sink.add("pid", ProcessHandle.current().pid());
    sink.add("uptime", now - store.started());
    sink.add("time", now);
    sink.add("version", EmbeddedStore.VERSION);
    sink.add("pointer_size", 64);
    processorTime(sink);
    sink.add("max_connections", clients.most());
    sink.add("curr_connections", clients.connected());
    sink.add("total_connections", clients.accepted());
    sink.add("rejected_connections", clients.refused());
    for (Counter counter : Counter.values()) {
      sink.add(counter.label(), store.counter(counter));
    }
    sink.add("auth_cmds", clients.logins());
    sink.add("auth_errors", clients.failedLogins());
    sink.add("bytes_read", clients.bytesRead());
    sink.add("bytes_written", clients.bytesWritten());
    sink.add("limit_maxbytes", store.settings().sizeBytes);
    sink.add("accepting_conns", 1);
    sink.add("threads", Runtime.getRuntime().availableProcessors());
    sink.add("hash_power_level", Long.numberOfTrailingZeros(store.buckets()));
    sink.add("hash_bytes", store.buckets() * Integer.BYTES);
    sink.add("bytes", bytes);
    sink.add("curr_items", items);
    NEVER_HAPPENS.forEach(name -> sink.add(name, 0));
  }

  /**
   * The process's CPU time, which memcached reports in two parts; nothing if the system does not
   * provide it.
   */
  private static void processorTime(Sink sink) {
    try {
      String stat = Files.readString(Path.of("/proc/self/stat"), StandardCharsets.ISO_8859_1);
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      sink.add("rusage_user", seconds(fields[USER_TICKS]));
      sink.add("rusage_system", seconds(fields[SYSTEM_TICKS]));
    } catch (IOException e) {
      // not Linux
    }
  }

  private static String seconds(String ticks) {
    long micros = Long.parseLong(ticks) * MICROS_PER_TICK;
    return String.format(Locale.ROOT, "%d.%06d", micros / 1_000_000, micros % 1_000_000);
  }

  /** Statistics of {@code stats settings}. */
  void settings(Sink sink) {
    Settings settings = store.settings();
    sink.add("maxbytes", settings.sizeBytes);
    sink.add("verbosity", settings.verbosity);
    sink.add("oldest", store.oldestLive());
    sink.add("evictions", "on");
    sink.add("stat_key_prefix", ":");
    sink.add("detail_enabled", yes(settings.detailEnabled));
    sink.add("cas_enabled", "yes");
    sink.add("item_size_max", store.itemSizeLimit());
    sink.add("slab_reassign", "no");
    sink.add("slab_automove", settings.slabAutomove);
    sink.add("lru_crawler", yes(settings.lruCrawlerEnabled));
    sink.add("lru_crawler_sleep", settings.lruCrawlerSleepMicros);
    sink.add("lru_crawler_tocrawl", settings.lruCrawlerToCrawl);
    sink.add("flush_enabled", "yes");
    sink.add("dump_enabled", "yes");
    sink.add("lru_segmented", yes(settings.lruSegmented));
    sink.add("hot_lru_pct", settings.hotLruPercent);
    sink.add("warm_lru_pct", settings.warmLruPercent);
    sink.add("temp_lru", yes(settings.temporaryLru));
    sink.add("temporary_ttl", settings.temporaryTtlSeconds);
    sink.add("track_sizes", "no");
    sink.add("client_flags_size", Integer.BYTES);
  }

  private static String yes(boolean on) {
    return on ? "yes" : "no";
  }

  /** The statistics of that name, except settings; returns false if there are none. */
  boolean named(String name, Sink sink) {
    switch (name) {
      case "items" -> items(sink);
      case "slabs" -> slabs(sink);
      case "sizes" -> sink.add("sizes_status", "disabled");
      default -> {
        return false;
      }
    }
    return true;
  }

  private void items(Sink sink) {
    for (int slabClass = 1; slabClass <= ItemSize.classes(); slabClass++) {
      long items = classItems(slabClass);
      if (items == 0) {
        continue;
      }
      String prefix = "items:" + slabClass + ":";
      sink.add(prefix + "number", items);
      sink.add(prefix + "mem_requested", classBytes(slabClass));
    }
  }

  private void slabs(Sink sink) {
    int active = 0;
    long used = 0;
    for (int slabClass = 1; slabClass <= ItemSize.classes(); slabClass++) {
      long items = classItems(slabClass);
      if (items == 0) {
        continue;
      }
      active++;
      used += classBytes(slabClass);
      sink.add(slabClass + ":chunk_size", ItemSize.chunk(slabClass));
      sink.add(slabClass + ":used_chunks", items);
    }
    sink.add("active_slabs", active);
    sink.add("total_malloced", used);
  }

  private long classItems(int slabClass) {
    long sum = 0;
    for (int i = 0; i < store.segmentCount(); i++) {
      Segment segment = store.segment(i).lock();
      try {
        sum += segment.tally().items(slabClass);
      } finally {
        segment.unlock();
      }
    }
    return sum;
  }

  private long classBytes(int slabClass) {
    long sum = 0;
    for (int i = 0; i < store.segmentCount(); i++) {
      Segment segment = store.segment(i).lock();
      try {
        sum += segment.tally().bytes(slabClass);
      } finally {
        segment.unlock();
      }
    }
    return sum;
  }
}
