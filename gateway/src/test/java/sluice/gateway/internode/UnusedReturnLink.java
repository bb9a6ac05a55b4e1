package sluice.gateway.internode;

import sluice.gateway.metrics.LinkType;

/** A link of a type that takes no answers. */
record UnusedReturnLink(LinkType type) implements ReturnLink {
  @Override
  public Queue answers() {
    return rejected -> false;
  }

  @Override
  public boolean isFull() {
    return false;
  }

  @Override
  public boolean answer(Rejected rejected) {
    return false;
  }
}
