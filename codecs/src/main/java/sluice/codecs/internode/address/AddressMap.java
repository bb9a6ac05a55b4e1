package sluice.codecs.internode.address;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import sluice.codecs.internode.FrameCrc32;
import sluice.codecs.internode.Initiate;

/**
 * One-to-one replacement of node addresses, which can therefore be inverted. Immutable. Addresses
 * are looked up in place in a buffer, and nothing is allocated.
 */
public final class AddressMap {
  /** Port of an entry that applies to every port and leaves the port unchanged. */
  public static final int ANY_PORT = -1;

  static final int NONE = -1;
  static final int IPV4 = 6; // length of address and port, the first byte of each
  static final int IPV6 = 18;
  // bytes of magic and flags in an initiator's first message
  private static final int BEFORE_ADDRESS = 8;

  /**
   * One address and its replacement.
   *
   * @param fromPort 0 to 65535 or {@link #ANY_PORT}
   * @param toPort as {@code fromPort}: both have a port or none has
   */
  public record Entry(InetAddress from, int fromPort, InetAddress to, int toPort) {
    public Entry {
      if ((fromPort == ANY_PORT) != (toPort == ANY_PORT)) {
        throw new IllegalArgumentException(
            "%s to %s: one has a port and the other none, which is not one to one"
                .formatted(text(from, fromPort), text(to, toPort)));
      }
      if (fromPort < ANY_PORT || fromPort > 0xFFFF || toPort < ANY_PORT || toPort > 0xFFFF) {
        throw new IllegalArgumentException(
            "ports %d and %d, expected 0 to 65535".formatted(fromPort, toPort));
      }
    }

    private Entry inverse() {
      return new Entry(to, toPort, from, fromPort);
    }

    private static boolean overlap(InetAddress a, int aPort, InetAddress b, int bPort) {
      return a.equals(b) && (aPort == bPort || aPort == ANY_PORT || bPort == ANY_PORT);
    }

    private static String text(InetAddress address, int port) {
      return address.getHostAddress() + (port == ANY_PORT ? "" : " port " + port);
    }
  }

  private final List<Entry> entries;
  private final int mask;
  private final int[] table; // hash table by address: 1 + index of an entry; 0 where there is none
  private final int[] families;
  private final long[] highs;
  private final long[] lows;
  private final int[] ports;
  private final byte[][] encoded;
  private final byte[][] fromTexts;
  private final byte[][] toTexts;

  private AddressMap(List<Entry> entries) {
    this.entries = List.copyOf(entries);
    int count = entries.size();
    mask = Integer.highestOneBit(Math.max(4, 4 * count)) - 1;
    table = new int[mask + 1];
    families = new int[count];
    highs = new long[count];
    lows = new long[count];
    ports = new int[count];
    encoded = new byte[count][];
    fromTexts = new byte[count][];
    toTexts = new byte[count][];
    for (int i = 0; i < count; i++) {
      put(i, entries.get(i));
    }
  }

  private void put(int i, Entry entry) {
    byte[] from = entry.from.getAddress();
    for (int at = 0; at < from.length; at++) {
      highs[i] = highs[i] << 8 | lows[i] >>> 56;
      lows[i] = lows[i] << 8 | (from[at] & 0xFF);
    }
    families[i] = from.length + 2;
    ports[i] = entry.fromPort;
    byte[] to = entry.to.getAddress();
    encoded[i] = new byte[to.length + 3];
    encoded[i][0] = (byte) (to.length + 2);
    System.arraycopy(to, 0, encoded[i], 1, to.length);
    encoded[i][to.length + 1] = (byte) (entry.toPort >>> 8);
    encoded[i][to.length + 2] = (byte) entry.toPort;
    fromTexts[i] = entry.from.getHostAddress().getBytes(US_ASCII);
    toTexts[i] = entry.to.getHostAddress().getBytes(US_ASCII);
    int slot = slot(highs[i], lows[i]);
    while (table[slot] != 0) {
      slot = (slot + 1) & mask;
    }
    table[slot] = i + 1;
  }

