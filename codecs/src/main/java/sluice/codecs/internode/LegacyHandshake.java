package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import sluice.codecs.ProtocolException;

/**
 * Messages that follow a legacy {@link Initiate} of versions 10 and 11 ({@code
 * HandshakeProtocol.Accept} and {@code ConfirmOutboundPre40} of 4.1). No checksums; big endian.
 *
 * <pre>
 *   initiator                        acceptor
 *   8 bytes  Initiate        -->
 *                            &lt;--     4 bytes  its max version   (streaming: nothing)
 *   4 bytes  its max version -->
 *   1 byte   4 or 16
 *   4 or 16  address, no port
 * </pre>
 *
 * Absolute offsets; every method borrows its buffer.
 */
public final class LegacyHandshake {
  public static final int ACCEPT_LENGTH = 4;

  /** Returned by {@link #confirmLength} while it needs more bytes. */
  public static final int INCOMPLETE = -1;

  private LegacyHandshake() {}

  /**
   * The max version at the beginning of the acceptor's answer or of the initiator's second part.
   */
  public static int maxVersion(ByteBuf buffer, int index) {
    return buffer.getInt(index);
  }

  public static void writeAccept(ByteBuf out, int maxVersion) {
    out.writeInt(maxVersion);
  }

  /**
   * Length of the initiator's second part at index, whose received bytes end at limit.
   *
   * @return 9 or 21, which may be more than has arrived, or {@link #INCOMPLETE}
   * @throws ProtocolException for an address of any other length
   */
  public static int confirmLength(ByteBuf buffer, int index, int limit) {
    if (limit - index < 5) {
      return INCOMPLETE;
    }
    int length = buffer.getUnsignedByte(index + 4);
    if (length != 4 && length != 16) {
      throw new ProtocolException("address of " + length + " bytes, expected 4 or 16");
    }
    return 5 + length;
  }

  /** Address in the initiator's second part, which must be complete: for logs. */
  public static InetAddress from(ByteBuf buffer, int index) {
    byte[] address = new byte[buffer.getUnsignedByte(index + 4)];
    buffer.getBytes(index + 5, address);
    return NodeAddress.ofBytes(address);
  }

  public static void writeConfirm(ByteBuf out, int maxVersion, InetAddress from) {
    byte[] address = from.getAddress();
    out.writeInt(maxVersion).writeByte(address.length).writeBytes(address);
  }
}
