package sluice.perf;

import io.netty.buffer.ByteBuf;
import sluice.load.traffic.RequestFormat;

/** Redis's protocol, version 2: GET and SET. It shows what proxies of that protocol cost. */
enum RespFormat implements RequestFormat {
  RESP;

  @Override
  public void set(ByteBuf out, String key, String value) {
    RequestFormat.write(out, "*3\r\n$3\r\nSET\r\n" + bulk(key) + bulk(value));
  }

  @Override
  public void get(ByteBuf out, String key) {
    RequestFormat.write(out, "*2\r\n$3\r\nGET\r\n" + bulk(key));
  }

  @Override
  public void stored(ByteBuf out) {
    RequestFormat.write(out, "+OK\r\n");
  }

  @Override
  public void hit(ByteBuf out, String key, String value) {
    RequestFormat.write(out, bulk(value));
  }

  private static String bulk(String text) {
    return "$" + text.length() + "\r\n" + text + "\r\n";
  }
}
