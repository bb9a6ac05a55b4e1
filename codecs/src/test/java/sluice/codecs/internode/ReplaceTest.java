package sluice.codecs.internode;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.codecs.buffer.ByteSink;
import sluice.names.Verb;

/** Other messages in the place of some. */
class ReplaceTest {
  private static final int VERSION = 12;

  private static Collected replacing(Framing from, Framing to, Editor editor) {
    return Collected.replacing(from, to, editor.version, header -> true, editor);
  }

  /** Every message of a stream, in the order in which they become whole. */
  private static List<String> messages(Framing framing, int version, byte[] stream, int start) {
    Editor reader = new Editor(version, 0, true);
    try (Collected c = replacing(framing, Framing.UNPROTECTED, reader)) {
      c.read(stream, start, stream.length + 1);
      assertThat(c.reframer.heldBytes()).isZero();
    }
    return reader.seen;
  }

  /** What a message is to become. */
  private static String edited(String message, Editor editor) {
    ByteBuf in = Unpooled.copiedBuffer(message, ISO_8859_1);
    if (!editor.rewrite(in, 0, in.readableBytes())) {
      return message;
    }
    ByteBuf out = Unpooled.buffer();
    editor.write(
        in.alloc(),
        piece -> {
          out.writeBytes(piece);
          piece.release();
        });
    return out.toString(ISO_8859_1);
  }

  private static List<Vectors.Vector> intact() {
    return Vectors.intact().stream().filter(v -> !v.messages().isEmpty()).toList();
  }

  @ParameterizedTest
  @MethodSource("intact")
  void shouldPutOtherMessagesInTheirPlace(Vectors.Vector vector) {
    byte[] bytes = vector.bytes();
    int start = ReframerTest.start(bytes);
    List<String> before = messages(vector.framing(), vector.version(), bytes, start);
    assertThat(before).hasSameSizeAs(vector.messages());
    for (int growth : new int[] {0, 300, -1}) {
      Editor expecting = new Editor(vector.version(), growth, false);
      List<String> after = before.stream().map(message -> edited(message, expecting)).toList();
      for (Framing to : Framing.values()) {
        for (int size : new int[] {bytes.length, 1460, 61}) {
          Editor editor = new Editor(vector.version(), growth, false);
          try (Collected c = replacing(vector.framing(), to, editor)) {
            c.read(bytes, start, size);
            assertThat(c.messages).isEqualTo(Collected.described(vector.messages()));
            assertThat(editor.seen).isEqualTo(before);
            assertThat(c.reframer.heldBytes()).isZero();
            assertThat(messages(to, vector.version(), c.out(), 0)).isEqualTo(after);
          }
        }
      }
    }
  }

  private static byte[] frame(Framing framing, boolean selfContained, ByteBuf payload) {
    int length = payload.readableBytes();
    ByteBuf out = Unpooled.buffer().writeZero(framing.headerLength());
    Frame.setHeader(out, 0, framing, length, 0, selfContained);
    out.writeBytes(payload);
    if (framing.trailerLength() > 0) {
      out.writeIntLE(new FrameCrc32().of(out, framing.headerLength(), length));
    }
    return ByteBufUtil.getBytes(out);
  }

  private static ByteBuf message(int id, int payload) {
    ByteBuf out = Unpooled.buffer();
    new MessageHeaderWriter(VERSION).id(id).verb(Verb.ECHO_REQ.id()).write(out, payload);
    for (int i = 0; i < payload; i++) {
      out.writeByte(i % 251);
    }
    return out;
  }

  private static List<Integer> plainLengths(Framing framing, byte[] stream) {
    List<Integer> lengths = new ArrayList<>();
    ByteBuf in = Unpooled.wrappedBuffer(stream);
    Frame frame = new Frame(framing);
    for (int at = 0; at < stream.length; at += frame.length()) {
      frame.wrap(in, at);
      lengths.add(frame.isSelfContained() ? frame.plainLength() : -frame.plainLength());
    }
    return lengths;
  }

