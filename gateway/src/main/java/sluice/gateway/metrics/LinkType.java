package sluice.gateway.metrics;

import java.util.Locale;

/** What a link is for: the {@code type} label of {@code sluice_internode_links}. */
public enum LinkType {
  /** Has not said what it is for. */
  HANDSHAKE,
  URGENT,
  SMALL,
  LARGE,
  /** Of a node before 4.0, or of a version that is not known here: passed byte for byte. */
  LEGACY,
  /** Carries tables, without frames: passed byte for byte. */
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
