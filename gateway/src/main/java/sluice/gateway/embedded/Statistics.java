package sluice.gateway.embedded;

/** What {@code stats} tells, under memcached's names where the store has the thing. */
final class Statistics {
  /** Takes one statistic. */
  interface Sink {
    void add(String name, String value);

    default void add(String name, long value) {
      add(name, Long.toString(value));
    }
  }

  private final EmbeddedStore store;

  Statistics(EmbeddedStore store) {
    this.store = store;
  }

  /** What {@code stats} alone tells. */
  void general(Sink sink) {
    long now = store.now();
    long items = 0;
    long bytes = 0;
    for (int i = 0; i < store.segmentCount(); i++) {
      Segment segment = store.segment(i).lock();
      try {
        items += segment.items();
        bytes += segment.bytes();
      } finally {
        segment.unlock();
      }
    }
    sink.add("pid", ProcessHandle.current().pid());
    sink.add("uptime", now - store.started());
    sink.add("time", now);
    sink.add("version", EmbeddedStore.VERSION);
    sink.add("pointer_size", 64);
    for (Counter counter : Counter.values()) {
      sink.add(counter.label(), store.counter(counter));
    }
    sink.add("limit_maxbytes", store.settings().sizeBytes);
    sink.add("threads", Runtime.getRuntime().availableProcessors());
    sink.add("bytes", bytes);
    sink.add("curr_items", items);
    sink.add("slab_global_page_pool", 0);
  }

  /** What {@code stats settings} tells. */
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

  /** The statistics of that name, except settings; false when there are none. */
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
        sum += segment.classItems(slabClass);
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
        sum += segment.classBytes(slabClass);
      } finally {
        segment.unlock();
      }
    }
    return sum;
  }
}
