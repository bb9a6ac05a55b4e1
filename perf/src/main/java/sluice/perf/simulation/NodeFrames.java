package sluice.perf.simulation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import sluice.codecs.compress.Lz4;
import sluice.codecs.internode.Accept;
import sluice.codecs.internode.Frame;
import sluice.codecs.internode.FrameCrc32;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.MessageHeaderWriter;
import sluice.names.Verb;

/** Bytes that Cassandra nodes of version 12 send to each other. */
final class NodeFrames {
  static final int VERSION = 12;
  static final int PORT = 7000;

  /** The most bytes of messages in one frame. */
  private static final int MOST_IN_FRAME = 60_000;

  private static final int LEAST_PART = 2_000;
  private static final int EXPIRES_AFTER_MILLIS = 10_000;

  /** The answer of a node to every handshake. */
  static final byte[] ACCEPT = accept();

  private static final List<Framing> FRAMINGS = List.of(Framing.values());

  private NodeFrames() {}

  /** Any of the framings. */
  static Framing anyFraming(RandomGenerator random) {
    return FRAMINGS.get(random.nextInt(FRAMINGS.size()));
  }

  private static byte[] accept() {
    ByteBuf out = Unpooled.buffer();
    Accept.write(out, VERSION, VERSION);
    return ByteBufUtil.getBytes(out);
  }

  /** The address that a node states as its own. */
  static InetSocketAddress address(String host) {
    String[] parts = host.split("\\.");
    byte[] bytes = new byte[parts.length];
    for (int i = 0; i < parts.length; i++) {
      bytes[i] = (byte) Integer.parseInt(parts[i]);
    }
    try {
      return new InetSocketAddress(InetAddress.getByAddress(bytes), PORT);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(host, e);
    }
  }

  /** A message, whose payload is derived from its id. */
  static byte[] message(long id, Verb verb, int flags, int payloadLength) {
    ByteBuf out = Unpooled.buffer(payloadLength + 32);
    new MessageHeaderWriter(VERSION)
        .id(id)
        .createdAt((int) id)
        .expiresAfterMillis(EXPIRES_AFTER_MILLIS)
        .verb(verb.id())
        .flags(flags)
        .write(out, payloadLength);
    byte[] payload = new byte[payloadLength];
    long state = id;
    for (int i = 0; i < payloadLength; i++) {
      if ((i & 63) == 0) {
        state = state * 6364136223846793005L + 1442695040888963407L;
      }
      payload[i] = (byte) (i % 3 == 0 ? state >>> (i & 31) : state >>> 56); // shrinks by LZ4
    }
    return ByteBufUtil.getBytes(out.writeBytes(payload));
  }

  /**
   * Frames of messages in their order. Small ones share frames as it comes; one that is too long
   * for a frame is cut over several.
   */
  static List<byte[]> frames(Framing framing, List<byte[]> messages, RandomGenerator random) {
    List<byte[]> frames = new ArrayList<>();
    ByteBuf shared = Unpooled.buffer();
    for (byte[] message : messages) {
      boolean fits = shared.readableBytes() + message.length <= MOST_IN_FRAME;
      if (shared.isReadable() && (!fits || random.nextInt(4) == 0)) {
        frames.add(frame(framing, true, ByteBufUtil.getBytes(shared)));
        shared.clear();
      }
      if (message.length > MOST_IN_FRAME) {
        int part = random.nextInt(LEAST_PART, MOST_IN_FRAME);
        for (int at = 0; at < message.length; at += part) {
          int end = Math.min(message.length, at + part);
          frames.add(frame(framing, false, Arrays.copyOfRange(message, at, end)));
        }
      } else {
        shared.writeBytes(message);
      }
    }
    if (shared.isReadable()) {
      frames.add(frame(framing, true, ByteBufUtil.getBytes(shared)));
    }
    return frames;
  }

  /** Changes one bit of any byte, and more often of the first 24. */
  static void changeBit(byte[] bytes, RandomGenerator random) {
    int most = random.nextBoolean() ? Math.min(bytes.length, 24) : bytes.length;
    bytes[random.nextInt(most)] ^= (byte) (1 << random.nextInt(8));
  }

  private static byte[] frame(Framing framing, boolean selfContained, byte[] payload) {
    ByteBuf plain = Unpooled.wrappedBuffer(payload);
    ByteBuf stored = plain;
    if (framing == Framing.LZ4) {
      ByteBuf block = Unpooled.buffer(Lz4.maxCompressedLength(payload.length));
      int length = Lz4.compress(plain, 0, payload.length, block, 0);
      stored = length < payload.length ? block.writerIndex(length) : plain;
    }
    int length = stored.readableBytes();
    ByteBuf out = Unpooled.buffer(length + 12).writeZero(framing.headerLength()).writeBytes(stored);
    Frame.setHeader(out, 0, framing, length, stored == plain ? 0 : payload.length, selfContained);
    if (framing.trailerLength() > 0) {
      out.writeIntLE(new FrameCrc32().of(out, framing.headerLength(), length));
    }
    return ByteBufUtil.getBytes(out);
  }
}
