package sluice.config.model;

import java.util.Locale;
import sluice.names.Labelled;

/** Number of pools that must acknowledge a change before the client gets its reply. */
public enum Acks implements Labelled {
  ALL,
  ONE,
  MAJORITY;

  @Override
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
