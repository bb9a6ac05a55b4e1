package sluice.ring;

/** How the frames of internode messages are protected; the names are those of the nodes' logs. */
enum Framing {
  /** As the sender chose. */
  SAME,
  CRC,
  LZ4;

  /** What arrives of what was sent as {@code sent}. */
  Framing of(Framing sent) {
    return this == SAME ? sent : this;
  }
}
