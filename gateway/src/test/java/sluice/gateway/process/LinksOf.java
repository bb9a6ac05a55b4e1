package sluice.gateway.process;

import sluice.gateway.internode.LinkRegistry;

/** The links of a gateway under test. */
public final class LinksOf {
  private LinksOf() {}

  /** Those that carry messages, on all event loops. */
  public static LinkRegistry registry(Gateway gateway) {
    return gateway.shared().links();
  }
}
