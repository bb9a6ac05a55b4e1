package sluice.gateway.metrics;

import java.util.Locale;

/** Purpose of a link: the {@code type} label of {@code sluice_internode_links}. */
public enum LinkType {
  /** Not known yet. */
  HANDSHAKE,
  URGENT,
  SMALL,
  LARGE,
  /** A node before 4.0, or of an unknown version: passed byte for byte. */
  LEGACY,
  /** Files of tables, without frames: passed byte for byte. */
  STREAMING,
  /** Encrypted between the nodes themselves: passed byte for byte. */
  TLS;

  static final int COUNT = values().length;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** As it is written in metrics. */
  public String label() {
    return label;
  }
}
