package sluice.embedded;

/** Settings that operators may change while the store runs; any thread reads and writes them. */
final class Settings {
  volatile long sizeBytes;
  volatile int verbosity;
  volatile boolean detailEnabled;
  volatile boolean lruCrawlerEnabled = true;
  volatile long lruCrawlerSleepMicros = 100;
  volatile long lruCrawlerToCrawl;
  volatile int slabAutomove = 1;
  volatile boolean lruSegmented = true;
  volatile long hotLruPercent = 20;
  volatile long warmLruPercent = 40;
  volatile boolean temporaryLru;
  volatile long temporaryTtlSeconds = 61;
  final PrefixStats prefixes = new PrefixStats();

  Settings(long sizeBytes) {
    this.sizeBytes = sizeBytes;
  }
}
