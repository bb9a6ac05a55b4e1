package sluice.codecs.internode;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.codecs.compress.Workspace;

/** Frames that are incomplete when a read has been processed. */
class RestOfReadTest {
  private static final int READ = 64 * 1024;

  /** Two frames. The first takes up all of a read but a few bytes. */
  private static byte[] frames(int behind) {
    ByteBuf out = Unpooled.buffer();
    for (int length : new int[] {READ - behind - 10, 5000}) {
      int start = out.writerIndex();
      out.writeZero(Framing.CRC.headerLength());
      Frame.setHeader(out, start, Framing.CRC, length, 0, true);
      out.writeZero(length);
      out.writeIntLE(new FrameCrc32().of(out, out.writerIndex() - length, length));
    }
    return ByteBufUtil.getBytes(out);
  }

  /** The copy is allocated anew for the next such header, so it was not kept. */
  @Test
  void shouldNotKeepTheCopyOfALargeHeader() {
    MessageWalk walk = new MessageWalk(12, Collected.MAX_MESSAGE, header -> true);
    Reframer reframer =
        Reframer.filtering(
            Framing.UNPROTECTED,
            Framing.UNPROTECTED,
            walk,
            Workspace.of(UnpooledByteBufAllocator.DEFAULT),
            ByteBuf::release);
    ByteBuf params = Unpooled.buffer().writeByte(14);
    Vint.write(params, 100_000);
    params.writeZero(100_000);
    ByteBuf frame = Unpooled.buffer().writeZero(Framing.UNPROTECTED.headerLength());
    new MessageHeaderWriter(12).id(4).write(frame, 1, params, 0, params.readableBytes(), 0);
    int length = frame.readableBytes() - Framing.UNPROTECTED.headerLength();
    Frame.setHeader(frame, 0, Framing.UNPROTECTED, length, 0, true);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    for (int i = 0; i < 3; i++) {
      ByteBuf first = Unpooled.directBuffer().writeBytes(frame, 0, READ);
      ByteBuf second = Unpooled.directBuffer().writeBytes(frame, READ, length - READ + 6);
      long before = threads.getCurrentThreadAllocatedBytes();
      reframer.read(first);
      reframer.read(second);
      assertThat(threads.getCurrentThreadAllocatedBytes() - before).isGreaterThan(100_000);
    }
    assertThat(reframer.framesWritten()).isEqualTo(3);
    reframer.close();
  }

  /** A frame whose payload is one message of zeros, compressed. */
  private static byte[] compressed() {
    ByteBuf payload = Unpooled.buffer();
    new MessageHeaderWriter(12).id(4).write(payload, 5000);
    int length = payload.writeZero(5000).readableBytes();
    ByteBuf frame = Unpooled.buffer().writeZero(Framing.CRC.headerLength()).writeBytes(payload);
    Frame.setHeader(frame, 0, Framing.CRC, length, 0, true);
    frame.writeIntLE(new FrameCrc32().of(frame, Framing.CRC.headerLength(), length));
    byte[] plain = ByteBufUtil.getBytes(frame);
    try (Collected c = Collected.ofFrames(Framing.CRC, Framing.LZ4)) {
      return c.read(plain, 0, plain.length).out();
    }
  }

  private static byte[] twice(byte[] bytes) {
    return ByteBufUtil.getBytes(Unpooled.wrappedBuffer(bytes, bytes));
  }

  /** Each may become hundreds of times larger. */
  @ParameterizedTest
  @EnumSource
  void shouldLeaveFramesForTheNextTurn(Framing to) {
    byte[] one = compressed();
    try (Collected c = Collected.filtering(Framing.LZ4, to, 12, header -> true)) {
      c.reframer.endTurnsWhen(() -> true);
      c.read(twice(one), 0, 2 * one.length);
      assertThat(c.messages).hasSize(1);
      assertThat(c.reframer.hasMore()).isTrue();
      assertThat(c.reframer.heldBytes()).isEqualTo(one.length);
      byte[] first = c.out();
      c.reframer.keep(Unpooled.wrappedBuffer(one));
      assertThat(c.out()).isEqualTo(first);
      c.reframer.read(Unpooled.EMPTY_BUFFER);
      assertThat(c.out()).isEqualTo(twice(first));
      assertThat(c.reframer.hasMore()).isTrue();
      c.reframer.endTurnsWhen(() -> false);
      c.reframer.readOn();
      assertThat(c.messages).hasSize(3);
      assertThat(c.reframer.hasMore()).isFalse();
      assertThat(c.reframer.heldBytes()).isZero();
    }
  }

  @Test
  void shouldNotEndATurnOverFramesThatAreNotRead() {
    byte[] one = compressed();
    try (Collected c =
        new Collected(r -> Reframer.ofFrames(Framing.LZ4, Framing.LZ4, 12, r.workspace, r))) {
      c.reframer.endTurnsWhen(() -> true);
      c.read(twice(one), 0, 2 * one.length);
      assertThat(c.out()).isEqualTo(twice(one));
      assertThat(c.reframer.hasMore()).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"CRC", "UNPROTECTED"})
  void shouldNotKeepTheBufferOfAReadForItsLastBytes(Framing to) {
    for (int behind : new int[] {1, 7, 4000}) {
      byte[] stream = frames(behind);
      try (Collected c = Collected.ofFrames(Framing.CRC, to)) {
        c.read(stream, 0, READ, true);
        assertThat(c.reframer.heldBytes()).isEqualTo(behind);
        assertThat(c.directMemory()).isLessThan(2 * behind + 1024);
        c.read(stream, READ, stream.length - READ, true);
        assertThat(c.reframer.heldBytes()).isZero();
        assertThat(c.reframer.framesWritten()).isEqualTo(2);
        if (to == Framing.CRC) {
          assertThat(Arrays.equals(c.out(), stream)).isTrue();
        }
      }
    }
  }
}
