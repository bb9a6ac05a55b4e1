package sluice.codecs.memcached.text;

import io.netty.buffer.ByteBuf;
import sluice.codecs.buffer.AsciiNumber;
import sluice.codecs.memcached.Command;
import sluice.codecs.memcached.ServerVersion;

/**
 * What a server makes of the line of a storage command (set, add, replace, append, prepend, cas,
 * ms): how long its data block is, and whether the line is refused.
 *
 * <p>A server that refuses a line may read the data block as commands, so such a line must never
 * reach a connection that others share. Both ways of reading, before and from 1.6.40, are in
 * protocols/memcached.md, 2.3 and 3.2. One instance is used again and again.
 */
public final class StorageLine {
  /** The longest key, as it is written on the line. */
  public static final int MAX_KEY = 250;

  /** Bytes of an {@code O} token behind its letter. */
  public static final int MAX_OPAQUE = 31;

  private static final int MAX_META_TOKENS = 20;
  private static final int MAX_DATA = Integer.MAX_VALUE - 2;
  private static final String BAD_FORMAT = "CLIENT_ERROR bad command line format";
  private static final String BAD_TOKEN = "CLIENT_ERROR bad token in command line format";
  private static final String META_LETTERS = "bcCEfFhltskOqvuTNRIxMJDPL";

  private int dataLength;
  private String error;
  private boolean noreply;

  /** Bytes of the data block without its line end, or -1 if the server would read none. */
  public int dataLength() {
    return dataLength;
  }

  /** Why the line is refused, without line end; null if it is not. */
  public String error() {
    return error;
  }

  /** Whether nothing is answered, an error neither. */
  public boolean noreply() {
    return noreply;
  }

  /** Reads line as a server of version does. Borrows the line's buffer. */
  public StorageLine read(TextLine line, Command command, ServerVersion version) {
    dataLength = -1;
    error = null;
    noreply = false;
    boolean proxy = version.readsLinesAsProxy();
    if (line.hasNul() && !proxy) {
      error = "ERROR";
    } else if (command == Command.MS) {
      readMeta(line, proxy);
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
    ByteBuf in = line.buffer();
    if (line.length(1) > MAX_KEY
        || !AsciiNumber.isUnsigned(in, line.start(2), line.end(2))
        || !AsciiNumber.isSigned(in, line.start(3), line.end(3))
        || !AsciiNumber.isSigned(in, line.start(4), line.end(4))
        || (cas && !AsciiNumber.isUnsigned(in, line.start(5), line.end(5)))) {
      error = BAD_FORMAT;
      return;
    }
    int length = (int) AsciiNumber.signed(in, line.start(4), line.end(4)); // wraps, as theirs does
    if (length < 0 || length > MAX_DATA) {
      error = BAD_FORMAT;
      return;
    }
    dataLength = length;
  }

  private void readAsProxy(TextLine line, boolean cas) {
    int count = line.count();
    if (count < 5 || !readLength(line, 4)) {
      error = BAD_FORMAT;
      return;
    }
    int wanted = cas ? 6 : 5;
    noreply = count > wanted && line.is(count - 1, "noreply");
    ByteBuf in = line.buffer();
    if (line.length(1) > MAX_KEY
        || count < wanted
        || !AsciiNumber.isUnsigned(in, line.start(2), line.end(2))
        || !AsciiNumber.isSigned(in, line.start(3), line.end(3))
        || (cas && !AsciiNumber.isUnsigned(in, line.start(5), line.end(5)))) {
      error = BAD_FORMAT;
    }
  }

  private boolean readLength(TextLine line, int token) {
    ByteBuf in = line.buffer();
    if (!AsciiNumber.isUnsigned(in, line.start(token), line.end(token))) {
      return false;
    }
    long length = AsciiNumber.unsigned(in, line.start(token), line.end(token));
    if (length < 0 || length > MAX_DATA) {
      return false;
    }
    dataLength = (int) length;
    return true;
  }

  private void readMeta(TextLine line, boolean proxy) {
    int count = line.count();
    if (count < 2) {
      error = proxy ? BAD_FORMAT : "ERROR";
      return;
    }
    if (count < 3 || !readLength(line, 2)) {
      error = BAD_FORMAT;
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
    long seen = 0;
    boolean base64 = false;
    for (int token = 3; token < count && error == null; token++) {
      byte flag = line.buffer().getByte(line.start(token));
      if (!isFlag(flag, proxy)) {
        error = proxy ? BAD_FORMAT : "CLIENT_ERROR invalid flag";
        dataLength = proxy ? -1 : dataLength;
      } else if ((seen & (1L << (flag & 63))) != 0) {
        error = "CLIENT_ERROR duplicate flag";
      } else if (META_LETTERS.indexOf(flag) < 0) {
        error = "CLIENT_ERROR invalid flag";
      } else {
        seen |= 1L << (flag & 63);
        base64 |= flag == 'b';
        error = errorOfArgument(line, token, flag, proxy);
      }
    }
    if (error == null && base64 && !Base64Key.isValid(line.buffer(), line.start(1), line.end(1))) {
      error = "CLIENT_ERROR error decoding key";
    }
  }

  /**
   * Whether a server goes on reading at such a flag: from 1.6.40 on it forgets the block if not.
   */
  private static boolean isFlag(byte flag, boolean proxy) {
    boolean letter = (flag >= 'a' && flag <= 'z') || (flag >= 'A' && flag <= 'Z');
    return proxy ? (flag >= '0' && flag <= '9') || (flag >= 'A' && flag <= 'z') : letter;
  }

  private static String errorOfArgument(TextLine line, int token, byte flag, boolean proxy) {
    ByteBuf in = line.buffer();
    int from = line.start(token) + 1;
    int to = line.end(token);
    return switch (flag) {
      case 'O' -> to - from > MAX_OPAQUE ? "CLIENT_ERROR opaque token too long" : null;
      case 'F' -> isFlags(in, from, to, proxy) ? null : BAD_FORMAT;
      case 'T', 'N' -> isSeconds(in, from, to, proxy) ? null : BAD_TOKEN;
      case 'C', 'E' -> AsciiNumber.isUnsigned(in, from, to) ? null : BAD_TOKEN;
      case 'M' -> errorOfMode(in, from, to, proxy);
      default -> null;
    };
  }

  private static boolean isFlags(ByteBuf in, int from, int to, boolean proxy) {
    return AsciiNumber.isUnsigned(in, from, to)
        && (!proxy || Long.compareUnsigned(AsciiNumber.unsigned(in, from, to), 0xFFFFFFFFL) <= 0);
  }

  private static boolean isSeconds(ByteBuf in, int from, int to, boolean proxy) {
    if (!AsciiNumber.isSigned(in, from, to)) {
      return false;
    }
    long seconds = AsciiNumber.signed(in, from, to);
    return !proxy || seconds == (int) seconds;
  }

  private static String errorOfMode(ByteBuf in, int from, int to, boolean proxy) {
    if (!proxy && to - from != 1) {
      return "CLIENT_ERROR incorrect length for M token";
    }
    return from < to && "EAPRS".indexOf(in.getByte(from)) >= 0
        ? null
        : "CLIENT_ERROR invalid mode for ms M token";
  }
}
