package sluice.config.model;

import java.util.Locale;
import sluice.names.Labelled;

/** Which of several pools a read asks. */
public enum Reads implements Labelled {
  /** All; the first that has the item answers. */
  FIRST,
  /** The one that has answered fastest of late. */
  NEAREST;

  @Override
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
