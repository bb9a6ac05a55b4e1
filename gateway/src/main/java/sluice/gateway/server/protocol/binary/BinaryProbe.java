package sluice.gateway.server.protocol.binary;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import sluice.codecs.ProtocolException;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.gateway.server.protocol.Excerpt;
import sluice.gateway.server.protocol.Probe;
import sluice.gateway.server.protocol.Probed;
import sluice.gateway.server.protocol.ServerContext;
import sluice.gateway.server.protocol.ServerLogin;

/**
 * Probe in the binary protocol: asks for the server's version, and whether it accepts requests. It
 * logs in before if the server requires it.
 *
 * <pre>
 *   without auth:  Version, Noop
 *   with auth:     Version, SASL list            and then, if the server knows SASL:  SASL auth, Noop
 *                                                else:                                Noop
 * </pre>
 *
 * <p>Version and SASL's opcodes are answered before a login; Noop is refused there, and closes the
 * connection.
 */
final class BinaryProbe implements Probe {
  private static final int MAX_ANSWER = 4 * 1024;

  private final Probed connection;
  private final ServerContext server;
  private final Function<String, ServerVersion> versions;
  private @Nullable ServerVersion version; // null until the server has reported it
  private int expected = Opcode.VERSION;
  private boolean failed;
  private @Nullable ByteBuf answer; // incomplete answer; null if there is none

  /**
   * @param versions reads the text that the server reports as its version
   */
  BinaryProbe(Probed connection, ServerContext server, Function<String, ServerVersion> versions) {
    this.connection = connection;
    this.server = server;
    this.versions = versions;
  }

  @Override
  public void send() {
    ByteBuf probe = server.loop().buffer(2 * BinaryHeader.LENGTH);
    request(probe, Opcode.VERSION);
    request(probe, server.login() == null ? Opcode.NOOP : Opcode.SASL_LIST);
    connection.send(probe);
  }

  private static void request(ByteBuf out, int opcode) {
    out.writeByte(BinaryHeader.REQUEST_MAGIC).writeByte(opcode).writeZero(22);
  }

  @Override
  public boolean read(ByteBuf bytes) {
    if (failed) {
      return false;
    }
    if (answer == null) {
      answer = server.loop().buffer(128);
    }
    answer.writeBytes(bytes, bytes.readerIndex(), Math.min(bytes.readableBytes(), MAX_ANSWER));
    boolean usable = false;
    while (!usable && !failed && answer.isReadable()) {
      int at = answer.readerIndex();
      if (answer.getUnsignedByte(at) != BinaryHeader.RESPONSE_MAGIC) {
        fail(
            "server "
                + server.name()
                + " answered "
                + Excerpt.of(answer, at, answer.writerIndex())
                + " to a binary request");
        return false;
      }
      if (answer.readableBytes() < BinaryHeader.LENGTH) {
        return false;
      }
      long length = BinaryHeader.LENGTH + BinaryHeader.bodyLength(answer, at);
      if (length > MAX_ANSWER) {
        throw new ProtocolException("found an answer to the probe of " + length + " bytes");
      }
      if (answer.readableBytes() < length) {
        return false;
      }
      answer.skipBytes((int) length);
      usable = packet(answer, at, (int) length);
    }
    if (usable) {
      release();
    }
    return usable;
  }

  private boolean packet(ByteBuf answer, int at, int length) {
    int opcode = BinaryHeader.opcode(answer, at);
    int status = BinaryHeader.status(answer, at);
    String text =
        answer.toString(at + BinaryHeader.LENGTH, length - BinaryHeader.LENGTH, ISO_8859_1);
    if (opcode != expected) {
      fail(
          "server " + server.name() + " answered opcode " + opcode + " to the probe's " + expected);
      return false;
    }
    switch (opcode) {
      case Opcode.VERSION -> {
        if (status == Opcode.STATUS_OK || status == Opcode.STATUS_UNKNOWN_COMMAND) {
          version = versions.apply(text);
        } // else a gateway without a server: this is no version
        expected = server.login() == null ? Opcode.NOOP : Opcode.SASL_LIST;
      }
      case Opcode.SASL_LIST -> mechanisms(status, text);
      case Opcode.SASL_AUTH -> {
        expected = Opcode.NOOP;
        if (status != Opcode.STATUS_OK) {
          failed = true;
          connection.loginRefused(text);
        }
      }
      default -> {
        return noop(answer, status);
      }
    }
    return false;
  }

  private void mechanisms(int status, String text) {
    ByteBuf requests;
    if (status == Opcode.STATUS_UNKNOWN_COMMAND) {
      requests = server.loop().buffer(BinaryHeader.LENGTH);
      expected = Opcode.NOOP;
    } else if (status == Opcode.STATUS_OK && List.of(text.split(" ")).contains("PLAIN")) {
      requests = login().binary(server.loop());
      expected = Opcode.SASL_AUTH;
    } else {
      String reason = "server " + server.name() + " accepts no PLAIN login";
      failed = true;
      connection.fail(reason, reason + ", it answered " + Excerpt.of(text));
      return;
    }
    request(requests, Opcode.NOOP);
    connection.send(requests);
  }

  @SuppressWarnings("NullAway") // mechanisms are asked for only if there is one
  private ServerLogin login() {
    return server.login();
  }

  private boolean noop(ByteBuf answer, int status) {
    if (status == Opcode.STATUS_AUTH_ERROR) {
      failed = true;
      connection.fail(server.wantsLogin(), server.wantsLogin());
    } else if (status != Opcode.STATUS_OK || answer.isReadable()) {
      fail("server " + server.name() + " answered status " + status + " to noop");
    } else {
      if (version != null) {
        connection.version(version);
      }
      return true;
    }
    return false;
  }

  private void fail(String detail) {
    failed = true;
    connection.fail(server.brokeProtocol(), detail);
  }

  @Override
  public void release() {
    if (answer != null) {
      answer.release();
      answer = null;
    }
  }
}
