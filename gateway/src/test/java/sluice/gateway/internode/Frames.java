package sluice.gateway.internode;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import sluice.codecs.compress.Lz4;
import sluice.codecs.internode.Accept;
import sluice.codecs.internode.ConnectionType;
import sluice.codecs.internode.Frame;
import sluice.codecs.internode.FrameCrc32;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Initiate;
import sluice.codecs.internode.MessageHeaderWriter;
import sluice.names.Verb;

/** What a node sends, made for a test. Version 12, CRC, unless it says otherwise. */
final class Frames {
  private Frames() {}

  static byte[] bytes(ByteBuf buffer) {
    return ByteBufUtil.getBytes(buffer);
  }

  /** From 127.0.0.LAST:7000. */
  static byte[] initiate(ConnectionType type, Framing framing, int max, int last) {
    ByteBuf out = Unpooled.buffer();
    Initiate.writeMessaging(out, type, framing, 12, 12, max, node(last));
    return bytes(out);
  }

  static byte[] initiate(ConnectionType type) {
    return initiate(type, Framing.CRC, 12, 13);
  }

  static InetSocketAddress node(int last) {
    try {
      return new InetSocketAddress(
          InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last}), 7000);
    } catch (UnknownHostException e) {
      throw new IllegalStateException(e);
    }
  }

  static byte[] accept(int max, int use) {
    ByteBuf out = Unpooled.buffer();
    Accept.write(out, max, use);
    return bytes(out);
  }

  /** A message whose payload is bytes of its id. */
  static byte[] message(long id, Verb verb, int flags, int payloadLength) {
    return message(12, id, 0, verb, flags, payloadLength);
  }

  static byte[] message(int version, long id, long epoch, Verb verb, int flags, int payloadLength) {
    ByteBuf out = Unpooled.buffer();
    new MessageHeaderWriter(version)
        .id(id)
        .epoch(epoch)
        .createdAt((int) System.currentTimeMillis())
        .expiresAfterMillis(10_000)
        .verb(verb.id())
        .flags(flags)
        .write(out, payloadLength);
    byte[] payload = new byte[payloadLength];
    java.util.Arrays.fill(payload, (byte) id);
    out.writeBytes(payload);
    return bytes(out);
  }

  /** A message with one param and a payload of zeros. */
  static byte[] message(
      long id, Verb verb, int flags, int payloadLength, int paramType, byte[] param) {
    ByteBuf params = Unpooled.buffer().writeByte(paramType).writeByte(param.length);
    params.writeBytes(param);
    ByteBuf out = Unpooled.buffer();
    new MessageHeaderWriter(12)
        .id(id)
        .createdAt((int) System.currentTimeMillis())
        .expiresAfterMillis(10_000)
        .verb(verb.id())
        .flags(flags)
        .write(out, 1, params, 0, params.readableBytes(), payloadLength);
    return bytes(out.writeZero(payloadLength));
  }

  /** One frame. */
  static byte[] crc(boolean selfContained, byte[]... messages) {
    ByteBuf out = Unpooled.buffer().writeZero(Framing.CRC.headerLength());
    for (byte[] message : messages) {
      out.writeBytes(message);
    }
    int length = out.writerIndex() - Framing.CRC.headerLength();
    Frame.setHeader(out, 0, Framing.CRC, length, 0, selfContained);
    out.writeIntLE(new FrameCrc32().of(out, Framing.CRC.headerLength(), length));
    return bytes(out);
  }

  /** One frame of any framing; compressed if that is LZ4 and it shrinks. */
  static byte[] frame(Framing framing, boolean selfContained, byte[] payload) {
    ByteBuf plain = Unpooled.wrappedBuffer(payload);
    ByteBuf stored = plain;
    if (framing == Framing.LZ4) {
      ByteBuf block = Unpooled.buffer(Lz4.maxCompressedLength(payload.length));
      int length = Lz4.compress(plain, 0, payload.length, block, 0);
      stored = length < payload.length ? block.writerIndex(length) : plain;
    }
    int length = stored.readableBytes();
    ByteBuf out = Unpooled.buffer().writeZero(framing.headerLength()).writeBytes(stored);
    int plainLength = stored == plain ? 0 : payload.length;
    Frame.setHeader(out, 0, framing, length, plainLength, selfContained);
    if (framing.trailerLength() > 0) {
      out.writeIntLE(new FrameCrc32().of(out, framing.headerLength(), length));
    }
    return bytes(out);
  }

  /** The payload of one frame. */
  static byte[] plain(Framing framing, byte[] frame) {
    Frame header = new Frame(framing).wrap(Unpooled.wrappedBuffer(frame), 0);
    int start = framing.headerLength();
    if (!header.isCompressed()) {
      return java.util.Arrays.copyOfRange(frame, start, start + header.payloadLength());
    }
    ByteBuf out = Unpooled.buffer(header.plainLength());
    Lz4.decompress(
        Unpooled.wrappedBuffer(frame), start, header.payloadLength(), out, 0, header.plainLength());
    return bytes(out.writerIndex(header.plainLength()));
  }

  /** Bytes of the frames that are whole among the first {@code there} bytes. */
  static int wholeFrames(Framing framing, byte[] frames, int there) {
    Frame frame = new Frame(framing);
    int whole = 0;
    for (int end = 0; end <= there; ) {
      whole = end;
      end += frame.wrap(Unpooled.wrappedBuffer(frames), end).length();
    }
    return whole;
  }

  static byte[] join(byte[]... parts) {
    return bytes(Unpooled.wrappedBuffer(parts));
  }
}
