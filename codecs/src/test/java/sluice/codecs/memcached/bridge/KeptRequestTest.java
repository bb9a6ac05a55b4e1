package sluice.codecs.memcached.bridge;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import sluice.codecs.memcached.ServerVersion;
import sluice.codecs.memcached.text.TextLine;
import sluice.names.Command;

/** Requests that are written after the buffers that they were read from have changed. */
class KeptRequestTest {
  private static String written(RequestWriter writer, Request request) {
    ByteBuf out = Unpooled.buffer();
    assertThat(writer.write(request, 7, new Awaited(), out)).isNull();
    return out.toString(US_ASCII);
  }

  private static ByteBuf bytes(String text) {
    return Unpooled.copiedBuffer(text, US_ASCII);
  }

  private static void keepsItsBytes(RequestWriter writer, Request read, ByteBuf... buffers) {
    String before = written(writer, read);
    Request kept = new Request();
    kept.keep(read, Unpooled.buffer().writeByte('x'));
    for (ByteBuf buffer : buffers) {
      buffer.setZero(0, buffer.writerIndex());
    }
    assertThat(written(writer, kept)).isEqualTo(before);
    Awaited awaited = new Awaited();
    awaited.remember(kept);
  }

  @Test
  void shouldKeepAMetaLine() {
    ByteBuf in = bytes("..mg client v t Oab k\r\n");
    ByteBuf renamed = bytes("server");
    TextLine line = new TextLine().wrap(in, 2, in.writerIndex() - 2);
    Request read = new Request();
    assertThat(MetaRequestReader.read(line, Command.MG, ServerVersion.EMBEDDED, read)).isNull();
    read.key.set(renamed, 0, 6);
    keepsItsBytes(MetaRequestWriter.INSTANCE, read, in, renamed);
  }

  @Test
  void shouldKeepAClassicLine() {
    ByteBuf in = bytes("get one two\r\n");
    TextLine line = new TextLine().wrap(in, 0, in.writerIndex() - 2);
    Request read = new Request();
    ServerVersion version = ServerVersion.UNKNOWN;
    assertThat(TextRequestReader.read(line, Command.GET, 2, version, read)).isNull();
    read.key.set(in, 8, 11);
    keepsItsBytes(TextRequestWriter.INSTANCE, read, in);
  }

  /** A reply that names the key names the client's, whatever the server calls it. */
  @Test
  void shouldKeepTheClientsName() {
    ByteBuf in = bytes("get client\r\n");
    TextLine line = new TextLine().wrap(in, 0, in.writerIndex() - 2);
    Request read = new Request();
    TextRequestReader.read(line, Command.GET, 1, ServerVersion.UNKNOWN, read);
    read.key.set(bytes("server"), 0, 6);
    Request kept = new Request();
    kept.keep(read, Unpooled.buffer());
    in.setZero(0, in.writerIndex());
    Awaited awaited = new Awaited();
    awaited.remember(kept);
    Reply reply = new Reply().clear(Status.NOT_FOUND);
    reply.status = Status.OK;
    reply.value(0);
    ByteBuf out = Unpooled.buffer();
    TextReplyWriter.INSTANCE.write(reply, awaited, out);
    assertThat(out.toString(US_ASCII)).startsWith("VALUE client 0 0");
  }

  @Test
  void shouldFollowItsBytesIntoAnotherBuffer() {
    ByteBuf in = bytes("mg client v Oab k\r\n");
    TextLine line = new TextLine().wrap(in, 0, in.writerIndex() - 2);
    Request read = new Request();
    assertThat(MetaRequestReader.read(line, Command.MG, ServerVersion.EMBEDDED, read)).isNull();
    read.key.set(in, 3, 9);
    String before = written(MetaRequestWriter.INSTANCE, read);
    ByteBuf moved = bytes("...mg client v Oab k\r\n");
    line.moved(moved, 3);
    read.moved(in, moved, 3);
    in.setZero(0, in.writerIndex());
    assertThat(written(MetaRequestWriter.INSTANCE, read)).isEqualTo(before);
    assertThat(read.clientKey.buffer).isSameAs(moved);
  }

  /** The name that servers know a key by lies elsewhere. */
  @Test
  void shouldLeaveWhatLiesInOtherBuffers() {
    ByteBuf in = bytes("get client\r\n");
    ByteBuf renamed = bytes("server");
    Request read = new Request();
    read.key.set(renamed, 0, 6);
    read.clientKey.set(in, 4, 10);
    read.moved(in, bytes(".get client\r\n"), 1);
    assertThat(read.key.buffer).isSameAs(renamed);
    assertThat(read.key.from).isZero();
    assertThat(read.clientKey.from).isEqualTo(5);
  }
}
