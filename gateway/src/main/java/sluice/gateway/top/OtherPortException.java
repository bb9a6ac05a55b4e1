package sluice.gateway.top;

import java.io.IOException;

/** Failure at a port where something else than a gateway's admin port answers. */
public final class OtherPortException extends IOException {
  private static final long serialVersionUID = 1;

  /**
   * @param found what answers there
   */
  OtherPortException(String found) {
    super("found " + found + ", expected the admin port of a gateway");
  }
}
