package sluice.gateway.samples;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Note of a request's key and the pool that its rule chose, kept for the logs until the reply.
 * Pooled with the pending reply that owns it. The bytes are copied, because the request's buffer is
 * released earlier.
 */
public final class KeyNote {
  /** The longest keys of memcached. Of a longer one, which is refused, the first bytes are kept. */
  static final int MOST_BYTES = 250;

  private static final int USUAL_LENGTH = 64;

  private byte[] key = new byte[USUAL_LENGTH];
  private int length;
  private int keys;
  private @Nullable String pool;

  /** Clears the note. */
  public void clear() {
    keys = 0;
    length = 0;
    pool = null;
  }

  /** Notes one more key: the first is kept, and the others are counted. */
  void add(ByteBuf from, int begin, int end, String sentTo) {
    if (keys++ == 0) {
      int bytes = Math.min(end - begin, MOST_BYTES);
      ensure(bytes);
      from.getBytes(begin, key, 0, bytes);
      length = bytes;
      pool = sentTo;
    }
  }

  /** Copies another note. */
  public void copy(KeyNote other) {
    ensure(other.length);
    System.arraycopy(other.key, 0, key, 0, other.length);
    length = other.length;
    keys = other.keys;
    pool = other.pool;
  }

  private void ensure(int bytes) {
    if (bytes > key.length) {
      key = new byte[Math.max(bytes, 2 * key.length)];
    }
  }

  /** Number of the request's keys; 0 for an empty note. */
  int keys() {
    return keys;
  }

  byte[] key() {
    return key;
  }

  int length() {
    return length;
  }

  /** The pool of the first key. */
  @Nullable String pool() {
    return pool;
  }
}
