package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import sluice.codecs.memcached.text.StorageLine;

/**
 * Fields of a request that its reply repeats in the client's form. After the first requests nothing
 * is allocated.
 */
final class EchoedFields {
  int opcode;
  int opaque;

  /** The opaque of a meta client. */
  private final byte[] metaOpaque = new byte[StorageLine.MAX_OPAQUE];

  private int metaOpaqueLength;

  /** The letters that a meta reply repeats or fills in, in the requested order. */
  final byte[] order = new byte[MetaTokens.MOST];

  int orderLength;

  /** Length of the key, 0 if the reply does not name it. */
  int keyLength;

  private byte[] key = new byte[64];

  /** Whether the key is written in base64. */
  boolean isBase64;

  /** Copies what the reply to request repeats. */
  void read(Request request) {
    opcode = request.opcode;
    opaque = request.opaque;
    metaOpaqueLength = request.meta.copyOpaque(metaOpaque);
    orderLength = request.meta.orderLength;
    System.arraycopy(request.meta.order, 0, order, 0, orderLength);
    isBase64 = request.isBase64;
    keyLength = 0;
    if (request.returnsKey) {
      keyLength = request.clientKey.length();
      if (keyLength > key.length) {
        key = Arrays.copyOf(key, Math.max(keyLength, 2 * key.length));
      }
      request.clientKey.buffer.getBytes(request.clientKey.from, key, 0, keyLength);
    }
  }

  /** Copies another instance. */
  void set(EchoedFields other) {
    opcode = other.opcode;
    opaque = other.opaque;
    metaOpaqueLength = other.metaOpaqueLength;
    System.arraycopy(other.metaOpaque, 0, metaOpaque, 0, metaOpaqueLength);
    orderLength = other.orderLength;
    System.arraycopy(other.order, 0, order, 0, orderLength);
    if (other.keyLength > key.length) {
      key = new byte[other.key.length];
    }
    keyLength = other.keyLength;
    System.arraycopy(other.key, 0, key, 0, keyLength);
    isBase64 = other.isBase64;
  }

  boolean isKey(byte[] other) {
    return Arrays.equals(key, 0, keyLength, other, 0, other.length);
  }

  void writeKey(ByteBuf out) {
    out.writeBytes(key, 0, keyLength);
  }

  void writeMetaOpaque(ByteBuf out) {
    out.writeBytes(metaOpaque, 0, metaOpaqueLength);
  }
}
