package sluice.config.model;

import sluice.names.Labelled;

/** Transport of the sockets. */
public enum Transport implements Labelled {
  /** epoll where available, else nio. */
  AUTO("auto"),

  /** Linux epoll. */
  EPOLL("epoll"),

  /** Linux io_uring. */
  IO_URING("io_uring"),

  /** The JDK's own selector. */
  NIO("nio");

  private final String label;

  Transport(String label) {
    this.label = label;
  }

  /** As it is written in the configuration file. */
  @Override
  public String label() {
    return label;
  }
}
