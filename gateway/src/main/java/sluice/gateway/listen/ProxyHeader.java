package sluice.gateway.listen;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.handler.codec.haproxy.HAProxyProtocolException;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import sluice.codecs.ProtocolException;

/**
 * Header of HAProxy's PROXY protocol, by which a proxy states the client whose connection it passes
 * on.
 *
 * <pre>
 * version 1   PROXY TCP4|TCP6|UNKNOWN SOURCE DESTINATION PORT PORT CR LF    at most 107 bytes
 *
 * version 2   0            12        13       14       16          16 + addresses
 *             +------------+---------+--------+--------+-----------+-----------+
 *             | signature  | version | family | length | addresses | TLVs      |
 *             |            | command |        |        |           |           |
 *             +------------+---------+--------+--------+-----------+-----------+
 * </pre>
 *
 * <p>This class finds the end of a header, and refuses at the first invalid byte. Netty's codec
 * then reads the whole header, without the TLVs, which are not used.
 */
final class ProxyHeader {
  /** The longest accepted header of version 2 in bytes, TLVs included. */
  static final int MAX_LENGTH = 4096;

  /** The header is incomplete. */
  static final int INCOMPLETE = -1;

  /** The longest header of version 1, line end included, by the specification. */
  private static final int MAX_LINE_LENGTH = 107;

  /**
   * A line of version 1 as the specification writes it: no leading zeros, brackets or signs.
   * Netty's codec accepts those; it then checks the ranges of the numbers.
   */
  private static final Pattern LINE;

  static {
    String octet = "(0|[1-9][0-9]{0,2})";
    String ipv4 = "( " + octet + "(\\." + octet + "){3}){2}";
    String ipv6 = "( [0-9A-Fa-f:.]+(%[0-9A-Za-z._-]+)?){2}";
    String ports = "( (0|[1-9][0-9]{0,4})){2}";
    String kinds = "UNKNOWN( .*)?|TCP4" + ipv4 + ports + "|TCP6" + ipv6 + ports;
    LINE = Pattern.compile("PROXY (" + kinds + ")\r\n", Pattern.DOTALL);
  }

  private static final byte[] LINE_START = "PROXY ".getBytes(US_ASCII);
  private static final byte[] SIGNATURE = HexFormat.of().parseHex("0d0a0d0a000d0a515549540a");
  private static final int VERSION_AT = 12;
  private static final int FAMILY_AT = 13;
  private static final int LENGTH_AT = 14;
  private static final int FIXED_LENGTH = 16;
  private static final int VERSION_2 = 2;
  private static final int MAX_COMMAND = 1;
  private static final int TLS_HANDSHAKE = 22;
  private static final int SHOWN = 24;

  private ProxyHeader() {}

  /** Netty's decoder, used outside of a pipeline for a complete header. */
  private static final class Codec extends HAProxyMessageDecoder {
    @Nullable HAProxyMessage read(ChannelHandlerContext ctx, ByteBuf header) {
      List<Object> out = new ArrayList<>(1);
      try {
        decode(ctx, header, out);
      } catch (HAProxyProtocolException e) {
        return null;
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
      return out.isEmpty() ? null : (HAProxyMessage) out.get(0);
    }
  }

  /**
   * The length of the header at the beginning of in. Borrows in, moves no index.
   *
   * @return {@link #INCOMPLETE} if more bytes are needed
   * @throws ProtocolException if in begins with no header, or with one that is too long
   */
  static int length(ByteBuf in) {
    if (startsLike(in, SIGNATURE)) {
      return lengthOfVersion2(in);
    }
    if (startsLike(in, LINE_START)) {
      return lengthOfLine(in);
    }
    throw malformed(in, "");
  }

  /** Whether the bytes so far match prefix. */
  private static boolean startsLike(ByteBuf in, byte[] prefix) {
    int length = Math.min(prefix.length, in.readableBytes());
    for (int i = 0; i < length; i++) {
      if (in.getByte(in.readerIndex() + i) != prefix[i]) {
        return false;
      }
    }
    return true;
  }

  private static int lengthOfLine(ByteBuf in) {
    int end = Math.min(in.readableBytes(), MAX_LINE_LENGTH);
    int lf = in.indexOf(in.readerIndex(), in.readerIndex() + end, (byte) '\n');
    if (lf >= 0) {
      if (in.getByte(lf - 1) != '\r') {
        throw malformed(in, " that ends with CR and LF");
      }
      return lf + 1 - in.readerIndex();
    }
    if (end == MAX_LINE_LENGTH) {
      throw malformed(in, " of version 1 with at most " + MAX_LINE_LENGTH + " bytes");
    }
    return INCOMPLETE;
  }