  /** A frame of 1000 messages that no longer fit into one, in any framing. */
  @ParameterizedTest
  @CsvSource({"CRC,CRC", "LZ4,LZ4", "LZ4,CRC", "CRC,LZ4", "UNPROTECTED,CRC"})
  void shouldMakeTwoFramesOfOneThatOutgrowsItself(Framing from, Framing to) {
    ByteBuf payload = Unpooled.buffer();
    for (int i = 0; i < 1000; i++) {
      payload.writeBytes(message(i, 80));
    }
    byte[] stream = frame(Framing.CRC, true, payload);
    try (Collected c = Collected.ofFrames(Framing.CRC, from)) {
      stream = from == Framing.CRC ? stream : c.read(stream, 0, stream.length).out();
    }
    Editor expecting = new Editor(VERSION, 60, true);
    List<String> after =
        messages(from, VERSION, stream, 0).stream().map(m -> edited(m, expecting)).toList();
    try (Collected c = replacing(from, to, new Editor(VERSION, 60, true))) {
      c.read(stream, 0, stream.length);
      assertThat(c.messages).hasSize(1000);
      assertThat(messages(to, VERSION, c.out(), 0)).isEqualTo(after);
      assertThat(plainLengths(to, c.out())).hasSize(2).allMatch(length -> length > 0);
      assertThat(c.reframer.framesRead()).isEqualTo(1);
      assertThat(c.reframer.framesWritten()).isEqualTo(2);
    }
  }

  /** Compressed frames become hundreds of times larger: a read may have very many messages. */
  @ParameterizedTest
  @EnumSource(names = {"LZ4", "CRC"})
  void shouldKeepNewMessagesOnlyUntilTheirFrameIsWritten(Framing to) {
    int messages = 1000;
    int frames = 20;
    ByteBuf payload = Unpooled.buffer();
    for (int i = 0; i < messages; i++) {
      payload.writeBytes(message(1, 10));
    }
    byte[] one = frame(Framing.CRC, true, payload);
    ByteBuf all = Unpooled.buffer();
    try (Collected c = Collected.ofFrames(Framing.CRC, Framing.LZ4)) {
      c.read(one, 0, one.length);
      for (int i = 0; i < frames; i++) {
        all.writeBytes(c.out());
      }
    }
    byte[] stream = ByteBufUtil.getBytes(all);
    Watched watched = new Watched(new Editor(VERSION, 1, true));
    try (Collected c = Collected.replacing(Framing.LZ4, to, VERSION, header -> true, watched)) {
      watched.memory = c::directMemory;
      c.read(stream, 0, stream.length);
      assertThat(c.reframer.framesWritten()).isEqualTo(frames);
      assertThat(c.messages).hasSize(frames * messages);
    }
    long ofFrame = 512L * messages; // two small buffers for each message
    assertThat(watched.most).isBetween(ofFrame / 2, 3 * ofFrame);
  }

  /** Replacer that notes how much memory is in use when a new message has been written. */
  private static final class Watched implements MessageReplacer {
    private final Editor editor;
    private LongSupplier memory = () -> 0;
    private long most;

    Watched(Editor editor) {
      this.editor = editor;
    }

    @Override
    public boolean concerns(MessageHeader header) {
      return editor.concerns(header);
    }

    @Override
    public boolean rewrite(ByteBuf message, int index, int length) {
      return editor.rewrite(message, index, length);
    }

    @Override
    public int length() {
      return editor.length();
    }

    @Override
    public void write(ByteBufAllocator allocator, ByteSink sink) {
      editor.write(allocator, sink);
      most = Math.max(most, memory.getAsLong());
    }
  }

  @Test
  void shouldEndWhereAMessageOutgrowsEveryFrame() {
    byte[] stream = frame(Framing.CRC, true, message(1, Frame.MAX_PAYLOAD - 20));
    try (Collected c = replacing(Framing.CRC, Framing.CRC, new Editor(VERSION, 40, true))) {
      assertThat(c.readUntilError(stream, 0, stream.length))
          .contains("but a frame holds at most 131071");
      assertThat(c.out()).isEmpty();
    }
  }

