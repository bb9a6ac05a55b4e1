package sluice.gateway.server.protocol;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.config.model.Credentials;
import sluice.gateway.loop.Loop;

/** Login for servers that require one. Immutable. */
public record ServerLogin(Credentials credentials) {
  private static final byte[] PLAIN = "PLAIN".getBytes(US_ASCII);

  /** The user, for messages; they never contain the password. */
  public String user() {
    return credentials.user();
  }

  /** memcached's ASCII authentication (doc/protocol.txt). The caller owns the result. */
  public ByteBuf text(Loop loop) {
    byte[] login = (credentials.user() + " " + credentials.password()).getBytes(UTF_8);
    ByteBuf request = loop.buffer(login.length + 32);
    request.writeCharSequence("set login 0 0 " + login.length + "\r\n", US_ASCII);
    return request.writeBytes(login).writeShort('\r' << 8 | '\n');
  }

  /** SASL's PLAIN (RFC 4616) in memcached's binary protocol. The caller owns the result. */
  public ByteBuf binary(Loop loop) {
    byte[] user = credentials.user().getBytes(UTF_8);
    byte[] password = credentials.password().getBytes(UTF_8);
    int body = PLAIN.length + user.length + password.length + 2;
    ByteBuf request = loop.buffer(BinaryHeader.LENGTH + body);
    request.writeByte(BinaryHeader.REQUEST_MAGIC).writeByte(Opcode.SASL_AUTH);
    request.writeShort(PLAIN.length).writeInt(0).writeInt(body).writeZero(12);
    request.writeBytes(PLAIN);
    return request.writeByte(0).writeBytes(user).writeByte(0).writeBytes(password);
  }
}
