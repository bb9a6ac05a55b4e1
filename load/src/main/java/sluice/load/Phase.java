package sluice.load;

import java.util.Locale;

/** Phase of a run. */
enum Phase {
  /** Through the gateway, not evaluated. */
  WARM_UP,
  /** Bypassing the gateway. */
  DIRECT,
  /** Through the gateway: the phase that is judged. */
  JUDGED,
  /** Through the gateway, at the highest rate. */
  SATURATION,
  /** Through the gateway, while it is profiled. */
  PROFILED;

  String label() {
    return name().toLowerCase(Locale.ROOT).replace("_", "");
  }
}
