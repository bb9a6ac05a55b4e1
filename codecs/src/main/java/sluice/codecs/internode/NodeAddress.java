package sluice.codecs.internode;

import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import sluice.codecs.ProtocolException;

/**
 * Node's address in messages since 4.0 ({@code InetAddressAndPort.Serializer}): in handshakes, in
 * the params RESPOND_TO and FORWARD_TO, in gossip.
 *
 * <pre>
 *   0        1                  5 or 17   7 or 19
 *  +--------+------------------+---------+
 *  | 6 / 18 | 4 / 16 bytes     | port    |
 *  +--------+------------------+---------+
 * </pre>
 *
 * Absolute offsets; every method borrows its buffer, and only those that write move an index.
 */
public final class NodeAddress {
  private static final int IPV4 = 6;
  private static final int IPV6 = 18;

  private NodeAddress() {}

  /**
   * Length of the address at index, its length byte included: 7 or 19.
   *
   * @throws ProtocolException for any other length
   */
  public static int length(ByteBuf buffer, int index) {
    int length = buffer.getUnsignedByte(index);
    if (length != IPV4 && length != IPV6) {
      throw new ProtocolException("address of " + length + " bytes, expected 6 or 18");
    }
    return 1 + length;
  }

  /** Whether the range, which must have arrived, is exactly one address. */
  public static boolean isAddress(ByteBuf buffer, int index, int length) {
    return (length == 1 + IPV4 || length == 1 + IPV6)
        && buffer.getUnsignedByte(index) == length - 1;
  }

  /** Port, unsigned. */
  public static int port(ByteBuf buffer, int index) {
    return buffer.getUnsignedShort(index + length(buffer, index) - 2);
  }

  /** The address as an object: for logs and configuration, not for every message. */
  public static InetSocketAddress get(ByteBuf buffer, int index) {
    byte[] address = new byte[length(buffer, index) - 3];
    buffer.getBytes(index + 1, address);
    return new InetSocketAddress(ofBytes(address), port(buffer, index));
  }

  static InetAddress ofBytes(byte[] address) {
    try {
      return InetAddress.getByAddress(address);
    } catch (UnknownHostException e) {
      throw new ProtocolException("address of " + address.length + " bytes, expected 4 or 16");
    }
  }

  /** Length of an address as {@link #write} writes it: 7 or 19. */
  public static int encodedLength(InetSocketAddress address) {
    return 3 + address.getAddress().getAddress().length;
  }

  /** Appends an address, which must be resolved. */
  public static void write(ByteBuf out, InetSocketAddress address) {
    byte[] bytes = address.getAddress().getAddress();
    out.writeByte(bytes.length + 2).writeBytes(bytes).writeShort(address.getPort());
  }

  /**
   * Overwrites the address at index in place.
   *
   * @throws IllegalArgumentException if one is IPv4 and the other IPv6
   */
  public static void set(ByteBuf buffer, int index, InetSocketAddress address) {
    byte[] bytes = address.getAddress().getAddress();
    if (length(buffer, index) != bytes.length + 3) {
      throw new IllegalArgumentException(address + " does not fit in place of another length");
    }
    buffer.setBytes(index + 1, bytes);
    buffer.setShort(index + 1 + bytes.length, address.getPort());
  }
}
