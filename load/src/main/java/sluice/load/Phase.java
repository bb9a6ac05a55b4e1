package sluice.load;

import java.util.Locale;

/** A part of a run. */
enum Phase {
  /** Through the gateway, not looked at. */
  WARM_UP,
  /** Past the gateway. */
  DIRECT,
  /** Through it: what counts. */
  JUDGED,
  /** Through it, as much as it takes. */
  SATURATION,
  /** Through it, while it is profiled. */
  PROFILED;

  String label() {
    return name().toLowerCase(Locale.ROOT).replace("_", "");
  }
}
