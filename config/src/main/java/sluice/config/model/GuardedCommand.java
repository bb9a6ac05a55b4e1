package sluice.config.model;

import sluice.names.Labelled;

/** Commands that a listener refuses unless its {@code allow} names them. */
public enum GuardedCommand implements Labelled {
  FLUSH_ALL("flush_all"),
  VERBOSITY("verbosity"),
  WATCH("watch"),
  LRU_CRAWLER("lru_crawler"),
  SLABS("slabs"),
  SHUTDOWN("shutdown"),
  DEBUG("debug"),
  CACHE_MEMLIMIT("cache_memlimit");

  private final String label;

  GuardedCommand(String label) {
    this.label = label;
  }

  /** As it is written in the configuration file. */
  @Override
  public String label() {
    return label;
  }
}
