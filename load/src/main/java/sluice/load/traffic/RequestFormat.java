package sluice.load.traffic;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Format of a load's requests, and of their expected replies. Every method borrows its buffer. */
public interface RequestFormat {
  /** Appends a request that stores value. */
  void set(ByteBuf out, String key, String value);

  /** Appends a request that reads key. */
  void get(ByteBuf out, String key);

  /** Appends the answer to a set. */
  void stored(ByteBuf out);

  /** Appends the answer to a get that hits. */
  void hit(ByteBuf out, String key, String value);

  /** Offset in a reply of eight bytes that only the server knows; -1 if there are none. */
  default int unknown() {
    return -1;
  }

  /** Appends text, one byte for each character. */
  static void write(ByteBuf out, String text) {
    out.writeCharSequence(text, StandardCharsets.ISO_8859_1);
  }
}
