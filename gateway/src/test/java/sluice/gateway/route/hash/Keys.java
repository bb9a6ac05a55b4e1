package sluice.gateway.route.hash;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Random;

/** Keys to place: the same ones in every run. */
final class Keys {
  static final int COUNT = 10_000;
  private static final int MAX_LENGTH = 250;

  private Keys() {}

  /**
   * Keys as the text protocol allows them, 1 to 250 bytes, half of them of any bytes. twemproxy and
   * libmemcached read those above 0x7F as negative only where the machine's char is signed.
   */
  static byte[][] any(int count) {
    Random random = new Random(20_121);
    boolean signedChar = System.getProperty("os.arch").matches("amd64|x86_64");
    byte[][] keys = new byte[count][];
    for (int i = 0; i < count; i++) {
      int length = 1 + (i % 4 == 0 ? random.nextInt(MAX_LENGTH) : random.nextInt(40));
      byte[] key = new byte[length];
      int limit = signedChar && i % 2 == 0 ? 0x100 : 0x7F;
      for (int at = 0; at < length; at++) {
        int value = 0x21 + random.nextInt(limit - 0x21);
        key[at] = (byte) (value == 0x7F ? 'x' : value);
      }
      keys[i] = key;
    }
    return keys;
  }

  /** Short keys in which the characters of tag abound, whole, halved, empty, nested and swapped. */
  static byte[][] tagged(int count, String tag) {
    Random random = new Random(20_122);
    String alphabet = tag + tag + "abc";
    byte[][] keys = new byte[count][];
    for (int i = 0; i < count; i++) {
      byte[] key = new byte[1 + random.nextInt(16)];
      for (int at = 0; at < key.length; at++) {
        key[at] = (byte) alphabet.charAt(random.nextInt(alphabet.length()));
      }
      keys[i] = key;
    }
    return keys;
  }

  /** Where ring places each of keys; they do not lie at the start of their buffer. */
  static int[] placed(Ring ring, byte[][] keys) {
    int[] servers = new int[keys.length];
    ByteBuf buffer = Unpooled.buffer(MAX_LENGTH + 16);
    for (int i = 0; i < keys.length; i++) {
      buffer.clear().writeBytes(new byte[] {'g', '{', 't'}).writeBytes(keys[i]).writeByte('}');
      servers[i] = ring.serverOf(buffer, 3, keys[i].length);
    }
    buffer.release();
    return servers;
  }
}
