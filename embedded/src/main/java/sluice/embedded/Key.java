package sluice.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Key of a request, in place, and its hash. One instance, used again and again; it borrows the
 * wrapped buffer.
 */
final class Key {
  /** The longest key in bytes. */
  static final int MAX_LENGTH = 250;

  // A random seed for each process, so that a client cannot choose keys that share a bucket. A
  // simulation sets it, because it influences which items a full store evicts.
  private static final long SEED =
      Long.getLong("sluice.embedded.seed", ThreadLocalRandom.current().nextLong());
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private ByteBuf buffer = Unpooled.EMPTY_BUFFER;
  private int start;
  private int length;
  private int hash;
  private boolean encoded;

  /** Wraps the key [start, start + length). */
  Key wrap(ByteBuf buffer, int start, int length) {
    this.buffer = buffer;
    this.start = start;
    this.length = length;
    encoded = false;
    hash = hash(buffer, start, length);
    return this;
  }

  /** Wraps a key, as {@link #wrap}, that the client wrote in base64 and expects back in base64. */
  Key wrapDecoded(ByteBuf buffer, int start, int length) {
    wrap(buffer, start, length);
    encoded = true;
    return this;
  }

  static int hash(ByteBuf buffer, int start, int length) {
    long h = SEED ^ length;
    int i = start;
    int end = start + length;
    for (; i + Long.BYTES <= end; i += Long.BYTES) {
      h = mix(h ^ buffer.getLong(i));
    }
    long rest = 0;
    for (; i < end; i++) {
      rest = rest << Byte.SIZE | (buffer.getByte(i) & 0xFF);
    }
    h = mix(h ^ rest);
    return (int) (h ^ h >>> 32);
  }

  private static long mix(long h) {
    long m = h * MULTIPLIER;
    return (m ^ m >>> 29) * 0xBF58476D1CE4E5B9L;
  }

  ByteBuf buffer() {
    return buffer;
  }

  int start() {
    return start;
  }

  int length() {
    return length;
  }

  int end() {
    return start + length;
  }

  int hash() {
    return hash;
  }

  /** Whether the client wrote this key in base64. */
  boolean isEncoded() {
    return encoded;
  }
}
