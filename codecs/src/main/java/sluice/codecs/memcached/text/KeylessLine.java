package sluice.codecs.memcached.text;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.AsciiNumber;
import sluice.codecs.buffer.McmcNumber;
import sluice.codecs.buffer.StrtolNumber;
import sluice.codecs.memcached.ServerVersion;
import sluice.names.Command;

/**
 * Interpretation of a line without a key that may be sent on a shared connection: flush_all,
 * verbosity, cache_memlimit, version.
 *
 * <p>It shows how a server of a version reads the line. A line that a server would execute is
 * rewritten.
 *
 * <pre>
 * command         before 1.6.40                    from 1.6.40 on
 * flush_all       at most one argument, noreply    the first argument counts
 * verbosity       one or two tokens behind it      the first argument counts
 * cache_memlimit  one or two tokens behind it      the first argument counts
 * version         nothing counts                   nothing counts
 * </pre>
 *
 * <p>A last token "noreply" suppresses every reply, errors included. One instance is used again and
 * again.
 */
public final class KeylessLine {
  private static final String BAD_FORMAT = "CLIENT_ERROR bad command line format";
  private static final String BAD_EXPTIME = "CLIENT_ERROR invalid exptime argument";
  private static final String ERROR = "ERROR";
  private static final long MAX_UNSIGNED_INT = 0xFFFF_FFFFL;

  private Command command = Command.VERSION;
  private @Nullable String error;
  private boolean noreply;
  private boolean hasNumber;
  private long number;

  /** The server's reason to refuse the line, without line end; null if it does not. */
  public @Nullable String error() {
    return error;
  }

  /** Whether a server answers nothing, not even an error. */
  public boolean noreply() {
    return noreply;
  }

  /** Reads line as a server of the version does. Borrows the line's buffer. */
  public KeylessLine read(TextLine line, Command of, ServerVersion version) {
    command = of;
    error = null;
    hasNumber = false;
    number = 0;
    int last = line.count() - 1;
    noreply = of != Command.VERSION && last > 0 && line.is(last, "noreply");
    boolean proxy = version.readsLinesAsProxy();
    switch (of) {
      case VERSION -> {
        // further tokens are ignored
      }
      case FLUSH_ALL -> flush(line, proxy);
      case VERBOSITY, CACHE_MEMLIMIT -> number(line, proxy);
      default -> throw new IllegalArgumentException(of.label() + " is not one of these");
    }
    return this;
  }

  private void flush(TextLine line, boolean proxy) {
    if (!proxy && line.count() > 3) {
      refuse(ERROR, false);
      return;
    }
    if (line.count() == (noreply ? 2 : 1)) {
      return; // the delay is 0: now
    }
    ByteBuf in = line.buffer();
    int from = line.start(1);
    int to = line.end(1);
    if (proxy && McmcNumber.isInt(in, from, to)) {
      number = McmcNumber.intValue(in, from, to);
    } else if (!proxy && StrtolNumber.isSigned(in, from, to)) {
      number = (int) StrtolNumber.signed(in, from, to); // wraps, as memcached's does
    } else {
      error = BAD_EXPTIME;
      return;
    }
    hasNumber = true;
  }

  private void number(TextLine line, boolean proxy) {
    String refusal = command == Command.VERBOSITY ? BAD_FORMAT : ERROR;
    if (!proxy && (line.count() < 2 || line.count() > 3)) {
      refuse(ERROR, false);
      return;
    }
    ByteBuf in = line.buffer();
    if (line.count() < 2 || !isUnsignedInt(in, line.start(1), line.end(1), proxy)) {
      error = refusal;
      return;
    }
    hasNumber = true;
    number = StrtolNumber.unsigned(in, line.start(1), line.end(1)) & MAX_UNSIGNED_INT;
  }

  private static boolean isUnsignedInt(ByteBuf in, int from, int to, boolean proxy) {
    return proxy
        ? McmcNumber.isUnsignedInt(in, from, to)
        : StrtolNumber.isUnsigned(in, from, to); // wraps, as memcached's does
  }

  private void refuse(String reason, boolean silently) {
    error = reason;
    noreply = silently;
  }

  /** Appends the line that was read, without noreply, and its end. Borrows out. */
  public void write(ByteBuf out) {
    out.writeCharSequence(command.label(), US_ASCII);
    if (hasNumber) {
      out.writeByte(' ');
      AsciiNumber.writeSigned(out, number);
    }
    out.writeShort('\r' << 8 | '\n');
  }
}
