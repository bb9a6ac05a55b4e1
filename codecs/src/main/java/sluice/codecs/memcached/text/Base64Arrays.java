package sluice.codecs.memcached.text;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * One thread's way to the JDK's base64, which uses vector instructions but takes only whole arrays:
 * an array of each length, kept so that nothing is allocated for a key.
 *
 * <p>The JDK's decoder throws an exception for each bad key. That costs several microseconds, so
 * after one bad key the next keys are checked before they are decoded. A client that sends nothing
 * else causes one exception.
 */
final class Base64Arrays {
  private static final int LONGEST_KEPT = 336; // characters for a key of 250 bytes
  private static final int CHECKED = 64;

  private static final FastThreadLocal<Base64Arrays> OF_THREAD =
      new FastThreadLocal<>() {
        @Override
        protected Base64Arrays initialValue() {
          return new Base64Arrays();
        }
      };

  private final byte[] @Nullable [] inputs = new byte[LONGEST_KEPT + 1][];
  private byte[] output = new byte[LONGEST_KEPT];
  private int checks; // how many more keys are checked before they are decoded

  private Base64Arrays() {}

  static Base64Arrays ofThread() {
    return OF_THREAD.get();
  }

  private byte[] input(ByteBuf buffer, int from, int length) {
    byte[] input = length > LONGEST_KEPT ? new byte[length] : inputs[length];
    if (input == null) {
      input = new byte[length];
      inputs[length] = input;
    }
    buffer.getBytes(from, input);
    return input;
  }

  private byte[] output(int length) {
    if (length > output.length) {
      output = new byte[length];
    }
    return output;
  }

  /**
   * Decodes [from, to) into {@link #decoded}, if it is base64 of at least one byte, padded, and
   * nothing else. Borrows buffer.
   *
   * @return number of bytes; 0 if it is anything else
   */
  int decode(ByteBuf buffer, int from, int to) {
    int length = to - from;
    if (length == 0 || length % 4 != 0) {
      return 0;
    }
    if (checks > 0 && !Base64Key.hasOnlyDigits(buffer, from, to)) {
      checks = CHECKED;
      return 0;
    }
    checks = Math.max(0, checks - 1);
    try {
      return Base64.getDecoder().decode(input(buffer, from, length), output(length));
    } catch (IllegalArgumentException e) {
      checks = CHECKED;
      return 0;
    }
  }

  /** Holds the bytes of the key that was decoded last. Borrowed until the next call. */
  byte[] decoded() {
    return output;
  }

  /** Appends the bytes [from, to) as base64 with padding. Borrows both buffers. */
  void encode(ByteBuf buffer, int from, int to, ByteBuf out) {
    byte[] encoded = output(Base64Key.encodedLength(to - from));
    int characters = Base64.getEncoder().encode(input(buffer, from, to - from), encoded);
    out.writeBytes(encoded, 0, characters);
  }
}
