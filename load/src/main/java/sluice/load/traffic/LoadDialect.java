package sluice.load.traffic;

import io.netty.buffer.ByteBuf;

/** Requests of a load in one dialect of memcached, and their expected replies. */
public enum LoadDialect implements RequestFormat {
  /** Classic text: get and set. */
  TEXT {
    @Override
    public void set(ByteBuf out, String key, String value) {
      RequestFormat.write(
          out, "set " + key + " " + FLAGS + " 0 " + value.length() + "\r\n" + value + "\r\n");
    }

    @Override
    public void get(ByteBuf out, String key) {
      RequestFormat.write(out, "get " + key + "\r\n");
    }

    @Override
    public void stored(ByteBuf out) {
      RequestFormat.write(out, "STORED\r\n");
    }

    @Override
    public void hit(ByteBuf out, String key, String value) {
      found(out, key, value);
      RequestFormat.write(out, "END\r\n");
    }
  },
  /** Meta text: mg with flags and value, ms. */
  META {
    @Override
    public void set(ByteBuf out, String key, String value) {
      RequestFormat.write(
          out, "ms " + key + " " + value.length() + " F" + FLAGS + "\r\n" + value + "\r\n");
    }

    @Override
    public void get(ByteBuf out, String key) {
      RequestFormat.write(out, "mg " + key + " f v\r\n");
    }

    @Override
    public void stored(ByteBuf out) {
      RequestFormat.write(out, "HD\r\n");
    }

    @Override
    public void hit(ByteBuf out, String key, String value) {
      RequestFormat.write(out, "VA " + value.length() + " f" + FLAGS + "\r\n" + value + "\r\n");
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
      RequestFormat.write(out, key + value);
    }

    @Override
    public void get(ByteBuf out, String key) {
      header(out, REQUEST, GET, key.length(), 0, 0);
      RequestFormat.write(out, key);
    }

    @Override
    public void stored(ByteBuf out) {
      header(out, RESPONSE, SET, 0, 0, 0);
    }

    @Override
    public void hit(ByteBuf out, String key, String value) {
      header(out, RESPONSE, GET, 0, 4, value.length());
      out.writeInt(FLAGS);
      RequestFormat.write(out, value);
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

  /** Appends the reply of classic text for one key that was found. */
  public static void found(ByteBuf out, String key, String value) {
    RequestFormat.write(
        out, "VALUE " + key + " " + FLAGS + " " + value.length() + "\r\n" + value + "\r\n");
  }
}
