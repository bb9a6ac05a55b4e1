package sluice.testkit.hostile;

import java.nio.ByteBuffer;
import java.util.Random;

/** Generator of binary packets that are almost valid, or completely invalid. */
public final class PacketBender {
  private static final int HEADER = 24;
  private static final String[] KEYS = {
    "a", "b", "c", "noreply", "", "\0", "a b", "a\r\nSTORED", "\nflush_all\n", "\r\nEND\r\nMN\r\n",
  };
  private static final String[] FOREIGN = {
    "noreply",
    "canary:0",
    "canary:1",
    "",
    "a",
    " ",
    "detail dump",
    "cachedump 1 0",
    "settings",
    "reset",
    "detail on",
    "items",
  };
  private static final int[] EXTRAS = new int[256];

  static {
    for (int opcode : new int[] {0x01, 0x02, 0x03, 0x11, 0x12, 0x13}) {
      EXTRAS[opcode] = 8;
    }
    for (int opcode : new int[] {0x05, 0x06, 0x15, 0x16}) {
      EXTRAS[opcode] = 20;
    }
    for (int opcode : new int[] {0x1b, 0x1c, 0x1d, 0x1e, 0x23, 0x24}) {
      EXTRAS[opcode] = 4;
    }
  }

  private final Random random;
  private final String prefix;

  /**
   * A generator whose keys mostly begin with prefix.
   *
   * @param random source of all choices
   */
  public PacketBender(Random random, String prefix) {
    this.random = random;
    this.prefix = prefix;
  }

  /** The next request. */
  public byte[] next() {
    int opcode = opcode();
    byte[] key = Bytes.of(hasKey(opcode) || rarely(12) ? key() : "");
    byte[] extras = new byte[rarely(15) ? random.nextInt(24) : EXTRAS[opcode]];
    fill(extras);
    byte[] value = isStorage(opcode) || rarely(20) ? value() : new byte[0];
    int keyLength = lie(key.length, 30);
    int extrasLength = lie(extras.length, 30);
    int body = lie(key.length + extras.length + value.length, 30);
    ByteBuffer packet = ByteBuffer.allocate(HEADER + extras.length + key.length + value.length);
    packet.put((byte) (rarely(60) ? random.nextInt(256) : 0x80)).put((byte) opcode);
    packet.putShort((short) keyLength).put((byte) extrasLength);
    packet.put((byte) (rarely(20) ? random.nextInt(256) : 0));
    packet.putShort((short) (rarely(10) ? random.nextInt() : 0));
    packet.putInt(body).putInt(random.nextInt());
    packet.putLong(rarely(4) ? random.nextInt(4) : rarely(10) ? random.nextLong() : 0);
    return packet.put(extras).put(key).put(value).array();
  }

  private int opcode() {
    int opcode = rarely(40) ? random.nextInt(256) : random.nextInt(0x26);
    boolean ends = opcode == 0x07 || opcode == 0x17; // quit
    return ends && !rarely(4) ? 0x00 : opcode;
  }

  private static boolean hasKey(int opcode) {
    return switch (opcode) {
      case 0x07, 0x08, 0x0a, 0x0b, 0x17, 0x18, 0x1b, 0x20 -> false;
      default -> true;
    };
  }

  private static boolean isStorage(int opcode) {
    return switch (opcode) {
      case 0x01, 0x02, 0x03, 0x0e, 0x0f, 0x11, 0x12, 0x13, 0x19, 0x1a -> true;
      default -> false;
    };
  }

  private String key() {
    return switch (random.nextInt(12)) {
      case 0 -> FOREIGN[random.nextInt(FOREIGN.length)];
      case 1 -> prefix + "k".repeat(185 + random.nextInt(68) - prefix.length());
      case 2, 3, 4 -> prefix + KEYS[random.nextInt(KEYS.length)];
      default -> prefix + KEYS[random.nextInt(3)];
    };
  }

  private byte[] value() {
    return Bytes.of(
        switch (random.nextInt(8)) {
          case 0 -> "x".repeat(4_090 + random.nextInt(12));
          case 1 -> "y".repeat(200);
          case 2 -> "MN\r\nEND\r\n";
          case 3 -> "flush_all\r\n";
          case 4 -> "";
          default -> "17";
        });
  }

  private void fill(byte[] extras) {
    switch (random.nextInt(6)) {
      case 0 -> random.nextBytes(extras);
      case 1 -> java.util.Arrays.fill(extras, (byte) 0xff);
      case 2 -> {
        if (extras.length > 0) {
          extras[extras.length - 1] = 60;
        }
      }
      default -> {
        // zeros
      }
    }
  }

  private int lie(int truth, int odds) {
    if (!rarely(odds)) {
      return truth;
    }
    return switch (random.nextInt(5)) {
      case 0 -> truth + 1;
      case 1 -> Math.max(0, truth - 1);
      case 2 -> 0;
      case 3 -> 251;
      default -> random.nextInt();
    };
  }

  private boolean rarely(int odds) {
    return random.nextInt(odds) == 0;
  }
}
