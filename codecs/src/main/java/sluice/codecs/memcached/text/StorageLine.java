package sluice.codecs.memcached.text;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.AsciiNumber;
import sluice.codecs.buffer.McmcNumber;
import sluice.codecs.buffer.StrtolNumber;
import sluice.codecs.memcached.ServerVersion;
import sluice.names.Command;

/**
 * Interpretation of the line of a storage command (set, add, replace, append, prepend, cas, ms). It
 * shows how long the data block is, whether a server refuses the line, and whether its bytes are
 * canonical.
 *
 * <p>A server that refuses a line may read the data block as commands, so such a line must never
 * reach a shared connection. A canonical line means the same to every version of memcached and may
 * be forwarded unchanged. Any other line that a server would execute is rewritten. Both ways of
 * reading, before and from 1.6.40, are in protocols/memcached.md, 2.3 and 3.2. One instance, used
 * again and again.
 */
public final class StorageLine {
  /** The longest key in bytes, as it is written on the line. */
  public static final int MAX_KEY = 250;

  /** The most bytes of an {@code O} token after its letter. */
  public static final int MAX_OPAQUE = 31;

  /**
   * The most tokens of a meta line that every version accepts. From 1.6.40 on, one more would be
   * accepted, but an earlier server would execute the data block of such an ms
   * (MFLAG_MAX_OPT_LENGTH).
   */
  public static final int MAX_META_TOKENS = 19;

  private static final int MAX_DATA = Integer.MAX_VALUE - 2;

  private static final int MOST_FLAGS_DIGITS = 10;
  private static final long MAX_FLAGS = 0xFFFF_FFFFL;
  private static final String BAD_FORMAT = "CLIENT_ERROR bad command line format";

  private int dataLength;
  private final MetaErrors metaErrors = new MetaErrors();
  private @Nullable String error;
  private boolean noreply;
  private boolean canonical;
  private int flags;
  private int exptime;
  private long cas;

  /** Bytes of the data block without its line end, or -1 if the server would not read one. */
  public int dataLength() {
    return dataLength;
  }

  /** The server's reason to refuse the line, without line end; null if it does not. */
  public @Nullable String error() {
    return error;
  }

  /** Whether a server answers nothing, not even an error. */
  public boolean noreply() {
    return noreply;
  }

  /** Whether every version of memcached reads the line's bytes in the same way, and replies. */
  public boolean isCanonical() {
    return canonical;
  }

  /**
   * The client flags of a classic line: 32 bits unsigned; of a larger number, the lowest 32 bits.
   */
  public int flags() {
    return flags;
  }

  /** The exptime of a classic line, within 32 bits signed as the server would take it. */
  public int exptime() {
    return exptime;
  }

  /** The cas to compare of a cas line: 64 bits unsigned. */
  public long cas() {
    return cas;
  }

  /**
   * Reads line as a server of the version does. If the version is unknown, or does not know the
   * command, a refused line has a data block if the newest version would read one, or a version
   * before 1.6.10. The client sends that block, and a third party may have chosen its content.
   * Borrows the line's buffer.
   */
  public StorageLine read(TextLine line, Command command, ServerVersion version) {
    boolean knows = version.isKnown() && (command != Command.MS || version.speaksMeta());
    int newest = knows ? -1 : readAs(line, command, ServerVersion.EMBEDDED).dataLength;
    readAs(line, command, version);
    if (error != null && dataLength < 0) {
      dataLength = newest;
    }
    if (dataLength < 0 && command == Command.MS && !version.speaksMeta()) {
      dataLength = lengthInFlag(line);
    }
    return this;
  }

  /** The length in the form of ms before 1.6.10, in a flag such as {@code S5}; otherwise -1. */
  private static int lengthInFlag(TextLine line) {
    ByteBuf in = line.buffer();
    for (int token = 2; token < line.count(); token++) {
      int from = line.start(token) + 1;
      int to = line.end(token);
      if (in.getByte(from - 1) == 'S' && AsciiNumber.isSigned(in, from, to)) {
        long length = AsciiNumber.signed(in, from, to);
        return length < 0 || length > MAX_DATA ? -1 : (int) length;
      }
    }
    return -1;
  }

  private StorageLine readAs(TextLine line, Command command, ServerVersion version) {
    dataLength = -1;
    error = null;
    noreply = false;
    canonical = line.isRegular();
    boolean proxy = version.readsLinesAsProxy();
    if (line.hasNul() && !proxy) {
      error = "ERROR";
    } else if (command == Command.MS) {
      if (version.speaksMeta()) {
        readMeta(line, version);
      } else {
        error = "ERROR";
      }
    } else if (proxy) {
      readAsProxy(line, command == Command.CAS);
    } else {
      readBeforeProxy(line, command == Command.CAS);
    }
    return this;
  }

  private void readBeforeProxy(TextLine line, boolean cas) {
    int count = line.count();
    int wanted = cas ? 6 : 5;
    if (count != wanted && count != wanted + 1) {
      error = "ERROR";
      return;
    }
    noreply = line.is(count - 1, "noreply");
    if (!readFields(line, cas, false) || !readLengthBeforeProxy(line, 4)) {
      error = BAD_FORMAT;
      return;
    }
    checkCanonical(line, cas);
  }

  private void readAsProxy(TextLine line, boolean cas) {
    int count = line.count();
    if (count < 5 || !readLengthAsProxy(line, 4)) {
      error = BAD_FORMAT;
      return;
    }
    noreply = line.is(count - 1, "noreply");
    if (!readFields(line, cas, true)) {
      error = BAD_FORMAT;
      return;
    }
    checkCanonical(line, cas);
  }

