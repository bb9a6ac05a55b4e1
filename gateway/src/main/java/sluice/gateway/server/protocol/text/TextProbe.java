package sluice.gateway.server.protocol.text;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;
import sluice.codecs.ProtocolException;
import sluice.codecs.memcached.ServerVersion;
import sluice.gateway.server.protocol.Excerpt;
import sluice.gateway.server.protocol.Probe;
import sluice.gateway.server.protocol.Probed;
import sluice.gateway.server.protocol.ServerContext;
import sluice.gateway.server.protocol.ServerLogin;

/**
 * Probe in the text protocol: asks for the server's version. If the server requires a login, it
 * logs in and asks again.
 *
 * <p>A server that requires no login would take one for an ordinary set, and store the password. So
 * it is only sent to a server that has refused to report its version, and once for each connection.
 */
final class TextProbe implements Probe {
  private static final byte LF = '\n';
  private static final int MAX_ANSWER = 16 * 1024;
  private static final ByteBuf VERSION =
      Unpooled.unreleasableBuffer(
          Unpooled.directBuffer(16).writeBytes("version\r\n".getBytes(US_ASCII)).asReadOnly());

  private enum State {
    /** No login was sent. */
    ASKED,
    /** The answer to the login has not come yet. */
    LOGGING_IN,
    /** The login was accepted. */
    ASKED_AGAIN,
    /** The connection closes. */
    FAILED
  }

  private final Probed connection;
  private final ServerContext server;
  private State state = State.ASKED;
  private @Nullable ByteBuf answer; // incomplete answer; null if there is none

  TextProbe(Probed connection, ServerContext server) {
    this.connection = connection;
    this.server = server;
  }

  @Override
  public void send() {
    connection.send(VERSION.duplicate());
  }

  @Override
  public boolean read(ByteBuf bytes) {
    if (state == State.FAILED) {
      return false;
    }
    if (answer == null) {
      answer = server.loop().buffer(128);
    }
    if (answer.writerIndex() + bytes.readableBytes() > MAX_ANSWER) {
      throw new ProtocolException("found more than " + MAX_ANSWER + " bytes in answer to version");
    }
    answer.writeBytes(bytes, bytes.readerIndex(), bytes.readableBytes());
    int lf = answer.indexOf(0, answer.writerIndex(), LF);
    if (lf < 0) {
      return false;
    }
    boolean alone = lf + 1 == answer.writerIndex();
    String line = answer.toString(0, lf, ISO_8859_1).trim();
    release();
    return state == State.LOGGING_IN ? loggedIn(line, alone) : told(line, alone);
  }

  private boolean told(String line, boolean alone) {
    if (line.startsWith("VERSION ") && alone) {
      ServerVersion version = ServerVersion.reported(line.substring("VERSION ".length()));
      connection.version(version);
      connection.isMemcached(version.isKnown());
      return true;
    }
    ServerLogin login = server.login();
    if (!line.startsWith("CLIENT_ERROR unauthenticated")) {
      fail("server " + server.name() + " answered " + Excerpt.of(line) + " to version");
    } else if (login == null) {
      state = State.FAILED;
      connection.fail(server.wantsLogin(), server.wantsLogin());
    } else if (state == State.ASKED_AGAIN || !alone) {
      fail("server " + server.name() + " requires another login after the first");
    } else {
      state = State.LOGGING_IN;
      connection.send(login.text(server.loop()));
    }
    return false;
  }

  private boolean loggedIn(String line, boolean alone) {
    if (line.equals("STORED") && alone) {
      state = State.ASKED_AGAIN;
      send();
    } else {
      state = State.FAILED;
      connection.loginRefused(line);
    }
    return false;
  }

  private void fail(String reason) {
    state = State.FAILED;
    connection.fail(server.brokeProtocol(), reason);
  }

  @Override
  public void release() {
    if (answer != null) {
      answer.release();
      answer = null;
    }
  }
}
