package sluice.gateway.embedded;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/** Keys in base64, read and written where they lie; as lenient and as strict as memcached. */
final class Base64Key {
  private static final byte[] ALPHABET =
      TextReply.ascii("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
  private static final byte SKIPPED = -1;
  private static final byte[] VALUES = values();

  private Base64Key() {}

  private static byte[] values() {
    byte[] values = new byte[256];
    Arrays.fill(values, SKIPPED);
    for (int i = 0; i < ALPHABET.length; i++) {
      values[ALPHABET[i]] = (byte) i;
    }
    values['='] = 0;
    return values;
  }

  /**
   * Decodes [from, from + length) to the start of target: groups of four with padding; bytes that
   * are not base64 are skipped.
   *
   * @return the decoded length, 0 when it is not base64
   */
  static int decode(ByteBuf source, int from, int length, ByteBuf target) {
    int group = 0;
    int inGroup = 0;
    int padding = 0;
    target.clear();
    int digits = 0;
    for (int i = from; i < from + length; i++) {
      digits += VALUES[source.getUnsignedByte(i)] == SKIPPED ? 0 : 1;
    }
    if (digits == 0 || digits % 4 != 0) {
      return 0;
    }
    for (int i = from; i < from + length && padding == 0; i++) {
      int b = source.getUnsignedByte(i);
      if (VALUES[b] == SKIPPED) {
        continue;
      }
      group = group << 6 | VALUES[b];
      inGroup++;
      if (b == '=') {
        padding++;
        for (int j = i + 1; j < from + length && inGroup < 4; j++) {
          int next = source.getUnsignedByte(j);
          if (VALUES[next] != SKIPPED) {
            group = group << 6 | VALUES[next];
            inGroup++;
            padding += next == '=' ? 1 : 0;
          }
        }
      }
      if (inGroup == 4) {
        target.writeMedium(group);
        group = 0;
        inGroup = 0;
      }
    }
    if (padding > 2) {
      return 0;
    }
    target.writerIndex(target.writerIndex() - padding);
    return target.writerIndex();
  }

  /** Appends [from, from + length) in base64 with padding. Borrows both. */
  static void encode(ByteBuf source, int from, int length, ByteBuf out) {
    int i = from;
    int end = from + length;
    for (; i + 3 <= end; i += 3) {
      write(out, source.getUnsignedMedium(i), 4);
    }
    if (end - i == 1) {
      write(out, source.getUnsignedByte(i) << 16, 2);
      out.writeByte('=').writeByte('=');
    } else if (end - i == 2) {
      write(out, source.getUnsignedShort(i) << 8, 3);
      out.writeByte('=');
    }
  }

  private static void write(ByteBuf out, int group, int digits) {
    for (int i = 0; i < digits; i++) {
      out.writeByte(ALPHABET[group >>> (18 - 6 * i) & 0x3F]);
    }
  }
}
