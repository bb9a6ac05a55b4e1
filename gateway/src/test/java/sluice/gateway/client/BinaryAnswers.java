package sluice.gateway.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;

/**
 * The replies of a server of the binary protocol where the value of each key is the key. What
 * stores another value fails the test: some of it was another's.
 */
final class BinaryAnswers {
  private BinaryAnswers() {}

  /** The replies to whole requests, a char a byte. */
  static String to(String asked) {
    ByteBuf in = Unpooled.copiedBuffer(asked, ISO_8859_1);
    ByteBuf out = Unpooled.buffer();
    while (in.isReadable()) {
      int at = in.readerIndex();
      assertThat(BinaryHeader.magic(in, at)).isEqualTo(BinaryHeader.REQUEST_MAGIC);
      int opcode = BinaryHeader.opcode(in, at);
      int extras = BinaryHeader.extrasLength(in, at);
      in.skipBytes(BinaryHeader.LENGTH + extras);
      String key = in.readSlice(BinaryHeader.keyLength(in, at)).toString(ISO_8859_1);
      int length = (int) BinaryHeader.bodyLength(in, at) - extras - key.length();
      String value = in.readSlice(length).toString(ISO_8859_1);
      int flags = opcode == Opcode.GET ? 4 : 0;
      String answer =
          switch (opcode) {
            case Opcode.GET -> key;
            case Opcode.VERSION -> "1.6.45";
            case Opcode.SET, Opcode.DELETE, Opcode.FLUSH, Opcode.NOOP -> "";
            default -> throw new AssertionError("opcode " + opcode);
          };
      assertThat(value).isEqualTo(opcode == Opcode.SET ? key : "");
      BinaryHeader.writeResponse(
          out,
          opcode,
          0,
          flags,
          Opcode.STATUS_OK,
          flags + answer.length(),
          BinaryHeader.opaque(in, at),
          1);
      out.writeZero(flags).writeCharSequence(answer, ISO_8859_1);
    }
    return out.toString(ISO_8859_1);
  }
}
