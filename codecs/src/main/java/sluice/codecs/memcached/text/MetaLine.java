package sluice.codecs.memcached.text;

import io.netty.buffer.ByteBuf;

/**
 * The flags of a meta request that a gateway must know: where {@code O}, {@code q} and {@code b}
 * stand, and whether the line may be rewritten at all. One instance is used again and again.
 */
public final class MetaLine {
  /** From this many tokens on, one more could make the line too long for the server. */
  private static final int MAX_TOKENS_TO_EXTEND = 17;

  private int opaque;
  private int quiet;
  private boolean base64;
  private boolean returnsKey;
  private boolean clean;
  private boolean extendable;
  private boolean changes;
  private boolean touches;

  /** Reads the flags of line from token {@code first} on. Borrows the line's buffer. */
  public MetaLine read(TextLine line, int first) {
    opaque = -1;
    quiet = -1;
    base64 = false;
    returnsKey = false;
    clean = true;
    int paths = 0;
    int locals = 0;
    changes = false;
    touches = false;
    ByteBuf in = line.buffer();
    for (int token = first; token < line.count(); token++) {
      switch (in.getByte(line.start(token))) {
        case 'O' -> {
          clean &= opaque < 0 && line.length(token) - 1 <= StorageLine.MAX_OPAQUE;
          opaque = token;
        }
        case 'q' -> {
          clean &= quiet < 0;
          quiet = token;
        }
        case 'P' -> clean &= paths++ == 0;
        case 'L' -> clean &= locals++ == 0;
        case 'b' -> base64 = true;
        case 'k' -> returnsKey = true;
        case 'N', 'R' -> changes = true;
        case 'T' -> touches = true;
        default -> {}
      }
    }
    extendable = line.count() <= MAX_TOKENS_TO_EXTEND;
    return this;
  }

  /** The token of the opaque, or -1. */
  public int opaque() {
    return opaque;
  }

  /** The token of {@code q}, or -1. */
  public int quiet() {
    return quiet;
  }

  /** Whether the key is written in base64. */
  public boolean base64() {
    return base64;
  }

  /** Whether the reply repeats the key. */
  public boolean returnsKey() {
    return returnsKey;
  }

  /**
   * Whether {@code q}, {@code O}, {@code P} and {@code L} may be taken away or changed without
   * changing whether the server refuses the line: it refuses a doubled flag and a long opaque.
   */
  public boolean isClean() {
    return clean;
  }

  /** Of an mg: whether it wins nothing and makes nothing, so that it may be asked twice. */
  public boolean isRead() {
    return !changes;
  }

  /** Of an mg: whether it leaves the item as it is, its time to live too. */
  public boolean leavesItem() {
    return !changes && !touches;
  }

  /** Whether a token may be added without making the line too long for the server. */
  public boolean isExtendable() {
    return extendable;
  }
}
