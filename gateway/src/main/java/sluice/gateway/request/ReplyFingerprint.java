package sluice.gateway.request;

import io.netty.buffer.ByteBuf;

/**
 * Fingerprint of one reply, computed from its bytes as they arrive. It does not depend on how they
 * are cut into slices. Replies with the same bytes have the same fingerprint; different replies
 * most likely have different ones. Belongs to one event loop.
 */
public final class ReplyFingerprint {
  /** The word of a packet's header that is the cas unique, which differs on each server. */
  private static final int CAS_WORD = 2;

  private static final long FACTOR = 0x87c37b91114253d5L; // of words, as in MurmurHash3
  private static final long SECOND_FACTOR = 0x4cf5ad432745937fL;
  private static final int OFFSET = 0x52dce729;

  private final boolean packet;
  private long hash;
  private long words; // complete ones
  private long word; // the next one, as far as it has arrived
  private int begun; // number of its bytes

  /**
   * The fingerprint of a reply without bytes.
   *
   * @param packet whether the reply is a packet, whose cas unique does not count
   */
  public ReplyFingerprint(boolean packet) {
    this.packet = packet;
  }

  /** Adds the bytes that pending reply buffers. Borrows them. */
  public void addHeld(PendingReply pending) {
    for (int i = 0; i < pending.sliceCount(); i++) {
      add(pending.slice(i));
    }
  }

  /** Adds the readable bytes of slice. Borrows slice. */
  void add(ByteBuf slice) {
    int at = slice.readerIndex();
    int end = slice.writerIndex();
    while (at < end) {
      if (begun == 0 && end - at >= Long.BYTES) {
        addWord(slice.getLongLE(at));
        at += Long.BYTES;
      } else {
        addByte(slice.getByte(at));
        at++;
      }
    }
  }

  private void addByte(byte next) {
    word |= (next & 0xFFL) << (begun * Byte.SIZE);
    begun++;
    if (begun == Long.BYTES) {
      addWord(word);
      word = 0;
      begun = 0;
    }
  }

  private void addWord(long complete) {
    hash = mixed(packet && words == CAS_WORD ? 0 : complete);
    words++;
  }

  private long mixed(long more) {
    long scattered = Long.rotateLeft(more * FACTOR, 31) * SECOND_FACTOR;
    return Long.rotateLeft(hash ^ scattered, 27) * 5 + OFFSET;
  }

  /** The fingerprint of the bytes so far. */
  public long value() {
    return mixed(word) ^ (words * Long.BYTES + begun) * FACTOR;
  }
}
