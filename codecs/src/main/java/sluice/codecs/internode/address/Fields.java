package sluice.codecs.internode.address;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.internode.Vint;

/**
 * Reader of consecutive fields in a range of a buffer, which notes the addresses to be replaced. It
 * throws nothing: after a field that it cannot read it is no longer {@link #isGood}, and every
 * further field reads as 0. Used again and again; it borrows the buffer.
 */
final class Fields {
  private static final int UUID = 16;

  private final AddressMap map;
  private final Splices splices;
  private final TextAddress text = new TextAddress();
  private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
  private int start;
  private int at;
  private int end;
  private long needed; // least length of everything, if a field is cut off
  private boolean cut;
  private boolean wrong;
  private boolean full; // an address was not replaced, because too many came before it
  private boolean tries; // addresses to be replaced are counted, and not noted
  private int counted;

  Fields(AddressMap map, Splices splices) {
    this.map = map;
    this.splices = splices;
  }

  Fields wrap(ByteBuf buffer, int start, int end) {
    this.buffer = buffer;
    this.start = start;
    this.end = end;
    full = false;
    seek(start);
    return this;
  }

  /** Continues at another index, and forgets earlier failures. */
  void seek(int index) {
    at = index;
    cut = false;
    wrong = false;
    tries = false;
    counted = 0;
  }

  /** As {@link #seek}, but addresses to be replaced are only counted until the next seek. */
  void tryAt(int index) {
    seek(index);
    tries = true;
  }

  /** The number of addresses to be replaced since {@link #tryAt}. */
  int counted() {
    return counted;
  }

  int index() {
    return at;
  }

  int end() {
    return end;
  }

  /** Whether all fields so far could be read. */
  boolean isGood() {
    return !cut && !wrong;
  }

  /** Whether a field had an impossible value. */
  boolean isWrong() {
    return wrong;
  }

  /** Whether any field since {@link #wrap} had more addresses than can be replaced. */
  boolean isFull() {
    return full;
  }

  /** Whether everything was read, to the exact end. */
  boolean isDone() {
    return isGood() && at == end;
  }

  /** Notes an impossible value. */
  void fail() {
    wrong = true;
  }

  /** Notes a failure if the condition is false. A field that is cut off allows no conclusion. */
  void require(boolean condition) {
    wrong |= !cut && !condition;
  }

  private boolean has(long bytes) {
    if (!isGood()) {
      return false;
    }
    if (bytes < 0) {
      wrong = true;
      return false;
    }
    if (bytes > end - at) {
      cut = true;
      needed = at - start + bytes;
      return false;
    }
    return true;
  }

  /**
   * Declares what follows a field that may be cut off. Without that, {@link #needed} would grow by
   * a byte whenever a byte is added to a long list.
   *
   * @param count of further elements; a negative one is larger than any list
   * @param least length of each, in bytes
   */
  void follow(long count, int least) {
    if (cut) {
      needed += least * (count < 0 ? Integer.MAX_VALUE : Math.min(count, Integer.MAX_VALUE));
    }
  }

  /**
   * The least number of bytes from the start on with which everything can be complete, if a field
   * is cut off.
   */
  long needed() {
    return needed;
  }

  void skip(long bytes) {
    if (has(bytes)) {
      at += (int) bytes;
    }
  }

  int unsignedByte() {
    return has(1) ? buffer.getUnsignedByte(at++) : 0;
  }

  boolean bool() {
    int value = unsignedByte();
    require(value <= 1);
    return value == 1;
  }

  int unsignedShort() {
    if (!has(2)) {
      return 0;
    }
    at += 2;
    return buffer.getUnsignedShort(at - 2);
  }

  int int32() {
    if (!has(4)) {
      return 0;
    }
    at += 4;
    return buffer.getInt(at - 4);
  }

  long int64() {
    if (!has(8)) {
      return 0;
    }
    at += 8;
    return buffer.getLong(at - 8);
  }

  /** A number of elements, each of at least one byte. */
  int count() {
    int value = int32();
    require(value >= 0);
    return value;
  }

  long vint() {
    if (!has(1)) {
      return 0;
    }
    int length = Vint.lengthOf(buffer.getByte(at));
    if (!has(length)) {
      return 0;
    }
    at += length;
    return Vint.get(buffer, at - length);
  }

  /** Bytes with their length before them, as a vint. */
  void vintBytes() {
    skip(vint());
  }

  /** Text as {@code DataOutput.writeUTF} writes it. */
  void utf() {
    skip(unsignedShort());
  }

  /** A UUID, or a table's id: 16 bytes. */
  void uuid() {
    skip(UUID);
  }

  /** Whether the 16 bytes at the two indexes are equal. */
  boolean isSameUuid(int a, int b) {
    return buffer.getLong(a) == buffer.getLong(b) && buffer.getLong(a + 8) == buffer.getLong(b + 8);
  }

  /** A token as {@code Token.serializer} writes it. */
  void token() {
    skip(int32());
  }

  /** Ranges of tokens as {@code AbstractBounds.tokenSerializer} writes them. */
  void ranges() {
    for (int i = count(); i > 0 && isGood(); i--) {
      unsignedByte();
      token();
      token();
    }
  }

  /** An address as {@code InetAddressAndPort.Serializer} writes it, replaced if it is mapped. */
  void address() {
    if (!has(1)) {
      return;
    }
    int family = buffer.getUnsignedByte(at);
    require(family == AddressMap.IPV4 || family == AddressMap.IPV6);
    if (!has(1 + family)) {
      return;
    }
    int entry = map.find(buffer, at);
    if (isReplaced(entry)) {
      map.write(entry, AddressMap.port(buffer, at), splices.begin(at, 1 + family));
      splices.end();
    }
    at += 1 + family;
  }

  /** Addresses as {@code CollectionSerializer} writes them. */
  void vintAddresses() {
    long left = vint();
    require(left >= 0);
    for (; left > 0 && isGood(); left--) {
      address();
    }
  }

  /**
   * Text as {@code DataOutput.writeUTF} writes it, with an address after a prefix. A mapped address
   * is replaced, and the text's length with it.
   */
  void utfAddress(String prefix) {
    int start = at;
    int length = unsignedShort();
    if (!has(length)) {
      return;
    }
    at += length;
    int address = start + 2 + prefix.length();
    if (length <= prefix.length() || !hasPrefix(start + 2, prefix)) {
      return;
    }
    int entry = text.wrap(buffer, address, at) ? map.find(text) : AddressMap.NONE;
    if (isReplaced(entry)) {
      ByteBuf out = splices.begin(start, 2 + length);
      int lengthIndex = out.writerIndex();
      out.writeShort(0).writeBytes(buffer, start + 2, prefix.length());
      map.write(entry, text, out);
      out.setShort(lengthIndex, out.writerIndex() - lengthIndex - 2);
      splices.end();
    }
  }

  /** Whether an address is replaced now. A mapped address beyond the bound is a failure. */
  private boolean isReplaced(int entry) {
    if (entry == AddressMap.NONE) {
      return false;
    }
    if (!splices.hasRoom(counted + 1)) {
      full = true;
      wrong = true;
      return false;
    }
    if (tries) {
      counted++;
    }
    return !tries;
  }

  private boolean hasPrefix(int index, String prefix) {
    for (int i = 0; i < prefix.length(); i++) {
      if (buffer.getByte(index + i) != prefix.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
