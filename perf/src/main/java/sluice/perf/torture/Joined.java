package sluice.perf.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.CRC32C;
import sluice.perf.torture.Destination.Place;

/**
 * A value in chunks as its servers have it, joined by what the documentation says of heads and
 * chunks, not by the gateway's classes.
 */
final class Joined {
  private static final byte[] MARK = "\u00f8SL{\u0001".getBytes(ISO_8859_1);
  private static final int NO_HEAD = -1;
  private static final int FORM = 4;
  private static final int CLIENTS_BIT = 0x80;
  private static final int HEAD = 25;
  private static final int SUMMED = 21;
  private static final int LONGEST_NAME = 221;

  private final Setting setting;
  private final Servers servers;

  Joined(Setting setting, Servers servers) {
    this.setting = setting;
    this.servers = servers;
  }

  /**
   * The item that a client gets for what is stored under its key.
   *
   * @throws IOException if a chunk is not there or is another; the message names it
   */
  Item item(String key, Item stored) throws IOException {
    byte[] bytes = stored.value();
    int at = (stored.flags() & Rule.SPLIT_FLAG) == 0 ? NO_HEAD : head(bytes);
    if (at == NO_HEAD) {
      return stored;
    }
    ByteBuffer head = ByteBuffer.wrap(bytes, at, HEAD).slice();
    int length = head.getInt(MARK.length);
    int chunkLength = head.getInt(MARK.length + 4);
    long stamp = head.getLong(MARK.length + 8);
    ByteArrayOutputStream value = new ByteArrayOutputStream(length);
    for (int i = 0; value.size() < length; i++) {
      Item chunk = chunk(key, name(key, i, stamp));
      if (chunk.value().length != Math.min(chunkLength, length - value.size())) {
        throw new IOException("a chunk of " + key + " has " + chunk.value().length + " bytes");
      }
      value.write(chunk.value());
    }
    // What was prepended and appended since lies around the head.
    ByteArrayOutputStream whole = new ByteArrayOutputStream(bytes.length + length);
    whole.write(bytes, 0, at);
    whole.write(value.toByteArray());
    whole.write(bytes, at + HEAD, bytes.length - at - HEAD);
    boolean clientsBit = (head.get(FORM) & CLIENTS_BIT) != 0;
    int flags = (stored.flags() & ~Rule.SPLIT_FLAG) | (clientsBit ? Rule.SPLIT_FLAG : 0);
    return new Item(flags, whole.toByteArray());
  }

  private static int head(byte[] value) {
    for (int at = 0; at <= value.length - HEAD; at++) {
      byte[] start = Arrays.copyOfRange(value, at, at + MARK.length);
      start[FORM] &= (byte) ~CLIENTS_BIT;
      if (Arrays.equals(start, MARK)
          && ByteBuffer.wrap(value).getInt(at + SUMMED) == sum(value, at, SUMMED)) {
        return at;
      }
    }
    return NO_HEAD;
  }

  private Item chunk(String key, String name) throws IOException {
    Place place = setting.chunk(key, name);
    Item chunk = Item.read(servers.get(place.server()).server(), place.key());
    if (chunk == null) {
      throw new IOException("the chunk " + name + " is not on server " + place.server());
    }
    if (chunk.flags() != sum(chunk.value(), 0, chunk.value().length)) {
      throw new IOException("the chunk " + name + " is not what its flags say");
    }
    return chunk;
  }

  private static int sum(byte[] bytes, int from, int count) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, count);
    return (int) crc.getValue();
  }

  private static String name(String key, int number, long stamp) {
    byte[] bytes = ByteBuffer.allocate(Long.BYTES).putLong(0, stamp).array();
    return (key.length() > LONGEST_NAME ? fingerprint(key) : key)
        + ":split:"
        + number
        + ':'
        + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** FNV-1a of 64 bits. */
  private static String fingerprint(String key) {
    long hash = 0xcbf29ce484222325L;
    for (byte b : key.getBytes(ISO_8859_1)) {
      hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
    }
    return String.format("%016x", hash);
  }
}