  /** The new header is spread over two buffers, so it must be copied together. */
  @Test
  void shouldRewriteAHeldMessageWithALargeHeader() {
    ByteBuf params = Unpooled.buffer().writeByte(14);
    Vint.write(params, 70_000);
    params.writeZero(70_000);
    ByteBuf message = Unpooled.buffer();
    new MessageHeaderWriter(VERSION)
        .id(4)
        .verb(Verb.ECHO_REQ.id())
        .write(message, 1, params, 0, params.readableBytes(), 100_000);
    message.writeZero(100_000);
    String before = message.toString(ISO_8859_1);
    ByteBuf out = Unpooled.buffer();
    out.writeBytes(frame(Framing.CRC, false, message.readSlice(100_000)));
    out.writeBytes(frame(Framing.CRC, false, message));
    byte[] stream = ByteBufUtil.getBytes(out);
    Editor editor = new Editor(VERSION, 5, true);
    try (Collected c =
        Collected.replacing(
            Framing.CRC, Framing.CRC, VERSION, header -> true, new CutHeader(editor))) {
      c.read(stream, 0, stream.length);
      assertThat(messages(Framing.CRC, VERSION, c.out(), 0))
          .containsExactly(edited(before, new Editor(VERSION, 5, true)));
    }
  }

  /** Replacer whose new messages begin with a few bytes alone. */
  private record CutHeader(Editor editor) implements MessageReplacer {
    @Override
    public boolean concerns(MessageHeader header) {
      return editor.concerns(header);
    }

    @Override
    public boolean rewrite(ByteBuf message, int index, int length) {
      return editor.rewrite(message, index, length);
    }

    @Override
    public int length() {
      return editor.length();
    }

    @Override
    public void write(ByteBufAllocator allocator, ByteSink sink) {
      editor.write(
          allocator,
          piece -> {
            if (piece.readableBytes() > 25) {
              sink.accept(piece.readRetainedSlice(25));
            }
            sink.accept(piece);
          });
    }
  }

  /** A large message is cut as it came; if it has become small, it is not cut at all. */
  @ParameterizedTest
  @EnumSource(Framing.class)
  void shouldCutAHeldMessageAsItCame(Framing to) {
    ByteBuf message = message(4, 100_000);
    ByteBuf out = Unpooled.buffer();
    while (message.isReadable()) {
      ByteBuf piece = message.readSlice(Math.min(message.readableBytes(), 30_000));
      out.writeBytes(frame(Framing.CRC, false, piece));
      if (out.readableBytes() < 40_000) {
        out.writeBytes(frame(Framing.CRC, true, message(6, 10)));
      }
    }
    byte[] stream = ByteBufUtil.getBytes(out);
    int rest = message(4, 100_000).readableBytes() - 90_000;
    int small = message(6, 10).readableBytes();
    for (int growth : new int[] {0, 5, -99_000}) {
      try (Collected c = replacing(Framing.CRC, to, new Editor(VERSION, growth, true))) {
        c.read(stream, 0, 4000);
        List<Integer> expected =
            growth == -99_000
                ? List.of(small, message(4, 1000).readableBytes())
                : List.of(
                    growth == 0 ? small : small + growth,
                    -30_000,
                    -30_000,
                    -30_000,
                    -rest - growth);
        assertThat(plainLengths(to, c.out())).isEqualTo(expected);
      }
    }
  }

