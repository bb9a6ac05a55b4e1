package sluice.config.model;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Optional;

/**
 * Block of IP addresses with a common prefix. An IPv6 address that represents an IPv4 one ({@code
 * ::ffff:10.0.0.1}) counts as that IPv4 address. Otherwise no block contains addresses of both
 * families.
 *
 * @param first the first address of the block
 * @param bits length of the prefix
 */
public record AddressBlock(InetAddress first, int bits) {
  /** Bits before an IPv4 address that is written as an IPv6 one. */
  private static final int MAPPED_BITS = 96;

  private static final int MAPPED_BYTES = MAPPED_BITS / 8;
  private static final int IPV6_BYTES = 16;
  private static final int MOST_DIGITS = 3;

  /**
   * Parses an address, or {@code ADDRESS/BITS} with no further bit of the address set. Nothing is
   * looked up.
   */
  public static Optional<AddressBlock> parse(String text) {
    int slash = text.indexOf('/');
    String host = slash < 0 ? text : text.substring(0, slash);
    if (!Hosts.isIp(host)) {
      return Optional.empty();
    }
    InetAddress first = address(host);
    int length = 8 * first.getAddress().length;
    int bits = slash < 0 ? length : bits(text.substring(slash + 1));
    if (slash >= 0 && host.indexOf(':') >= 0 && length < 8 * IPV6_BYTES) {
      bits -= MAPPED_BITS; // Java has converted it to an IPv4 address
    }
    return 0 <= bits && bits <= length && hasNoBitsBehind(first.getAddress(), bits)
        ? Optional.of(new AddressBlock(first, bits))
        : Optional.empty();
  }

  /** A number without leading zeros; -1 if it is none. */
  private static int bits(String digits) {
    boolean number =
        !digits.isEmpty()
            && digits.length() <= MOST_DIGITS
            && digits.chars().allMatch(c -> c >= '0' && c <= '9')
            && (digits.length() == 1 || digits.charAt(0) != '0');
    return number ? Integer.parseInt(digits) : -1;
  }

  private static boolean hasNoBitsBehind(byte[] address, int bits) {
    for (int i = bits; i < 8 * address.length; i++) {
      if ((address[i / 8] & 0x80 >>> i % 8) != 0) {
        return false;
      }
    }
    return true;
  }

  @SuppressWarnings("AddressSelection") // the literal is the only address
  private static InetAddress address(String ip) {
    try {
      return InetAddress.getByName(ip);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(ip, e);
    }
  }

  /** Whether an address, with any zone, lies in the block. */
  public boolean contains(InetAddress address) {
    byte[] ours = first.getAddress();
    byte[] theirs = unmapped(address.getAddress());
    if (ours.length != theirs.length) {
      return false;
    }
    int whole = bits / 8;
    if (!Arrays.equals(ours, 0, whole, theirs, 0, whole)) {
      return false;
    }
    int ignored = 8 - bits % 8;
    return ignored == 8 || (ours[whole] & 0xFF) >>> ignored == (theirs[whole] & 0xFF) >>> ignored;
  }

  /** Some dual-stack sockets report IPv4 addresses in the longer form. */
  private static byte[] unmapped(byte[] address) {
    if (address.length < IPV6_BYTES) {
      return address;
    }
    for (int i = 0; i < MAPPED_BYTES; i++) {
      if (address[i] != (i < MAPPED_BYTES - 2 ? 0 : (byte) 0xFF)) {
        return address;
      }
    }
    return Arrays.copyOfRange(address, MAPPED_BYTES, IPV6_BYTES);
  }

  /** As it is written in the configuration file. */
  public String label() {
    String host = first.getHostAddress();
    return bits == 8 * first.getAddress().length ? host : host + '/' + bits;
  }
}
