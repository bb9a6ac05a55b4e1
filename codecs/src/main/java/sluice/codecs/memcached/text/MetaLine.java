package sluice.codecs.memcached.text;

import io.netty.buffer.ByteBuf;

/**
 * Flags of a meta request that the gateway must know: {@code O}, {@code q}, {@code b} and {@code
 * T}, and whether the line may be rewritten at all. One instance, used again and again.
 */
public final class MetaLine {
  /** With more tokens, an added one could exceed a server's limit. */
  private static final int MAX_TOKENS_TO_EXTEND = 17;

  private int opaque;
  private int quiet;
  private boolean base64;
  private boolean returnsKey;
  private boolean clean;
  private boolean extendable;
  private boolean changes;
  private int timeToLive;

  /** Reads the flags of line from token {@code first} on. Borrows the line's buffer. */
  public MetaLine read(TextLine line, int first) {
    opaque = -1;
    quiet = -1;
    base64 = false;
    returnsKey = false;
    clean = true;
    long seen = 0;
    changes = false;
    timeToLive = -1;
    ByteBuf in = line.buffer();
    for (int token = first; token < line.count(); token++) {
      MetaFlag flag = MetaFlag.of(in.getByte(line.start(token)));
      if (flag == null) {
        clean = false;
        continue;
      }
      clean &= (seen & flag.bit()) == 0;
      seen |= flag.bit();
      switch (flag) {
        case OPAQUE -> {
          clean &= line.length(token) - 1 <= StorageLine.MAX_OPAQUE;
          opaque = token;
        }
        case QUIET -> quiet = token;
        case BASE64 -> base64 = true;
        case RETURN_KEY -> returnsKey = true;
        case VIVIFY, RECACHE -> changes = true;
        case TIME_TO_LIVE -> timeToLive = token;
        default -> {}
      }
    }
    clean &= line.count() <= StorageLine.MAX_META_TOKENS;
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

  /** Whether the key is in base64. */
  public boolean base64() {
    return base64;
  }

  /** Whether the reply repeats the key. */
  public boolean returnsKey() {
    return returnsKey;
  }

  /**
   * Whether memcached knows every flag, none is repeated, the opaque is short enough, and the
   * tokens are not too many. A server refuses any other line; it is not forwarded.
   */
  public boolean isClean() {
    return clean;
  }

  /** The token of the time to live, or -1. */
  public int timeToLive() {
    return timeToLive;
  }

  /**
   * For an mg: whether it wins nothing and creates nothing. It may be sent twice then, unless its
   * time to live has passed.
   */
  public boolean isRead() {
    return !changes;
  }

  /** For an mg: whether it leaves the item unchanged, including its time to live. */
  public boolean leavesItem() {
    return !changes && timeToLive < 0;
  }

  /** Whether one more token is within the server's limit. */
  public boolean isExtendable() {
    return extendable;
  }
}
