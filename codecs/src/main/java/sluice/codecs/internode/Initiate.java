package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetSocketAddress;
import sluice.codecs.ProtocolException;

/**
 * View of the first message of a connection, from its initiator ({@code
 * HandshakeProtocol.Initiate}). Big endian:
 *
 * <pre>
 *   0           4         8                          15 or 27  19 or 31
 *  +-----------+---------+--------------------------+---------+
 *  | CA552DFA  | flags   | address ({@link NodeAddress}) | CRC32   |
 *  +-----------+---------+--------------------------+---------+
 *
 *  flags   31    24 23    16 15       8 7   5   4    3   2    1 0
 *         +--------+--------+----------+-----+----+---+----+------+
 *         |  max   |  min   | requested|  0  | f1 | s | f0 | type |     f: framing, s: streaming
 *         +--------+--------+----------+-----+----+---+----+------+
 * </pre>
 *
 * A requested version below 12 makes it the first message of a {@link LegacyHandshake}: 8 bytes,
 * and f0 means compression. The view is valid until the next wrap and while the buffer is; {@code
 * set} methods overwrite fields and the CRC32 in place.
 */
public final class Initiate {
  public static final int MAGIC = 0xCA552DFA;

  /** Returned by {@link #length} while it needs more bytes. */
  public static final int INCOMPLETE = -1;

  /** The first version with frames, CRC32 and this message: Cassandra 4.0. */
  public static final int FIRST_MODERN = 12;

  /** Length of a legacy message, and of the part before the address. */
  public static final int LEGACY_LENGTH = 8;

  private static final int STREAMING = 1 << 3;
  private static final int LEGACY_COMPRESSION = 1 << 2;

  private final FrameCrc32 crc = new FrameCrc32();
  private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
  private int start;
  private int flags;
  private int addressLength;

  /**
   * Length of the message at index, whose received bytes end at limit. Borrows the buffer.
   *
   * @return 8 (legacy), 19 or 31, which may be more than has arrived, or {@link #INCOMPLETE}
   * @throws ProtocolException as soon as the received bytes cannot begin a handshake
   */
  public static int length(ByteBuf buffer, int index, int limit) {
    int there = limit - index;
    for (int i = 0; i < Math.min(there, 4); i++) {
      if (buffer.getByte(index + i) != (byte) (MAGIC >>> (24 - 8 * i))) {
        throw new ProtocolException("handshake without the magic number CA552DFA");
      }
    }
    if (there >= 7 && buffer.getUnsignedByte(index + 6) < FIRST_MODERN) {
      return LEGACY_LENGTH;
    }
    if (there < LEGACY_LENGTH + 1) {
      return INCOMPLETE;
    }
    return LEGACY_LENGTH + NodeAddress.length(buffer, index + LEGACY_LENGTH) + 4;
  }

  /**
   * Wraps the message at index, whose {@link #length} bytes must have arrived. Borrows the buffer.
   *
   * @throws ProtocolException if its CRC32 is wrong or its framing unknown
   */
  public Initiate wrap(ByteBuf buffer, int index) {
    this.buffer = buffer;
    start = index;
    flags = buffer.getInt(index + 4);
    addressLength = 0;
    if (!isLegacy()) {
      addressLength = NodeAddress.length(buffer, index + LEGACY_LENGTH);
      int found = buffer.getInt(index + length() - 4);
      int expected = crc.of(buffer, index, length() - 4);
      if (found != expected) {
        throw new ProtocolException(
            "handshake with CRC32 %08x, expected %08x".formatted(found, expected));
      }
      Framing.of(framingId());
    }
    return this;
  }

  /** Length of the message in bytes: 8, 19 or 31. */
  public int length() {
    return isLegacy() ? LEGACY_LENGTH : LEGACY_LENGTH + addressLength + 4;
  }

