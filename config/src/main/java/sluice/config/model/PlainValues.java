package sluice.config.model;

import sluice.names.Labelled;

/** Which layout of Kafka Streams' stores values have that clients get without headers. */
public enum PlainValues implements Labelled {
  /** Headers, then the value. */
  KAFKA_HEADERS("kafkaHeaders"),

  /** Headers, a timestamp, then the value. */
  KAFKA_TIMESTAMPED_HEADERS("kafkaTimestampedHeaders");

  private final String label;

  PlainValues(String label) {
    this.label = label;
  }

  /** As it is written in the configuration file. */
  @Override
  public String label() {
    return label;
  }
}
