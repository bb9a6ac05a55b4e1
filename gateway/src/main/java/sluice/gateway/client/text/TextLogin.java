package sluice.gateway.client.text;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import sluice.codecs.buffer.AsciiNumber;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.auth.Users;
import sluice.gateway.client.ConnectedClient;
import sluice.gateway.listener.ListenerView;
import sluice.gateway.metrics.Outcome;
import sluice.gateway.server.TextErrors;
import sluice.gateway.session.LoopState;
import sluice.names.Command;

/**
 * Login that a client of the text protocol must send first where one is required, as in memcached's
 * ASCII authentication (proto_text.c, try_read_command_asciiauth, of 1.6.45):
 *
 * <pre>
 *   set ANY ANY ANY length CRLF
 *   user SPACE password CRLF
 * </pre>
 *
 * <p>Until then every other line is answered with its own error. As in memcached, a line that is
 * too short closes the connection without an answer.
 */
final class TextLogin {
  private static final byte LF = '\n';
  private static final int MIN_LINE = 6;
  private static final int MAX_LINE = 2048;
  private static final int MAX_PAYLOAD = 16 * 1024;

  private final ConnectedClient client;
  private final LoopState loopState;
  private final ListenerView listenerView;
  private @Nullable ByteBuf kept; // incomplete line or payload; null if there is none
  private int payload; // its length with its line end; 0 while a line is read

  TextLogin(ConnectedClient client, LoopState loopState, ListenerView listenerView) {
    this.client = client;
    this.loopState = loopState;
    this.listenerView = listenerView;
  }

  /**
   * Reads one more part of a login, advances in's reader index. Borrows in.
   *
   * @return whether the client is logged in
   */
  boolean step(ByteBuf in) {
    return payload > 0 ? payload(in) : line(in);
  }

  /** Whether part of a login has been read. */
  boolean hasBegun() {
    return kept != null || payload > 0;
  }

  private boolean line(ByteBuf in) {
    int lf = in.indexOf(in.readerIndex(), in.writerIndex(), LF);
    int length = (lf < 0 ? in.writerIndex() : lf + 1) - in.readerIndex();
    if (length + (kept == null ? 0 : kept.writerIndex()) > MAX_LINE) {
      client.end();
      return false;
    }
    ByteBuf line = keep(in, length);
    if (lf >= 0) {
      int end = line.writerIndex() - 1;
      if (end < MIN_LINE) {
        client.end();
      } else {
        lineComplete(line, end);
      }
      release();
    }
    return false;
  }

  private void lineComplete(ByteBuf in, int end) {
    TextLine line = new TextLine().wrap(in, 0, in.getByte(end - 1) == '\r' ? end - 1 : end);
    boolean login =
        in.getMedium(0) == ('s' << 16 | 'e' << 8 | 't')
            && line.count() >= 5
            && AsciiNumber.isUnsigned(in, line.start(4), line.end(4));
    long length = login ? AsciiNumber.unsigned(in, line.start(4), line.end(4)) : -1;
    if (!login || Long.compareUnsigned(length, 0xFFFF_FFFFL) > 0) {
      refuse(Command.UNKNOWN, Outcome.REJECTED, "CLIENT_ERROR unauthenticated");
    } else if (length > MAX_PAYLOAD) {
      refuse(Command.SASL, Outcome.PROTOCOL_ERROR, "CLIENT_ERROR auth token too long");
    } else {
      payload = (int) length + 2;
    }
  }

  private boolean payload(ByteBuf in) {
    int held = kept == null ? 0 : kept.writerIndex();
    ByteBuf bytes = keep(in, Math.min(in.readableBytes(), payload - held));
    if (bytes.writerIndex() < payload) {
      return false;
    }
    int end = payload - 2;
    payload = 0;
    byte[] login = new byte[end + 2];
    bytes.getBytes(0, login);
    bytes.setZero(0, login.length);
    release();
    boolean admitted = payloadComplete(login, end);
    Arrays.fill(login, (byte) 0);
    return admitted;
  }

  private boolean payloadComplete(byte[] login, int end) {
    if (login[end] != '\r' || login[end + 1] != LF) {
      refuse(Command.SASL, Outcome.PROTOCOL_ERROR, "CLIENT_ERROR bad command line termination");
      return false;
    }
    int space = 0;
    while (space < end && login[space] != ' ') {
      space++;
    }
    if (space == end) {
      refuse(Command.SASL, Outcome.PROTOCOL_ERROR, "CLIENT_ERROR bad authentication token format");
      return false;
    }
    client.endsTurn(); // there may be thousands of users, each of which is compared
    if (!users().admit(login, 0, space, space + 1, end)) {
      listenerView.loginFailed(client.channel(), loopState.loop().now());
      refuse(Command.SASL, Outcome.REJECTED, "CLIENT_ERROR authentication failure");
      return false;
    }
    client.answer(Command.SASL, Outcome.OK, TextErrors.line(loopState.loop(), "STORED"));
    return true;
  }

  /** The users who may log in. */
  @SuppressWarnings("NullAway") // for a client that must log in, there are some until its end
  private Users users() {
    return listenerView.newestUsers();
  }

  private void refuse(Command command, Outcome outcome, String reply) {
    client.answer(command, outcome, TextErrors.line(loopState.loop(), reply));
  }

  /** Keeps the next length bytes of in, and advances in; returns all that are kept. Borrows in. */
  private ByteBuf keep(ByteBuf in, int length) {
    ByteBuf all = kept == null ? loopState.loop().buffer(128) : kept;
    kept = all;
    all.writeBytes(in, length);
    client.line().add(length);
    return all;
  }

  /** Releases the bytes of an incomplete login. */
  void release() {
    ByteBuf held = kept;
    if (held != null) {
      client.line().release();
      held.release();
      kept = null;
    }
  }
}
