package sluice.codecs.memcached.text;

import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.ServerVersion;

/**
 * Errors of the flags of a meta line, in the order in which a server finds them (memcached's {@code
 * _meta_flag_preparse}). An unknown or repeated flag ends the search. Of wrong arguments, the last
 * one counts. A wrong mode and an opaque that is too long are found later, when the command is
 * carried out. Reused for one line after the other.
 */
public final class MetaErrors {
  public static final String BAD_TOKEN = "CLIENT_ERROR bad token in command line format";
  public static final String BAD_KEY = "CLIENT_ERROR error decoding key";
  public static final String BAD_MODE_LENGTH = "CLIENT_ERROR incorrect length for M token";
  public static final String BAD_MODE_OF_MS = "CLIENT_ERROR invalid mode for ms M token";
  public static final String BAD_MODE_OF_MA = "CLIENT_ERROR invalid mode for ma M token";
  public static final String OPAQUE_TOO_LONG = "CLIENT_ERROR opaque token too long";
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

  /** Adds the error line of a flag's argument; null if it has none. */
  public void add(MetaFlag flag, @Nullable String found) {
    if (found == null) {
      return;
    }
    boolean isMode = found.equals(BAD_MODE_OF_MS) || found.equals(BAD_MODE_OF_MA);
    if (isMode || found.equals(OPAQUE_TOO_LONG)) {
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
