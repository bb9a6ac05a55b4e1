package sluice.gateway.cut;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HexFormat;

/** The request whose reply says that everything before it was answered. */
@SuppressWarnings("ImmutableEnumChecker") // the arrays leave as copies
enum Fence {
  TEXT("mn\r\n".getBytes(ISO_8859_1), "MN\r\n".getBytes(ISO_8859_1)),
  BINARY(
      HexFormat.of().parseHex("800a00000000000000000000fe9ce0fe0000000000000000"),
      HexFormat.of().parseHex("810a00000000000000000000fe9ce0fe0000000000000000"));

  private final byte[] request;
  private final byte[] reply;

  Fence(byte[] request, byte[] reply) {
    this.request = request;
    this.reply = reply;
  }

  /** The fence of the dialect that these bytes are in. */
  static Fence of(byte[] request) {
    return request[0] == (byte) 0x80 ? BINARY : TEXT;
  }

  byte[] request() {
    return request.clone();
  }

  /** The requests and this fence behind them. */
  byte[] behind(byte[]... requests) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] each : requests) {
      all.writeBytes(each);
    }
    all.writeBytes(request);
    return all.toByteArray();
  }

  /** Whether the fence's reply ends these bytes. */
  boolean ends(byte[] heard) {
    int from = heard.length - reply.length;
    return from >= 0 && Arrays.equals(heard, from, heard.length, reply, 0, reply.length);
  }
}
