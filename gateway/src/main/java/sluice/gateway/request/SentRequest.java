package sluice.gateway.request;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import sluice.gateway.loop.MemoryShare;

/**
 * Sent form of a request, as far as it is needed later. The keys are needed because the reply
 * repeats them. The bytes are needed if the connection is lost and the request must be sent again.
 */
public final class SentRequest {
  private static final int MAX_HASHES_KEPT = 1024;
  private static final int LONGEST_KEPT = 1024;
  private static final byte[] NOTHING = {};
  private static final int LEAST_HASHES = 4;
  private static final long[] NO_HASHES = {};

  private MemoryShare memory;
  private byte[] request = NOTHING;
  private int requestLength;
  private int keyFrom;
  private int keyLength;
  private boolean sharesReply;
  private boolean followsShared;
  private int attempts;
  private long keyHash; // of the first key: most requests have no other
  private long[] moreHashes = NO_HASHES; // of the other keys
  private int keys;
  private int nextKey;

  /** An empty request; memory accounts for its growth. */
  SentRequest(MemoryShare memory) {
    this.memory = memory;
  }

  /** From now on, another loop's memory accounts for its growth: the request has moved there. */
  void accountTo(MemoryShare other) {
    memory = other;
  }

  /** Ends its use. */
  void drop() {
    memory.addObjects(-request.length);
    memory.addObjects(-(long) Long.BYTES * moreHashes.length);
  }

  private void room(int length) {
    if (length > request.length) {
      int longer = Math.max(length, 2 * request.length);
      memory.addObjects(longer - request.length);
      request = new byte[longer];
    }
  }

  private void hashes(int length) {
    memory.addObjects((long) Long.BYTES * (length - moreHashes.length));
    moreHashes = Arrays.copyOf(moreHashes, length);
  }

  void clear() {
    requestLength = 0;
    keyLength = 0;
    goesAlone();
    attempts = 0;
    keys = 0;
    nextKey = 0;
    if (moreHashes.length > MAX_HASHES_KEPT) {
      hashes(0);
    }
  }

  // --- to be sent again ---------------------------------------------------------------------

  /**
   * Remembers the request's bytes, [from, to) of in, if they are few, so that it can be sent again.
   * Borrows in.
   */
  public void remember(ByteBuf in, int from, int to) {
    int length = to - from;
    if (length > LONGEST_KEPT) {
      return;
    }
    room(length);
    in.getBytes(from, request, 0, length);
    requestLength = length;
  }

  /**
   * Remembers a read of one value in the form in which it would be sent alone, and its key, the
   * bytes [from, to) of in. Borrows in.
   */
  public void rememberRead(byte[] verb, ByteBuf in, int from, int to) {
    keyFrom = verb.length + 1;
    keyLength = to - from;
    requestLength = keyFrom + keyLength + 2;
    room(requestLength);
    System.arraycopy(verb, 0, request, 0, verb.length);
    request[verb.length] = ' ';
    in.getBytes(from, request, keyFrom, keyLength);
    request[requestLength - 2] = '\r';
    request[requestLength - 1] = '\n';
  }

  /** Forbids to send it again. */
  public void forget() {
    requestLength = 0;
  }

  /** Length of the remembered request; 0 if it cannot be sent again. */
  public int length() {
    return requestLength;
  }

  /** Whether the remembered request contains a NUL. */
  public boolean hasNul() {
    for (int i = 0; i < requestLength; i++) {
      if (request[i] == 0) {
        return true;
      }
    }
    return false;
  }

  /** Appends the remembered request. Borrows out, and returns it. */
  public ByteBuf write(ByteBuf out) {
    return out.writeBytes(request, 0, requestLength);
  }

  /** How many times it was sent again. */
  public int attempts() {
    return attempts;
  }

  /** Notes that it is sent again. */
  public void tryAgain() {
    attempts++;
    nextKey = 0; // the lost reply may have named some
  }

  // --- the keys that a reply names ----------------------------------------------------------

  /** Adds a key that the reply may name, in the requested order. */
  public void addKey(long hash) {
    if (keys == 0) {
      keyHash = hash;
    } else {
      if (keys > moreHashes.length) {
        hashes(Math.max(LEAST_HASHES, 2 * moreHashes.length));
      }
      moreHashes[keys - 1] = hash;
    }
    keys++;
  }

  /** Number of keys that the reply may name. */
  public int keys() {
    return keys;
  }

  /**
   * The index of the next requested key with this hash, after the last one found; -1 if the reply
   * names a key that was not requested.
   */
  public int findKey(long hash) {
    for (int i = nextKey; i < keys; i++) {
      if (hash(i) == hash) {
        nextKey = i + 1;
        return i;
      }
    }
    return -1;
  }

  /** Whether a key with this hash was requested, in any order. */
  public boolean hasKey(long hash) {
    for (int i = 0; i < keys; i++) {
      if (hash(i) == hash) {
        return true;
      }
    }
    return false;
  }

  private long hash(int key) {
    return key == 0 ? keyHash : moreHashes[key - 1];
  }

  void copyKeys(SentRequest other) {
    if (other.keys - 1 > moreHashes.length) {
      hashes(other.keys - 1);
    }
    System.arraycopy(other.moreHashes, 0, moreHashes, 0, Math.max(0, other.keys - 1));
    keyHash = other.keyHash;
    keys = other.keys;
  }

  /** Whether its only key is remembered. */
  public boolean knowsItsKey() {
    return keyLength > 0;
  }

  /** Whether the bytes [from, to) of in are the remembered key. Borrows in. */
  public boolean isNamed(ByteBuf in, int from, int to) {
    if (to - from != keyLength) {
      return false;
    }
    for (int i = 0; i < keyLength; i++) {
      if (in.getByte(from + i) != request[keyFrom + i]) {
        return false;
      }
    }
    return true;
  }

  // --- one line for several -----------------------------------------------------------------

  /** The line of this request also has the key of next. */
  public void joins(SentRequest next) {
    sharesReply = true;
    next.followsShared = true;
  }

  void goesAlone() {
    sharesReply = false;
    followsShared = false;
  }

  /**
   * Whether the next request in the queue was sent in the same line: their replies have one end.
   */
  public boolean isSharingReply() {
    return sharesReply;
  }

  /** Whether the previous request was sent in the same line. */
  public boolean isFollowingShared() {
    return followsShared;
  }
}