  private static int lengthOfVersion2(ByteBuf in) {
    if (in.readableBytes() > VERSION_AT) {
      int version = in.getUnsignedByte(in.readerIndex() + VERSION_AT);
      if (version >> 4 != VERSION_2 || (version & 0xF) > MAX_COMMAND) {
        throw malformed(in, " with version 2 and the command LOCAL or PROXY after its signature");
      }
    }
    if (in.readableBytes() < FIXED_LENGTH) {
      return INCOMPLETE;
    }
    int length = FIXED_LENGTH + in.getUnsignedShort(in.readerIndex() + LENGTH_AT);
    if (length > MAX_LENGTH) {
      throw new ProtocolException(
          "found a PROXY header of "
              + length
              + " bytes, expected one of at most "
              + MAX_LENGTH
              + " bytes");
    }
    return in.readableBytes() < length ? INCOMPLETE : length;
  }

  /**
   * The address of the client that the proxy states. Borrows header.
   *
   * @param header a complete one, and nothing else
   * @param ctx whose channel Netty's codec closes if the header is malformed
   * @return null if the proxy speaks for itself, or states no TCP address
   * @throws ProtocolException if the header is malformed
   */
  static @Nullable InetSocketAddress client(ChannelHandlerContext ctx, ByteBuf header) {
    HAProxyMessage message;
    if (isVersion2(header)) {
      ByteBuf addresses = withoutTlvs(ctx, header);
      try {
        message = new Codec().read(ctx, addresses);
      } finally {
        addresses.release();
      }
    } else if (LINE.matcher(header.toString(ISO_8859_1)).matches()) {
      message = new Codec().read(ctx, header.duplicate());
    } else {
      message = null;
    }
    if (message == null) {
      throw malformed(header, " that is well-formed");
    }
    try {
      return client(message);
    } finally {
      message.release();
    }
  }

  private static boolean isVersion2(ByteBuf header) {
    return header.getByte(header.readerIndex()) == SIGNATURE[0];
  }

  /** A copy that ends behind the addresses. The caller owns the result. */
  private static ByteBuf withoutTlvs(ChannelHandlerContext ctx, ByteBuf header) {
    int start = header.readerIndex();
    int addresses =
        Math.min(
            header.readableBytes() - FIXED_LENGTH,
            lengthOfAddresses(header.getUnsignedByte(start + FAMILY_AT)));
    return ctx.alloc()
        .buffer(FIXED_LENGTH + addresses)
        .writeBytes(header, start, LENGTH_AT)
        .writeShort(addresses)
        .writeBytes(header, start + FIXED_LENGTH, addresses);
  }

  private static int lengthOfAddresses(int family) {
    return switch (family >> 4) {
      case 1 -> 2 * (4 + 2); // IPv4: two addresses and two ports
      case 2 -> 2 * (16 + 2); // IPv6
      case 3 -> 2 * 108; // paths of Unix sockets
      default -> 0; // none, or an unknown family
    };
  }

  private static @Nullable InetSocketAddress client(HAProxyMessage message) {
    if (message.command() == HAProxyCommand.LOCAL) {
      return null;
    }
    return switch (message.proxiedProtocol()) {
      case TCP4, TCP6 ->
          new InetSocketAddress(address(message.sourceAddress()), message.sourcePort());
      default -> null;
    };
  }

  /** Parses an address, which the codec has checked: nothing is looked up. */
  private static InetAddress address(String text) {
    try {
      return InetAddress.getByAddress(NetUtil.createByteArrayFromIpAddressString(text));
    } catch (UnknownHostException e) {
      throw new IllegalStateException(text, e);
    }
  }

  private static ProtocolException malformed(ByteBuf in, String which) {
    return new ProtocolException("found " + found(in) + ", expected a PROXY header" + which);
  }

  /** The beginning of the received bytes, for a message. Borrows in. */
  static String found(ByteBuf in) {
    if (!in.isReadable()) {
      return "nothing";
    }
    if (in.getUnsignedByte(in.readerIndex()) == TLS_HANDSHAKE) {
      return "what looks like TLS";
    }
    byte[] first = new byte[Math.min(in.readableBytes(), SHOWN)];
    in.getBytes(in.readerIndex(), first);
    // No more than a line: the rest may be confidential.
    String shown = new String(first, US_ASCII).split("[\r\n]", 2)[0];
    return !shown.isEmpty() && shown.chars().allMatch(c -> c >= ' ' && c < 0x7F)
        ? '"' + shown + '"'
        : HexFormat.ofDelimiter(" ").formatHex(first);
  }
}
