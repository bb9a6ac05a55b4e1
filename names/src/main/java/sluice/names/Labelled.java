package sluice.config.model;

/** A choice of the configuration file: a constant and how it is written there. */
public interface Labelled {
  String label();
}