  /**
   * A map of these entries.
   *
   * @throws IllegalArgumentException if two entries share an address or a replacement, so that the
   *     map is not one to one
   */
  public static AddressMap of(List<Entry> entries) {
    for (int i = 0; i < entries.size(); i++) {
      Entry a = entries.get(i);
      for (Entry b : entries.subList(0, i)) {
        if (Entry.overlap(a.from, a.fromPort, b.from, b.fromPort)) {
          throw new IllegalArgumentException(
              Entry.text(a.from, a.fromPort) + " is replaced twice, which is not one to one");
        }
        if (Entry.overlap(a.to, a.toPort, b.to, b.toPort)) {
          throw new IllegalArgumentException(
              Entry.text(a.to, a.toPort) + " replaces two addresses, which is not one to one");
        }
      }
    }
    return new AddressMap(entries);
  }

  /** The inverse of this map, for the other direction of a connection. */
  public AddressMap inverse() {
    List<Entry> inverse = new ArrayList<>();
    for (Entry entry : entries) {
      inverse.add(entry.inverse());
    }
    return new AddressMap(inverse);
  }

  /** The entries that the map was made of. */
  public List<Entry> entries() {
    return entries;
  }

  /**
   * Appends an initiator's first message, with its address replaced if the address is mapped.
   * Borrows both buffers.
   *
   * @return whether the address was replaced
   */
  public boolean writeInitiate(Initiate initiate, ByteBuf buffer, ByteBuf out) {
    int start = out.writerIndex();
    int index = initiate.addressIndex();
    int begin = index - BEFORE_ADDRESS;
    int entry = initiate.isLegacy() ? NONE : find(buffer, index);
    if (entry == NONE) {
      out.writeBytes(buffer, begin, initiate.length());
      return false;
    }
    out.writeBytes(buffer, begin, BEFORE_ADDRESS);
    write(entry, port(buffer, index), out);
    out.writeInt(new FrameCrc32().of(out, start, out.writerIndex() - start));
    return true;
  }

  private int slot(long high, long low) {
    long hash = (high * 31 + low) * 0x9E37_79B9_7F4A_7C15L;
    return (int) (hash >>> 40) & mask;
  }

  /** The entry for the address at index, whose first byte is 6 or 18, or {@link #NONE}. */
  int find(ByteBuf buffer, int index) {
    int family = buffer.getUnsignedByte(index);
    boolean isV4 = family == IPV4;
    long high = isV4 ? 0 : buffer.getLong(index + 1);
    long low = isV4 ? buffer.getUnsignedInt(index + 1) : buffer.getLong(index + 9);
    int port = port(buffer, index);
    for (int slot = slot(high, low); table[slot] != 0; slot = (slot + 1) & mask) {
      int i = table[slot] - 1;
      if (lows[i] == low
          && highs[i] == high
          && families[i] == family
          && (ports[i] == port || ports[i] == ANY_PORT)) {
        return i;
      }
    }
    return NONE;
  }

  static int port(ByteBuf buffer, int index) {
    return buffer.getUnsignedShort(index + buffer.getUnsignedByte(index) - 1);
  }

  /** Appends the replacement of an address that had this port. */
  void write(int entry, int port, ByteBuf out) {
    out.writeBytes(encoded[entry]);
    if (ports[entry] == ANY_PORT) {
      out.setShort(out.writerIndex() - 2, port);
    }
  }

  /**
   * The entry for an address in text form, or {@link #NONE}. Text without a port matches the only
   * entry for that address, with any port.
   */
  int find(TextAddress text) {
    int found = NONE;
    for (int i = 0; i < ports.length; i++) {
      if (!text.isHost(fromTexts[i])) {
        continue;
      }
      if (text.port() != ANY_PORT) {
        if (ports[i] == ANY_PORT || ports[i] == text.port()) {
          return i;
        }
      } else if (found == NONE) {
        found = i;
      } else {
        return NONE; // several nodes share the address: the intended one is ambiguous
      }
    }
    return found;
  }

  /** Appends the replacement of an address in text form, in the same form. */
  void write(int entry, TextAddress text, ByteBuf out) {
    byte[] host = toTexts[entry];
    if (text.port() == ANY_PORT) {
      out.writeBytes(host);
      return;
    }
    boolean isV6 = encoded[entry][0] == IPV6;
    if (isV6) {
      out.writeByte('[');
    }
    out.writeBytes(host);
    if (isV6) {
      out.writeByte(']');
    }
    out.writeByte(':');
    int port = ports[entry] == ANY_PORT ? text.port() : entries.get(entry).toPort;
    for (int power = 10_000; power > 0; power /= 10) {
      if (port >= power || power == 1) {
        out.writeByte('0' + port / power % 10);
      }
    }
  }
}
