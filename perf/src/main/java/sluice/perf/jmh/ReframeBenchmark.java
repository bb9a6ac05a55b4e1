package sluice.perf.jmh;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import java.util.zip.CRC32;
import net.jpountz.lz4.LZ4Factory;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import sluice.codecs.compress.Workspace;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Reframer;

/**
 * Eight frames of one read between Cassandra's nodes, passed on in the same framing or framed anew.
 * Beside it the same frame by frame and by way of arrays, as {@code FrameEncoderCrc} and {@code
 * FrameEncoderLZ4} say they are made.
 */
public class ReframeBenchmark extends CodecBenchmark {
  private static final int FRAMES = 8;
  private static final int TRAILER = 4;
  private static final byte[] SEED = {(byte) 0xFA, 0x2D, 0x55, (byte) 0xCA};

  /** Framing that comes in and framing that leaves. */
  @Param({"CRC CRC", "UNPROTECTED CRC", "CRC LZ4", "LZ4 CRC"})
  public String framings;

  /** Bytes of a frame's payload, before it is compressed. */
  @Param({"100", "16384"})
  public int payload;

  private final Workspace workspace = Workspace.of(allocator);
  private Reframer reframer;
  private Framing from;
  private Framing to;
  private ByteBuf read;
  private @Nullable ByteBuf collected; // what leaves, while it is compared; else null
  private int left;

  /** Takes the frames apart that leave, and compares what is in them with what came in. */
  @Setup
  public void setup() {
    String[] names = framings.split(" ", -1);
    from = Framing.valueOf(names[0]);
    to = Framing.valueOf(names[1]);
    reframer = Reframer.ofFrames(from, to, workspace, this::leave);
    StringBuilder text = new StringBuilder();
    Random random = new Random(payload);
    while (text.length() < FRAMES * payload) {
      text.append("{\"id\":")
          .append(random.nextInt(1_000_000))
          .append(",\"name\":\"some words\"},");
    }
    byte[] plain = bytes(text.substring(0, FRAMES * payload));
    read = direct(2 * plain.length + 1024);
    for (int i = 0; i < FRAMES; i++) {
      byte[] each = new byte[payload];
      System.arraycopy(plain, i * payload, each, 0, payload);
      read.writeBytes(encode(from, each));
    }
    collected = direct(2 * plain.length + 1024);
    same(sluice(), collected.readableBytes(), "bytes that left");
    sameBytes(decodeAll(collected), direct(plain), "the payloads");
    collected = null;
    ByteBuf frames = direct(2 * plain.length + 1024);
    for (int at = 0; at < read.writerIndex(); at += frameLength(from, read, at)) {
      frames.writeBytes(encode(to, decode(from, read, at)));
    }
    same(arrays(), frames.readableBytes(), "bytes that left by way of arrays");
    sameBytes(decodeAll(frames), direct(plain), "the payloads by way of arrays");
  }

  /** Releases what waits. */
  @TearDown
  public void close() {
    reframer.close();
    workspace.scratch().release();
  }

  private void leave(ByteBuf bytes) {
    left += bytes.readableBytes();
    if (collected != null) {
      collected.writeBytes(bytes.duplicate());
    }
    bytes.release();
  }

  private ByteBuf decodeAll(ByteBuf frames) {
    ByteBuf plain = direct(FRAMES * payload);
    for (int at = 0; at < frames.writerIndex(); at += frameLength(to, frames, at)) {
      plain.writeBytes(decode(to, frames, at));
    }
    return plain;
  }

  private static int headerLength(Framing framing) {
    return framing == Framing.LZ4 ? 8 : 6;
  }

  private static int frameLength(Framing framing, ByteBuf frames, int at) {
    int trailer = framing == Framing.UNPROTECTED ? 0 : TRAILER;
    return headerLength(framing) + (frames.getIntLE(at) & 0x1FFFF) + trailer;
  }

  private static byte[] encode(Framing framing, byte[] plain) {
    byte[] payload = plain;
    long header;
    if (framing == Framing.LZ4) {
      byte[] packed = LZ4Factory.fastestInstance().fastCompressor().compress(plain);
      boolean smaller = packed.length < plain.length;
      payload = smaller ? packed : plain;
      header = payload.length | (smaller ? (long) plain.length << 17 : 0) | 1L << 34;
      header |= (long) crc24(header, 5) << 40;
    } else {
      header = plain.length | 1L << 17;
      header |= (long) crc24(header, 3) << 24;
    }
    ByteBuffer frame =
        ByteBuffer.allocate(headerLength(framing) + payload.length + TRAILER)
            .order(ByteOrder.LITTLE_ENDIAN);
    frame.putLong(header).position(headerLength(framing));
    frame.put(payload);
    if (framing != Framing.UNPROTECTED) {
      frame.putInt(crc32(payload));
    }
    byte[] bytes = new byte[frame.position()];
    frame.flip().get(bytes);
    return bytes;
  }

  private static byte[] decode(Framing framing, ByteBuf frames, int at) {
    long header = frames.getLongLE(at);
    int covered = framing == Framing.LZ4 ? 5 : 3;
    int length = (int) header & 0x1FFFF;
    byte[] payload = new byte[length];
    frames.getBytes(at + headerLength(framing), payload);
    boolean intact = ((header >>> (8 * covered)) & 0xFF_FFFF) == crc24(header, covered);
    if (framing != Framing.UNPROTECTED) {
      intact &= frames.getIntLE(at + headerLength(framing) + length) == crc32(payload);
    }
    if (!intact) {
      throw new IllegalStateException("a checksum is wrong");
    }
    int plain = framing == Framing.LZ4 ? (int) (header >>> 17) & 0x1FFFF : 0;
    return plain == 0
        ? payload
        : LZ4Factory.fastestInstance().safeDecompressor().decompress(payload, plain);
  }

  private static int crc32(byte[] payload) {
    CRC32 crc = new CRC32();
    crc.update(SEED);
    crc.update(payload);
    return (int) crc.getValue();
  }

  private static int crc24(long header, int length) {
    int crc = 0x875060;
    for (int i = 0; i < length; i++) {
      crc ^= (int) ((header >>> (8 * i)) & 0xFF) << 16;
      for (int bit = 0; bit < 8; bit++) {
        crc <<= 1;
        crc = (crc & 0x1000000) != 0 ? crc ^ 0x1974F0B : crc;
      }
    }
    return crc;
  }

  /** Ours. */
  @Benchmark
  public int sluice() {
    left = 0;
    reframer.read(workspace.slices().take(read, 0, read.writerIndex()));
    return left;
  }

  /** Each frame by way of arrays. */
  @Benchmark
  public int arrays() {
    int bytes = 0;
    for (int at = 0; at < read.writerIndex(); at += frameLength(from, read, at)) {
      bytes += encode(to, decode(from, read, at)).length;
    }
    return bytes;
  }
}
