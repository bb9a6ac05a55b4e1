package sluice.codecs.memcached.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Base64;
import sluice.codecs.buffer.AsciiNumber;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.binary.BinaryHeader;
import sluice.codecs.memcached.binary.Opcode;
import sluice.names.Command;

/** The views of requests and replies on any bytes: no exception, no contradiction. */
class TextRequestFuzzTest {
  private static final ServerVersion[] VERSIONS = {ServerVersion.UNKNOWN, ServerVersion.EMBEDDED};

  @FuzzTest(maxDuration = "60s")
  void shouldReadAnyLine(byte[] bytes) {
    ByteBuf in = Unpooled.wrappedBuffer(bytes);
    TextLine line = new TextLine().wrap(in, 0, bytes.length);
    int last = 0;
    for (int token = 0; token < line.count(); token++) {
      assertThat(line.start(token)).isGreaterThanOrEqualTo(last);
      assertThat(line.length(token)).isPositive();
      last = line.end(token);
    }
    Command command = TextCommands.of(line);
    if (command != Command.UNKNOWN && command != Command.DEBUG) {
      assertThat(line.is(0, command.label())).isTrue();
    }
    switch (command) {
      case SET, ADD, REPLACE, APPEND, PREPEND, CAS, MS -> readStorageLine(line, command);
      case MG, MD, MA, ME -> readMetaLine(line, 2);
      default -> {}
    }
  }

  private static void readStorageLine(TextLine line, Command command) {
    for (ServerVersion version : VERSIONS) {
      StorageLine storage = new StorageLine().read(line, command, version);
      if (storage.error() == null) {
        assertThat(storage.dataLength()).isNotNegative();
        assertThat(line.length(1)).isLessThanOrEqualTo(StorageLine.MAX_KEY);
      }
    }
    if (command == Command.MS) {
      readMetaLine(line, 3);
    }
  }

  private static void readMetaLine(TextLine line, int first) {
    MetaLine meta = new MetaLine().read(line, first);
    if (meta.opaque() >= 0) {
      assertThat(meta.opaque()).isBetween(first, line.count() - 1);
    }
    if (meta.base64() && Base64Key.isValid(line.buffer(), line.start(1), line.end(1))) {
      ByteBuf decoded = Unpooled.buffer();
      Base64Key.decode(line.buffer(), line.start(1), line.end(1), decoded);
      byte[] jdk = Base64.getDecoder().decode(line.string(1));
      assertThat(decoded).isEqualTo(Unpooled.wrappedBuffer(jdk));
    }
  }

  @FuzzTest(maxDuration = "60s")
  void shouldReadAnyReply(byte[] bytes) {
    ByteBuf in = Unpooled.wrappedBuffer(bytes);
    int length = bytes.length;
    TextReply.isError(in, 0, length);
    int keyEnd = TextReply.tokenEnd(in, Math.min(6, length), length);
    assertThat(TextReply.valueSize(in, keyEnd, length)).isBetween(-1, Integer.MAX_VALUE - 2);
    if (AsciiNumber.isSigned(in, 0, length)) {
      AsciiNumber.signed(in, 0, length);
    }
    if (length >= BinaryHeader.LENGTH) {
      assertThat(BinaryHeader.bodyLength(in, 0)).isBetween(0L, 0xFFFFFFFFL);
      assertThat(BinaryHeader.keyStart(in, 0)).isBetween(24, 24 + 255);
      assertThat(Opcode.loud(BinaryHeader.opcode(in, 0))).isBetween(0, 255);
    }
  }
}
