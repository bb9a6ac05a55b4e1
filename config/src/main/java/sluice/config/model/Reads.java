package sluice.config.model;

import java.util.Locale;
import sluice.names.Labelled;

/** Choice of the pools that a read is sent to. */
public enum Reads implements Labelled {
  /** To all; the first that has the item answers. */
  FIRST,
  /** To the one that has recently answered fastest. */
  NEAREST;

  @Override
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
