package sluice.codecs.memcached.text;

import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.ServerVersion;

/**
 * Flags of meta requests that memcached knows, by the letter that each begins with. A flag that has
 * no meaning for a command is accepted and ignored (protocols/memcached.md, 3).
 *
 * <pre>
 *   argument   NONE      b c f h k l q s t u v x I
 *              TEXT      O M P L
 *              SECONDS   T N R         signed, 32 bits
 *              FLAGS     F             unsigned, 32 bits
 *              NUMBER    C E J D       unsigned, 64 bits
 * </pre>
 */
public enum MetaFlag {
  /** The key is in base64. */
  BASE64('b', Argument.NONE),
  /** Returns the cas. */
  RETURN_CAS('c', Argument.NONE),
  /** Returns the client flags. */
  RETURN_FLAGS('f', Argument.NONE),
  /** Returns whether the item was read before. */
  HIT_BEFORE('h', Argument.NONE),
  /** Returns the key. */
  RETURN_KEY('k', Argument.NONE),
  /** Returns the seconds since the last access. */
  LAST_ACCESS('l', Argument.NONE),
  /** Suppresses the reply that has no new information. */
  QUIET('q', Argument.NONE),
  /** Returns the size of the value. */
  SIZE('s', Argument.NONE),
  /** Returns the seconds to live. */
  TIME_LEFT('t', Argument.NONE),
  /** Leaves the time of the last access unchanged. */
  NO_UPDATE('u', Argument.NONE),
  /** Returns the value. */
  VALUE('v', Argument.NONE),
  /** Removes the value and keeps the item. */
  REMOVE_VALUE('x', Argument.NONE),
  /** Marks the item as stale; of a set, accepts an older cas. */
  INVALIDATE('I', Argument.NONE),
  /** Returns this token. */
  OPAQUE('O', Argument.TEXT),
  /** Mode of a set or of arithmetic. */
  MODE('M', Argument.TEXT),
  /** For proxies, without meaning to a server. */
  PROXY_PATH('P', Argument.TEXT),
  /** For proxies, without meaning to a server. */
  PROXY_LABEL('L', Argument.TEXT),
  /** Sets the time to live. */
  TIME_TO_LIVE('T', Argument.SECONDS),
  /** Creates the item on a miss, with this time to live. */
  VIVIFY('N', Argument.SECONDS),
  /** Lets one client recache an item whose remaining time to live is less than this. */
  RECACHE('R', Argument.SECONDS),
  /** Sets the client flags. */
  SET_FLAGS('F', Argument.FLAGS),
  /** Compares the cas. */
  COMPARE_CAS('C', Argument.NUMBER),
  /** Sets the cas. */
  SET_CAS('E', Argument.NUMBER),
  /** Initial value of arithmetic that creates the item. */
  INITIAL('J', Argument.NUMBER),
  /** Delta of arithmetic. */
  DELTA('D', Argument.NUMBER);

  /** Argument of a flag, after its letter. */
  public enum Argument {
    NONE,
    TEXT,
    SECONDS,
    FLAGS,
    NUMBER
  }

  /** From 1.6.40 on, servers split a line into this many tokens (MCMC_PARSER_MAX_TOKENS - 1). */
  private static final int MOST_LOOKED_AT = 23;

  private static final @Nullable MetaFlag[] BY_LETTER = new MetaFlag[128];

  static {
    for (MetaFlag flag : values()) {
      BY_LETTER[flag.letter] = flag;
    }
  }

  private final byte letter;
  private final Argument argument;

  MetaFlag(char letter, Argument argument) {
    this.letter = (byte) letter;
    this.argument = argument;
  }

  /** The flag with this letter; null if there is none. */
  public static @Nullable MetaFlag of(int letter) {
    return letter >= 0 && letter < BY_LETTER.length ? BY_LETTER[letter] : null;
  }

  /** Whether servers of this version have it. */
  public boolean isKnownTo(ServerVersion version) {
    return version.hasFlagsEAndX() || (this != SET_CAS && this != REMOVE_VALUE);
  }

  /** Whether servers before 1.6.40 call this first byte of a token a duplicate flag. */
  public static boolean isOutside(byte letter) {
    return letter < 0 || letter == 127;
  }

  /**
   * Whether all tokens from {@code first} on begin with a byte that may be a flag's. From 1.6.40
   * on, servers do not read the line otherwise. They check 23 tokens.
   */
  public static boolean mayBegin(TextLine line, int first) {
    int looked = Math.min(line.count(), MOST_LOOKED_AT);
    for (int token = first; token < looked; token++) {
      byte letter = line.buffer().getByte(line.start(token));
      boolean isDigit = letter >= '0' && letter <= '9';
      if (!isDigit && (letter < 'A' || letter > 'z')) {
        return false;
      }
    }
    return true;
  }

  /** The letter that the flag begins with. */
  public byte letter() {
    return letter;
  }

  /** The argument after the letter. */
  public Argument argument() {
    return argument;
  }

  /** The flag as one bit of a set: no two letters differ by a multiple of 64. */
  public long bit() {
    return 1L << (letter & 63);
  }
}