  /** Reads key, flags, exptime and cas; returns false if one of them is invalid. */
  private boolean readFields(TextLine line, boolean comparesCas, boolean proxy) {
    ByteBuf in = line.buffer();
    if (line.length(1) > MAX_KEY
        || line.count() < (comparesCas ? 6 : 5)
        || !StrtolNumber.isUnsigned(in, line.start(2), line.end(2))
        || !StrtolNumber.isSigned(in, line.start(3), line.end(3))
        || (comparesCas && !isCas(in, line.start(5), line.end(5), proxy))) {
      return false;
    }
    // both wrap, as in memcached
    flags = (int) StrtolNumber.unsigned(in, line.start(2), line.end(2));
    exptime = (int) StrtolNumber.signed(in, line.start(3), line.end(3));
    cas = comparesCas ? StrtolNumber.unsigned(in, line.start(5), line.end(5)) : 0;
    return true;
  }

  private static boolean isCas(ByteBuf in, int from, int to, boolean proxy) {
    return proxy ? McmcNumber.isUnsignedLong(in, from, to) : StrtolNumber.isUnsigned(in, from, to);
  }

  private void checkCanonical(TextLine line, boolean comparesCas) {
    ByteBuf in = line.buffer();
    canonical &=
        line.count() == (comparesCas ? 6 : 5)
            && line.length(2) <= MOST_FLAGS_DIGITS
            && AsciiNumber.isCanonicalUnsigned(in, line.start(2), line.end(2))
            && AsciiNumber.unsigned(in, line.start(2), line.end(2)) <= MAX_FLAGS
            && AsciiNumber.isCanonicalInt(in, line.start(3), line.end(3))
            && AsciiNumber.isCanonicalInt(in, line.start(4), line.end(4))
            && (!comparesCas || AsciiNumber.isCanonicalUnsigned(in, line.start(5), line.end(5)));
  }

  private boolean readLengthBeforeProxy(TextLine line, int token) {
    ByteBuf in = line.buffer();
    if (!StrtolNumber.isSigned(in, line.start(token), line.end(token))) {
      return false;
    }
    // wraps, as in memcached
    int length = (int) StrtolNumber.signed(in, line.start(token), line.end(token));
    if (length < 0 || length > MAX_DATA) {
      return false;
    }
    dataLength = length;
    return true;
  }

  private boolean readLengthAsProxy(TextLine line, int token) {
    ByteBuf in = line.buffer();
    if (!McmcNumber.isInt(in, line.start(token), line.end(token))) {
      return false;
    }
    int length = McmcNumber.intValue(in, line.start(token), line.end(token));
    if (length < 0 || length > MAX_DATA) {
      return false;
    }
    dataLength = length;
    return true;
  }

  private void readMeta(TextLine line, ServerVersion version) {
    boolean proxy = version.readsLinesAsProxy();
    int count = line.count();
    if (count < 2) {
      error = proxy ? BAD_FORMAT : "ERROR";
      return;
    }
    if (!proxy && count > MAX_META_TOKENS && line.length(1) <= MAX_KEY) {
      error = "CLIENT_ERROR options flags too long";
      return;
    }
    if (count < 3 || !(proxy ? readLengthAsProxy(line, 2) : readLengthBeforeProxy(line, 2))) {
      error = BAD_FORMAT;
      return;
    }
    if (proxy && !MetaFlag.mayBegin(line, 3)) {
      error = BAD_FORMAT;
      dataLength = -1; // the server forgets the data block
      return;
    }
    if (line.length(1) > MAX_KEY) {
      error = BAD_FORMAT;
      dataLength = proxy ? dataLength : -1;
      return;
    }
    if (count > MAX_META_TOKENS) {
      error = "CLIENT_ERROR options flags are too long";
      return;
    }
    metaErrors.begin(version);
    for (int token = 3; token < count; token++) {
      MetaFlag flag = metaErrors.next(line, token);
      if (flag == null) {
        break;
      }
      metaErrors.add(
          flag,
          flag == MetaFlag.MODE
              ? errorOfMode(line, token, proxy)
              : metaErrors.ofArgument(line, token, flag));
    }
    error = metaErrors.error() == null ? metaErrors.later() : metaErrors.error();
    canonical &= AsciiNumber.isCanonicalInt(line.buffer(), line.start(2), line.end(2));
  }

  private static @Nullable String errorOfMode(TextLine line, int token, boolean proxy) {
    int from = line.start(token) + 1;
    int to = line.end(token);
    if (!proxy && to - from != 1) {
      return MetaErrors.BAD_MODE_LENGTH;
    }
    boolean known = from < to && "EAPRS".indexOf(line.buffer().getByte(from)) >= 0;
    return known ? null : MetaErrors.BAD_MODE_OF_MS;
  }

  // --- writing ------------------------------------------------------------------------------

  /**
   * If the exptime is negative, replaces it by a second that has passed: for a server that may not
   * read a negative one.
   */
  public void expireAt(int second) {
    if (exptime < 0) {
      exptime = second;
      canonical = false;
    }
  }

  /** Appends everything after the key of a classic line, and the line end. Borrows out. */
  public void writeBehindKey(Command command, ByteBuf out) {
    out.writeByte(' ');
    AsciiNumber.writeUnsigned(out, Integer.toUnsignedLong(flags));
    out.writeByte(' ');
    AsciiNumber.writeSigned(out, exptime);
    out.writeByte(' ');
    AsciiNumber.writeUnsigned(out, dataLength);
    if (command == Command.CAS) {
      out.writeByte(' ');
      AsciiNumber.writeUnsigned(out, cas);
    }
    out.writeShort('\r' << 8 | '\n');
  }
}
