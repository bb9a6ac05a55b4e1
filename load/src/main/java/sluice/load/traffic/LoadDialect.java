package sluice.load.traffic;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Requests of a load in one dialect of memcached, and their expected replies. */
public enum LoadDialect {
  /** Classic text: get and set. */
  TEXT {
    @Override
    public void set(ByteBuf out, String key, String value) {
      write(out, "set " + key + " " + FLAGS + " 0 " + value.length() + "\r\n" + value + "\r\n");
    }

    @Override
    public void get(ByteBuf out, String key) {
      write(out, "get " + key + "\r\n");
    }

    @Override
    public void stored(ByteBuf out) {
      write(out, "STORED\r\n");
    }

    @Override
    public void hit(ByteBuf out, String key, String value) {
      found(out, key, value);
      write(out, "END\r\n");
    }
  },
  /** Meta text: mg with flags and value, ms. */
  META {
    @Override
    public void set(ByteBuf out, String key, String value) {
      write(out, "ms " + key + " " + value.length() + " F" + FLAGS + "\r\n" + value + "\r\n");
    }

    @Override
    public void get(ByteBuf out, String key) {
      write(out, "mg " + key + " f v\r\n");
    }

    @Override
    public void stored(ByteBuf out) {
      write(out, "HD\r\n");
    }

    @Override
    public void hit(ByteBuf out, String key, String value) {
      write(out, "VA " + value.length() + " f" + FLAGS + "\r\n" + value + "\r\n");
    }
  },
  /** Binary: Get and Set. */
  BINARY {
    private static final int REQUEST = 0x80;
    private static final int RESPONSE = 0x81;
    private static final int GET = 0;
    private static final int SET = 1;

    @Override
    public void set(ByteBuf out, String key, String value) {
      header(out, REQUEST, SET, key.length(), 8, value.length());
      out.writeInt(FLAGS).writeInt(0);
      write(out, key + value);
    }

    @Override
    public void get(ByteBuf out, String key) {
      header(out, REQUEST, GET, key.length(), 0, 0);
      write(out, key);
    }

    @Override
    public void stored(ByteBuf out) {
      header(out, RESPONSE, SET, 0, 0, 0);
    }

    @Override
    public void hit(ByteBuf out, String key, String value) {
      header(out, RESPONSE, GET, 0, 4, value.length());
      out.writeInt(FLAGS);
      write(out, value);
    }

    @Override
    public int unknown() {
      return 16; // the cas unique
    }

    private void header(ByteBuf out, int magic, int opcode, int key, int extras, int value) {
      out.writeByte(magic).writeByte(opcode).writeShort(key).writeByte(extras).writeZero(3);
      out.writeInt(key + extras + value).writeInt(OPAQUE).writeLong(0);
    }
  };

  private static final int FLAGS = 7;
  private static final int OPAQUE = 0x51C1CE;

  /** Appends a request that stores value. */
  public abstract void set(ByteBuf out, String key, String value);

  /** Appends a request that reads key. */
  public abstract void get(ByteBuf out, String key);

  /** Appends the answer to a set. */
  public abstract void stored(ByteBuf out);

  /** Appends the answer to a get that hits. */
  public abstract void hit(ByteBuf out, String key, String value);

  /** Offset in a reply of eight bytes that only the server knows; -1 if there are none. */
  public int unknown() {
    return -1;
  }

  /** Appends classic text's answer for one key that was found. */
  public static void found(ByteBuf out, String key, String value) {
    write(out, "VALUE " + key + " " + FLAGS + " " + value.length() + "\r\n" + value + "\r\n");
  }

  /** Appends text, one byte for each character. */
  public static void write(ByteBuf out, String text) {
    out.writeCharSequence(text, StandardCharsets.ISO_8859_1);
  }
}