  /** A message of many replacements that came in tiny frames does not leave in such frames. */
  @Test
  void shouldCutAHeldMessageIntoFewFrames() {
    ByteBuf message = message(4, 100_000);
    ByteBuf out = Unpooled.buffer();
    while (message.isReadable()) {
      ByteBuf part = message.readSlice(Math.min(message.readableBytes(), 40));
      out.writeBytes(frame(Framing.CRC, false, part));
    }
    byte[] stream = ByteBufUtil.getBytes(out);
    try (Collected c = replacing(Framing.CRC, Framing.CRC, new Editor(VERSION, 5, true))) {
      c.read(stream, 0, 4000);
      assertThat(c.reframer.framesRead()).isGreaterThan(2500);
      assertThat(plainLengths(Framing.CRC, c.out())).hasSize(7).startsWith(-16 * 1024, -16 * 1024);
      assertThat(messages(Framing.CRC, VERSION, c.out(), 0)).hasSize(1);
    }
  }

  @Test
  void shouldTakeRangesApartAndMissNone() {
    ByteBuf bytes = message(1, 1000);
    for (int size : new int[] {1, 7, 10, 64, 2000}) {
      Ranges whole = new Ranges();
      for (int at = 0; at < bytes.readableBytes(); at += 20) {
        whole.add(bytes, at, 3); // with gaps, so that they are not one range
      }
      ByteBuf expected = Unpooled.buffer();
      whole.copyTo(expected);
      ByteBuf taken = Unpooled.buffer();
      Ranges part = new Ranges();
      for (int at = 0; at < whole.length(); at += size) {
        part.clear();
        part.addNext(whole, Math.min(size, whole.length() - at));
        part.copyTo(taken);
      }
      assertThat(taken).isEqualTo(expected);
    }
  }

  /** What a header says of its message's length is not believed before the bytes are there. */
  @Test
  void shouldHoldNoMoreThanHasCome() {
    ByteBuf header = Unpooled.buffer();
    new MessageHeaderWriter(VERSION).id(1).write(header, 120 << 20);
    int there = header.writeZero(1000).readableBytes();
    byte[] stream = frame(Framing.CRC, false, header);
    try (Collected c = replacing(Framing.CRC, Framing.CRC, new Editor(VERSION, 1, true))) {
      c.read(stream, 0, stream.length);
      assertThat(c.reframer.heldBytes()).isEqualTo(there);
      assertThat(c.directMemory()).isLessThan(1 << 20);
    }
  }

  @Test
  void shouldChangeNothingThatIsCorrupt() {
    for (String name : List.of("crc-payload-crc", "lz4-payload-crc")) {
      Vectors.Vector vector = Vectors.named("negative/negative-" + name + ".bin");
      byte[] bytes = vector.bytes();
      int start = ReframerTest.start(bytes);
      Frame frame = new Frame(vector.framing());
      int second = start + frame.wrap(Unpooled.wrappedBuffer(bytes), start).length();
      int length = frame.wrap(Unpooled.wrappedBuffer(bytes), second).length();
      byte[] corrupt = Arrays.copyOfRange(bytes, second, second + length);
      Editor editor = new Editor(VERSION, 20, true);
      try (Collected c = replacing(vector.framing(), vector.framing(), editor)) {
        c.read(corrupt, 0, 10);
        assertThat(c.out()).isEmpty();
        assertThat(c.reframer.droppedFrames()).isEqualTo(1);
        assertThat(editor.seen).isEmpty();
      }
      try (Collected c = replacing(vector.framing(), Framing.UNPROTECTED, editor)) {
        c.read(corrupt, 0, 10);
        assertThat(c.out()).isEmpty();
        assertThat(c.reframer.droppedFrames()).isEqualTo(1);
      }
    }
    for (String name : List.of("crc-first", "crc-later", "lz4-raw-later")) {
      Vectors.Vector vector =
          Vectors.named("negative/negative-" + name + "-partial-payload-crc.bin");
      byte[] bytes = vector.bytes();
      Editor editor = new Editor(VERSION, 20, true);
      try (Collected c = replacing(vector.framing(), vector.framing(), editor)) {
        assertThat(c.readUntilError(bytes, ReframerTest.start(bytes), bytes.length))
            .contains("partial frame with a wrong CRC32");
      }
    }
  }
}
