package sluice.codecs.internode;

import sluice.codecs.ProtocolException;

/**
 * Framing of messages after a handshake of version 12 or later ({@code
 * OutboundConnectionSettings.Framing}). The initiator alone chooses it; the two directions between
 * a pair of nodes may differ.
 */
public enum Framing {
  /** 6 bytes of header, the payload, nothing after it ({@code FrameEncoderUnprotected}). */
  UNPROTECTED(0, 6, 0),
  /** 8 bytes of header, an LZ4 block or plain bytes, CRC32 ({@code FrameEncoderLZ4}). */
  LZ4(1, 8, 4),
  /** 6 bytes of header, the payload, CRC32 ({@code FrameEncoderCrc}). */
  CRC(2, 6, 4);

  private static final Framing[] BY_ID = values();

  private final int id;
  private final int headerLength;
  private final int trailerLength;

  Framing(int id, int headerLength, int trailerLength) {
    this.id = id;
    this.headerLength = headerLength;
    this.trailerLength = trailerLength;
  }

  /**
   * The framing of an id.
   *
   * @throws ProtocolException for ids that no release knows
   */
  public static Framing of(int id) {
    if (id < 0 || id >= BY_ID.length) {
      throw new ProtocolException("framing " + id + ", expected 0 to 2");
    }
    return BY_ID[id];
  }

  /** The two bits that represent it in an {@link Initiate}. */
  public int id() {
    return id;
  }

  /** Bytes before a payload. */
  public int headerLength() {
    return headerLength;
  }

  /** Bytes after a payload: its CRC32, or none. */
  public int trailerLength() {
    return trailerLength;
  }
}
