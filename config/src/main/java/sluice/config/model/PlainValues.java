package sluice.config.model;

import sluice.names.Labelled;

/** Layout of Kafka Streams' stored values, whose headers clients do not get. */
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
