package sluice.codecs.internode.address;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * View of an address in gossip's text form, with or without a port ({@code
 * InetAddressAndPort.getHostAddressAndPort} and {@code InetAddress.getHostAddress}):
 *
 * <pre>
 *   127.0.0.1    127.0.0.1:7000    0:0:0:0:0:0:0:1    [0:0:0:0:0:0:0:1]:7000
 * </pre>
 *
 * One instance, used again and again; it owns nothing.
 */
final class TextAddress {
  private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
  private int start;
  private int end;
  private int port;

  /** Wraps the bytes from start to end; returns whether they have such a form. */
  boolean wrap(ByteBuf buffer, int start, int end) {
    this.buffer = buffer;
    this.start = start;
    this.end = end;
    port = AddressMap.ANY_PORT;
    int first = buffer.indexOf(start, end, (byte) ':');
    if (first < 0) {
      return true;
    }
    if (buffer.getByte(start) == '[') {
      int close = buffer.indexOf(start, end, (byte) ']');
      this.start = start + 1;
      this.end = close;
      return close > 0
          && close + 1 < end
          && buffer.getByte(close + 1) == ':'
          && readPort(close + 2, end);
    }
    if (buffer.indexOf(first + 1, end, (byte) ':') < 0) {
      this.end = first;
      return readPort(first + 1, end);
    }
    return true;
  }

  private boolean readPort(int from, int to) {
    int value = 0;
    for (int i = from; i < to; i++) {
      int digit = buffer.getByte(i) - '0';
      if (digit < 0 || digit > 9 || value > 0xFFFF) {
        return false;
      }
      value = 10 * value + digit;
    }
    port = value;
    return from < to && value <= 0xFFFF;
  }

  /** The port, or {@link AddressMap#ANY_PORT} if there is none. */
  int port() {
    return port;
  }

  boolean isHost(byte[] text) {
    if (text.length != end - start) {
      return false;
    }
    for (int i = 0; i < text.length; i++) {
      if (buffer.getByte(start + i) != text[i]) {
        return false;
      }
    }
    return true;
  }
}
