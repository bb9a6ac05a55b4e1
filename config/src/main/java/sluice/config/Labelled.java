package sluice.config;

/** A choice of the configuration file: a constant and how it is written there. */
interface Labelled {
  String label();
}
