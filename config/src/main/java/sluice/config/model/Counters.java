package sluice.config.model;

import sluice.names.Labelled;

/** Handling of increments on their way to Ignite, which keeps counters outside its cache. */
public enum Counters implements Labelled {
  /** Increments are refused. */
  REFUSE("refuse"),

  /** Increments change Ignite's atomic long of that name, not the value in the cache. */
  ATOMIC("atomic");

  private final String label;

  Counters(String label) {
    this.label = label;
  }

  /** As it is written in the configuration file. */
  @Override
  public String label() {
    return label;
  }
}
