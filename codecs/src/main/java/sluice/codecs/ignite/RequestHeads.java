package sluice.codecs.ignite;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.FieldWriter;
import sluice.codecs.memcached.binary.BinaryHeader;

/**
 * Writer of the part of a request before its key; the caller appends key and value unchanged. One
 * instance, used again and again, for requests to one cache. Allocates nothing.
 */
public final class RequestHeads {
  /** The longest cache name that fits into a store's extras. */
  public static final int MAX_CACHE_NAME_LENGTH =
      IgniteRequest.MAX_EXTRAS_LENGTH - IgniteOperation.STORE.extrasBeforeCacheName();

  private final FieldWriter fields = new FieldWriter();
  private final byte[] cacheName;

  /**
   * A writer of requests to one cache.
   *
   * @param cacheName UTF-8; empty for the cache named {@code default}
   * @throws IllegalArgumentException if the name does not fit into the extras
   */
  public RequestHeads(byte[] cacheName) {
    if (cacheName.length > MAX_CACHE_NAME_LENGTH) {
      throw new IllegalArgumentException(
          "a cache's name of "
              + cacheName.length
              + " bytes, expected at most "
              + MAX_CACHE_NAME_LENGTH);
    }
    this.cacheName = cacheName.clone();
  }

  /** Length of the longest head in bytes. */
  public int maxLength() {
    return BinaryHeader.LENGTH + IgniteOperation.COUNT.extrasBeforeCacheName() + cacheName.length;
  }

  /**
   * Appends the head of a store. Borrows out.
   *
   * @param flags types of key and value: {@link IgniteRequest#flags}
   * @param expiryMillis 0 for no expiry
   */
  public void store(
      ByteBuf out,
      int opcode,
      int opaque,
      int flags,
      int expiryMillis,
      int keyLength,
      int valueLength) {
    int extras = IgniteOperation.STORE.extrasBeforeCacheName() + cacheName.length;
    header(out, opcode, opaque, extras, keyLength, valueLength)
        .int64((long) flags << 32 | (expiryMillis & 0xFFFF_FFFFL))
        .bytes(cacheName)
        .done();
  }

  /**
   * Appends the head of an increment or a decrement; such counters are stored in no cache. Borrows
   * out.
   *
   * @param initial the value that the delta is applied to if there is no such counter; memcached
   *     does not apply the delta then
   * @param expiry memcached's field, which a node ignores
   */
  public void count(
      ByteBuf out, int opcode, int opaque, long delta, long initial, int expiry, int keyLength) {
    int extras = IgniteOperation.COUNT.mandatoryExtras();
    header(out, opcode, opaque, extras, keyLength, 0)
        .int64(delta)
        .int64(initial)
        .int32(expiry)
        .done();
  }

  /** Appends the head of any other request. Borrows out. */
  public void other(ByteBuf out, int opcode, int opaque, int keyLength, int valueLength) {
    if (cacheName.length == 0) {
      header(out, opcode, opaque, 0, keyLength, valueLength).done();
      return;
    }
    int extras = IgniteOperation.GET.extrasBeforeCacheName() + cacheName.length;
    header(out, opcode, opaque, extras, keyLength, valueLength).int32(0).bytes(cacheName).done();
  }

  private FieldWriter header(
      ByteBuf out, int opcode, int opaque, int extrasLength, int keyLength, int valueLength) {
    fields.into(out, BinaryHeader.LENGTH + extrasLength);
    return BinaryHeader.writeRequest(
        fields, opcode, keyLength, extrasLength, extrasLength + keyLength + valueLength, opaque, 0);
  }
}
