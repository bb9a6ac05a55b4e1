package sluice.codecs.memcached.text;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.McmcNumber;
import sluice.codecs.buffer.StrtolNumber;
import sluice.codecs.memcached.ServerVersion;

/**
 * Errors in the flags of a meta line, in the order in which a server finds them (memcached's {@code
 * _meta_flag_preparse}). An unknown or repeated flag ends the search. If several arguments are
 * invalid, the last one counts. A wrong mode and an opaque that is too long are found later, when
 * the command is executed. Reused for one line after the other.
 */
public final class MetaErrors {
  public static final String BAD_TOKEN = "CLIENT_ERROR bad token in command line format";
  public static final String BAD_KEY = "CLIENT_ERROR error decoding key";
  public static final String BAD_MODE_LENGTH = "CLIENT_ERROR incorrect length for M token";
  public static final String BAD_MODE_OF_MS = "CLIENT_ERROR invalid mode for ms M token";
  public static final String BAD_MODE_OF_MA = "CLIENT_ERROR invalid mode for ma M token";
  public static final String OPAQUE_TOO_LONG = "CLIENT_ERROR opaque token too long";
  private static final String BAD_FORMAT = "CLIENT_ERROR bad command line format";
  private static final String BAD_INITIAL = "CLIENT_ERROR invalid numeric initial value";
  private static final String BAD_DELTA = "CLIENT_ERROR invalid numeric delta value";
  private static final String DUPLICATE = "CLIENT_ERROR duplicate flag";
  private static final String INVALID = "CLIENT_ERROR invalid flag";

  private ServerVersion version = ServerVersion.UNKNOWN;
  private long seen; // bits of the flags so far
  private @Nullable String error;
  private @Nullable String later; // found when the command is carried out

  /** Begins a line, which a server of this version reads. */
  public void begin(ServerVersion as) {
    version = as;
    seen = 0;
    error = null;
    later = null;
  }

  /** The version of the server. */
  public ServerVersion version() {
    return version;
  }

  /** The flag of a token, the next one; null if the server reads no further. Borrows the line. */
  public @Nullable MetaFlag next(TextLine line, int token) {
    byte letter = line.buffer().getByte(line.start(token));
    MetaFlag flag = MetaFlag.of(letter);
    boolean duplicate = flag == null ? MetaFlag.isOutside(letter) : (seen & flag.bit()) != 0;
    if (duplicate || flag == null || !flag.isKnownTo(version)) {
      error = duplicate ? DUPLICATE : INVALID;
      return null;
    }
    seen |= flag.bit();
    return flag;
  }

  /**
   * The error line for a flag's argument that every meta command refuses; null for none. Modes are
   * not checked, because they depend on the command. Borrows the line.
   */
  public @Nullable String ofArgument(TextLine line, int token, MetaFlag flag) {
    ByteBuf in = line.buffer();
    int from = line.start(token) + 1;
    int to = line.end(token);
    return switch (flag) {
      case BASE64 -> Base64Key.isReadable(in, line.start(1), line.end(1)) ? null : BAD_KEY;
      case OPAQUE -> to - from > StorageLine.MAX_OPAQUE ? OPAQUE_TOO_LONG : null;
      case SET_FLAGS -> isFlags(in, from, to) ? null : BAD_FORMAT;
      case TIME_TO_LIVE, VIVIFY, RECACHE -> isSeconds(in, from, to) ? null : BAD_TOKEN;
      case COMPARE_CAS, SET_CAS -> isUnsigned(in, from, to) ? null : BAD_TOKEN;
      case INITIAL -> isUnsigned(in, from, to) ? null : BAD_INITIAL;
      case DELTA -> isUnsigned(in, from, to) ? null : BAD_DELTA;
      default -> null;
    };
  }

  private boolean isFlags(ByteBuf in, int from, int to) {
    return isStrict()
        ? McmcNumber.isUnsignedInt(in, from, to)
        : StrtolNumber.isUnsigned(in, from, to);
  }

  private boolean isSeconds(ByteBuf in, int from, int to) {
    return isStrict() ? McmcNumber.isInt(in, from, to) : StrtolNumber.isSigned(in, from, to);
  }

  private boolean isUnsigned(ByteBuf in, int from, int to) {
    return isStrict()
        ? McmcNumber.isUnsignedLong(in, from, to)
        : StrtolNumber.isUnsigned(in, from, to);
  }

  private boolean isStrict() {
    return version.readsNumbersStrictly();
  }

  /** The seconds of a flag whose argument has no error. Borrows the line. */
  public long seconds(TextLine line, int token) {
    ByteBuf in = line.buffer();
    int from = line.start(token) + 1;
    int to = line.end(token);
    return isStrict() ? McmcNumber.intValue(in, from, to) : StrtolNumber.signed(in, from, to);
  }

  /** The unsigned number of a flag whose argument has no error. Borrows the line. */
  public static long unsigned(TextLine line, int token) {
    return StrtolNumber.unsigned(line.buffer(), line.start(token) + 1, line.end(token));
  }

  /** Adds the error line of a flag's argument; null if it has none. */
  public void add(MetaFlag flag, @Nullable String found) {
    if (found == null) {
      return;
    }
    boolean isMode = flag == MetaFlag.MODE && !found.equals(BAD_MODE_LENGTH);
    if (isMode || flag == MetaFlag.OPAQUE) {
      later = later == null || isMode ? found : later;
    } else if (error == null || flag != MetaFlag.SET_FLAGS) { // F has no error of its own
      error = found;
    }
  }

  /** The error line that the server finds when it reads the line; null for none. */
  public @Nullable String error() {
    return error;
  }

  /** The error line that it finds if there is no other; null for none. */
  public @Nullable String later() {
    return later;
  }
}
