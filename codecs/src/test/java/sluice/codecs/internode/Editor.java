package sluice.codecs.internode;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import sluice.codecs.buffer.ByteSink;

/** Keeps messages as text, and gives each, or those of even ids, a payload of another length. */
final class Editor implements MessageReplacer {
  final List<String> seen = new ArrayList<>();
  final int version;
  private final int growth;
  private final boolean every;
  private final MessageHeader header = new MessageHeader();
  private ByteBuf message;

  Editor(int version, int growth, boolean every) {
    this.version = version;
    this.growth = growth;
    this.every = every;
  }

  @Override
  public boolean concerns(MessageHeader header) {
    return true;
  }

  @Override
  public boolean rewrite(ByteBuf message, int index, int length) {
    this.message = message;
    seen.add(message.toString(index, length, ISO_8859_1));
    assertThat(header.parse(message, index, index + length, version)).isTrue();
    assertThat(header.messageLength()).isEqualTo(length);
    return growth != 0 && (every || header.id() % 2 == 0) && header.payloadLength() >= -growth;
  }

  @Override
  public int length() {
    return newHeader(Unpooled.buffer()).readableBytes() + (int) header.payloadLength() + growth;
  }

  private ByteBuf newHeader(ByteBuf out) {
    new MessageHeaderWriter(version)
        .like(header)
        .write(
            out,
            header.paramCount(),
            message,
            header.paramsIndex(),
            header.paramsEnd() - header.paramsIndex(),
            header.payloadLength() + growth);
    return out;
  }

  @Override
  public void write(ByteBufAllocator allocator, ByteSink sink) {
    sink.accept(newHeader(allocator.directBuffer()));
    int kept = (int) header.payloadLength() + Math.min(growth, 0);
    if (kept > 0) {
      sink.accept(message.retainedSlice(header.payloadIndex(), kept));
    }
    if (growth > 0) {
      sink.accept(allocator.directBuffer().writeZero(growth));
    }
  }
}
