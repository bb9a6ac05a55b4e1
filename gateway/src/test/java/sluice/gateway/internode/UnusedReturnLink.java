package sluice.gateway.internode;

import sluice.gateway.metrics.LinkType;

/** A link of a type that takes no answers. */
class UnusedReturnLink implements ReturnLink {
  private final LinkType type;

  UnusedReturnLink(LinkType type) {
    this.type = type;
  }

  @Override
  public LinkType type() {
    return type;
  }

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
