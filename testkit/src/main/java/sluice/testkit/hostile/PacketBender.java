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
  private static final String[] STATISTICS = {
    "", "", "settings", "items", "slabs", "detail dump", "detail", "cachedump 1 0", "none", "\0",
  };
  private static final String[] MECHANISMS = {"PLAIN", "plain", "PLAINS", "", "CRAM-MD5", "\0"};
  private static final String[] LINES = {
    "get a\r\n", "flush_all\r\n", "\r\n", "quit\r\n", "\0", "set a 0 0 1\r\nx\r\n", "mn\r\n",
  };
  private static final int STAT = 0x10;
  private static final int REQUEST = 0x80;
  private static final int RESPONSE = 0x81;
  private static final int LARGE = 64 * 1024;
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
  private int opaque; // of the packet before

  /**
   * A generator whose keys mostly begin with prefix.
   *
   * @param random source of all choices
   */
  public PacketBender(Random random, String prefix) {
    this.random = random;
    this.prefix = prefix;
  }

  /** The next request. In a few cases it is a line of text. */
  public byte[] next() {
    if (rarely(120)) {
      return Bytes.of(LINES[random.nextInt(LINES.length)]);
    }
    int opcode = opcode();
    byte[] key = Bytes.of(hasKey(opcode) || rarely(12) ? key(opcode) : "");
    byte[] extras = new byte[rarely(15) ? random.nextInt(24) : extras(opcode)];
    fill(extras);
    byte[] value = isStorage(opcode) || isLogin(opcode) || rarely(20) ? value() : new byte[0];
    int keyLength = lie(key.length, 30);
    int extrasLength = lie(extras.length, 30);
    int truth = key.length + extras.length + value.length;
    int body = rarely(25) ? LARGE - 20 + random.nextInt(12 * LARGE) : lie(truth, 30);
    ByteBuffer packet = ByteBuffer.allocate(HEADER + truth);
    packet.put((byte) magic()).put((byte) opcode);
    packet.putShort((short) keyLength).put((byte) extrasLength);
    packet.put((byte) (rarely(20) ? random.nextInt(256) : 0));
    packet.putShort((short) (rarely(10) ? random.nextInt() : 0));
    packet.putInt(body).putInt(nextOpaque());
    packet.putLong(rarely(4) ? random.nextInt(4) : rarely(10) ? random.nextLong() : 0);
    return packet.put(extras).put(key).put(value).array();
  }

  private int magic() {
    if (!rarely(60)) {
      return REQUEST;
    }
    return random.nextBoolean() ? RESPONSE : random.nextInt(256);
  }

  private int nextOpaque() {
    switch (random.nextInt(8)) {
      case 0 -> {
        // the one before again
      }
      case 1 -> opaque++;
      case 2 -> opaque = random.nextInt(4) - 1;
      default -> opaque = random.nextInt();
    }
    return opaque;
  }

  private int extras(int opcode) {
    boolean isFlush = opcode == 0x08 || opcode == 0x18;
    return isFlush && random.nextBoolean() ? 4 : EXTRAS[opcode]; // a delay
  }

  private static boolean isLogin(int opcode) {
    return opcode == 0x21 || opcode == 0x22;
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

  private String key(int opcode) {
    if (opcode == STAT && !rarely(4)) {
      return STATISTICS[random.nextInt(STATISTICS.length)];
    }
    if (isLogin(opcode) && !rarely(4)) {
      return MECHANISMS[random.nextInt(MECHANISMS.length)];
    }
    return switch (random.nextInt(12)) {
      case 0 -> FOREIGN[random.nextInt(FOREIGN.length)];
      case 1 -> prefix + "k".repeat(longest() - prefix.length());
      case 2, 3, 4 -> prefix + KEYS[random.nextInt(KEYS.length)];
      default -> prefix + KEYS[random.nextInt(3)];
    };
  }

  private int longest() {
    return random.nextBoolean() ? 185 + random.nextInt(68) : 249 + random.nextInt(3);
  }

  private byte[] value() {
    return Bytes.of(
        switch (random.nextInt(8)) {
          case 0 -> "x".repeat(4_090 + random.nextInt(12));
          case 1 -> "y".repeat(200);
          case 2 -> "MN\r\nEND\r\n";
          case 3 -> "flush_all\r\n";
          case 4 -> random.nextBoolean() ? "" : "\0user\0password";
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