  /** Whether the message is of version 10 or 11, and so has no address and no CRC32. */
  public boolean isLegacy() {
    return requestedVersion() < FIRST_MODERN;
  }

  /** Legacy only: whether {@link LegacyBlock}s follow instead of plain messages. */
  public boolean isLegacyCompressed() {
    return isLegacy() && (flags & LEGACY_COMPRESSION) != 0;
  }

  public ConnectionType type() {
    return ConnectionType.of(flags);
  }

  /** The framing of the initiator's messages; without meaning if it is streaming or legacy. */
  public Framing framing() {
    return Framing.of(framingId());
  }

  private int framingId() {
    return (flags >>> 2 & 1) | (flags >>> 3 & 2);
  }

  /** Whether stream messages follow, without frames and in both directions. */
  public boolean isStreaming() {
    return (flags & STREAMING) != 0;
  }

  public int requestedVersion() {
    return flags >>> 8 & 0xFF;
  }

  public int minVersion() {
    return flags >>> 16 & 0xFF;
  }

  public int maxVersion() {
    return flags >>> 24;
  }

  /** Index of the initiator's {@link NodeAddress} in the buffer; a legacy message has none. */
  public int addressIndex() {
    return start + LEGACY_LENGTH;
  }

  /**
   * The address that the initiator states as its own, the sender of everything that follows. A
   * legacy message has none.
   */
  public InetSocketAddress from() {
    return NodeAddress.get(buffer, addressIndex());
  }

  public void setFraming(Framing framing) {
    setFlags((flags & ~(1 << 2 | 1 << 4)) | bits(framing));
  }

  public void setMaxVersion(int version) {
    setFlags((flags & 0xFF_FFFF) | version << 24);
  }

  /**
   * Overwrites the initiator's address.
   *
   * @throws IllegalArgumentException if one address is IPv4 and the other IPv6
   */
  public void setFrom(InetSocketAddress from) {
    NodeAddress.set(buffer, addressIndex(), from);
    setCrc();
  }

  private void setFlags(int newFlags) {
    if (isLegacy()) {
      throw new IllegalStateException("a legacy handshake has no such field");
    }
    flags = newFlags;
    buffer.setInt(start + 4, newFlags);
    setCrc();
  }

  private void setCrc() {
    int end = start + length() - 4;
    buffer.setInt(end, crc.of(buffer, start, end - start));
  }

  private static int bits(Framing framing) {
    return (framing.id() & 1) << 2 | (framing.id() & 2) << 3;
  }

  /**
   * Appends an initiator's first message of a messaging connection. Borrows out; from must be
   * resolved.
   */
  public static void writeMessaging(
      ByteBuf out,
      ConnectionType type,
      Framing framing,
      int minVersion,
      int requestedVersion,
      int maxVersion,
      InetSocketAddress from) {
    write(out, type.id() | bits(framing), minVersion, requestedVersion, maxVersion, from);
  }

  /**
   * Appends an initiator's first message of a streaming connection. Borrows out; from must be
   * resolved.
   */
  public static void writeStreaming(
      ByteBuf out, int minVersion, int requestedVersion, int maxVersion, InetSocketAddress from) {
    write(out, STREAMING, minVersion, requestedVersion, maxVersion, from);
  }

  private static void write(
      ByteBuf out, int low, int min, int requested, int max, InetSocketAddress from) {
    int start = out.writerIndex();
    out.writeInt(MAGIC).writeInt(max << 24 | min << 16 | requested << 8 | low);
    NodeAddress.write(out, from);
    out.writeInt(new FrameCrc32().of(out, start, out.writerIndex() - start));
  }

  /** Appends the first message of a legacy handshake. Borrows out. */
  public static void writeLegacy(ByteBuf out, int version, boolean compressed, boolean streaming) {
    int low = (compressed ? LEGACY_COMPRESSION : 0) | (streaming ? STREAMING : 0);
    out.writeInt(MAGIC).writeInt(version << 8 | low);
  }
}
