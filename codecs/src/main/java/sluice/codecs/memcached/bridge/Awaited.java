package sluice.codecs.memcached.bridge;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import sluice.codecs.memcached.text.TextLine;

/**
 * Facts about a request that are kept until its reply comes: how the server identifies it, and
 * which parts of the reply the client wants in which form. The holder pools instances; after the
 * first requests nothing is allocated.
 */
public final class Awaited {
  private static final int LONGEST_OPAQUE = 32;

  Operation operation = Operation.GET;
  int wants;
  int valueLength;
  boolean comparesCas;
  // mg that compares a cas: the server may omit a value that the client already has
  boolean mayLackValue;

  // The client's side.
  int opcode;
  int opaque;
  final byte[] metaOpaque = new byte[LONGEST_OPAQUE];
  int metaOpaqueLength;
  final byte[] order = new byte[MetaTokens.MOST];
  int orderLength;
  byte[] key = new byte[64];
  int keyLength;
  boolean isBase64;
  boolean isPart;

  // The server's side.
  int serverOpaque;
  int serverOpcode;
  long serverKey;
  boolean seenValue;
  boolean toldStates;

  /** Copies what the reply to request needs. */
  public void remember(Request request) {
    operation = request.operation;
    wants = request.wants;
    valueLength = request.valueLength;
    comparesCas = request.comparesCas;
    mayLackValue = request.knowsValue();
    opcode = request.opcode;
    opaque = request.opaque;
    metaOpaqueLength = -1;
    TextLine line = request.meta.line;
    if (line != null && request.meta.opaque >= 0) {
      int from = line.start(request.meta.opaque) + 1;
      metaOpaqueLength = line.end(request.meta.opaque) - from;
      line.buffer().getBytes(from, metaOpaque, 0, metaOpaqueLength);
    }
    orderLength = request.meta.orderLength;
    System.arraycopy(request.meta.order, 0, order, 0, orderLength);
    isBase64 = request.isBase64;
    isPart = false;
    seenValue = false;
    toldStates = false;
    serverOpaque = -1;
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
  public void copy(Awaited other) {
    operation = other.operation;
    wants = other.wants;
    valueLength = other.valueLength;
    comparesCas = other.comparesCas;
    mayLackValue = other.mayLackValue;
    opcode = other.opcode;
    opaque = other.opaque;
    metaOpaqueLength = other.metaOpaqueLength;
    System.arraycopy(other.metaOpaque, 0, metaOpaque, 0, Math.max(0, metaOpaqueLength));
    orderLength = other.orderLength;
    System.arraycopy(other.order, 0, order, 0, orderLength);
    if (other.keyLength > key.length) {
      key = new byte[other.key.length];
    }
    keyLength = other.keyLength;
    System.arraycopy(other.key, 0, key, 0, keyLength);
    isBase64 = other.isBase64;
    isPart = other.isPart;
    serverOpaque = other.serverOpaque;
    serverOpcode = other.serverOpcode;
    serverKey = other.serverKey;
    seenValue = other.seenValue;
    toldStates = other.toldStates;
  }

  /** Marks the reply as one value of a get of several keys, whose end is written elsewhere. */
  public void asPart() {
    isPart = true;
  }

  public Operation operation() {
    return operation;
  }

  /** Whether the client wants to see the value. */
  public boolean wantsValue() {
    return (wants & Request.VALUE) != 0;
  }

  /** Whether the client wants the value's length without the value. */
  public boolean wantsSize() {
    return (wants & Request.SIZE) != 0;
  }

  /**
   * Whether a meta client was told W, X or Z: that the item is stale, or which client is to write
   * it.
   */
  public boolean toldStates() {
    return toldStates;
  }

  /** Length of the value that the client has sent, in bytes. */
  public int valueLength() {
    return valueLength;
  }

  /**
   * Sets the opaque that was sent to the server and that the reply must repeat; -1 if it need not.
   */
  public void serverOpaque(int opaque) {
    serverOpaque = opaque;
  }

  boolean isKey(byte[] other) {
    return Arrays.equals(key, 0, keyLength, other, 0, other.length);
  }

  void writeKey(ByteBuf out) {
    out.writeBytes(key, 0, keyLength);
  }
}
