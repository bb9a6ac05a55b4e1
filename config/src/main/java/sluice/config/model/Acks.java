package sluice.config.model;

import java.util.Locale;
import sluice.names.Labelled;

/** How many of several pools must have acknowledged a change before the client is told. */
public enum Acks implements Labelled {
  ALL,
  ONE,
  MAJORITY;

  @Override
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
