package sluice.load.internode;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.net.InetSocketAddress;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import sluice.codecs.compress.Workspace;
import sluice.codecs.internode.Accept;
import sluice.codecs.internode.ConnectionType;
import sluice.codecs.internode.Frame;
import sluice.codecs.internode.FrameCrc32;
import sluice.codecs.internode.Framing;
import sluice.codecs.internode.Initiate;
import sluice.codecs.internode.MessageHeaderWriter;
import sluice.codecs.internode.Reframer;
import sluice.names.Verb;

/**
 * Connection that a node opens to another: handshake, then messages, version 12. Messages added
 * before a flush share self-contained frames, as {@code OutboundConnection}'s deliveries do. Larger
 * messages are cut over partial frames.
 */
final class NodeSender extends ChannelInboundHandlerAdapter {
  static final int VERSION = 12;

  /** Larger messages are sent on a separate connection ({@code LARGE_MESSAGE_THRESHOLD}). */
  static final int LARGE_FROM = 65_515;

  /**
   * Payload of a node's frames on SMALL connections, and of each partial frame on LARGE, in bytes.
   */
  private static final int MAX_SELF_CONTAINED = 65_526;

  private static final int FRAGMENT_CRC = 34_806;
  private static final int FRAGMENT_LZ4 = 32_768;

  private static final int MAX_HEADER = 64;
  private static final int MAX_INITIATE = 31;
  private static final int EXPIRES_AFTER_MILLIS = 2_000;

  /** The largest payload of a message in bytes. */
  static final int MAX_PAYLOAD = 1024 * 1024;

  private static final int TEXT = 48;
  private static final byte[] PAYLOADS = payloads();

  private final ConnectionType type;
  private final Framing framing;
  private final InetSocketAddress from;
  private final Runnable ready;
  private final Consumer<String> failed;
  private final MessageHeaderWriter header = new MessageHeaderWriter(VERSION);
  private final FrameCrc32 crc = new FrameCrc32();
  private final @Nullable Reframer compressor; // null: CRC frames leave unchanged

  @SuppressWarnings("NullAway.Init") // set by channelActive, which comes first
  private Channel channel;

  @SuppressWarnings("NullAway.Init") // as channel
  private ByteBuf accept;

  private @Nullable ByteBuf frames; // frames of this flush; null: none yet
  private int frameStart = -1; // start of the self-contained frame being filled; -1 for none

  /**
   * A connection to be opened.
   *
   * @param from the address that the node states as its own
   * @param ready called when the handshake is done
   * @param failed receives a description of a failure
   */
  NodeSender(
      ConnectionType type,
      Framing framing,
      InetSocketAddress from,
      Workspace workspace,
      Runnable ready,
      Consumer<String> failed) {
    this.type = type;
    this.framing = framing;
    this.from = from;
    this.ready = ready;
    this.failed = failed;
    this.compressor =
        framing == Framing.CRC
            ? null
            : Reframer.ofFrames(Framing.CRC, framing, workspace, this::write);
  }

  /**
   * Half words and half random bytes, so that LZ4 compresses about as well as with rows of text.
   */
  private static byte[] payloads() {
    byte[] bytes = new byte[MAX_PAYLOAD];
    Random random = new Random(1);
    random.nextBytes(bytes);
    for (int at = 0; at + TEXT <= bytes.length; at += 2 * TEXT) {
      for (int i = 0; i < TEXT; i++) {
        bytes[at + i] = (byte) ('a' + i % 12);
      }
    }
    return bytes;
  }

  // A failed write closes the channel, because of the void promise.
  @SuppressWarnings("FutureReturnValueIgnored")
  private void write(ByteBuf bytes) {
    channel.write(bytes, channel.voidPromise());
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    channel = context.channel();
    accept = channel.alloc().directBuffer(Accept.LENGTH);
    ByteBuf initiate = channel.alloc().directBuffer(MAX_INITIATE);
    Initiate.writeMessaging(initiate, type, framing, VERSION, VERSION, VERSION, from);
    write(initiate);
    channel.flush();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      if (accept.readableBytes() + in.readableBytes() > Accept.LENGTH) {
        failed.accept("the answer to a handshake was too long");
        return;
      }
      accept.writeBytes(in);
      if (accept.readableBytes() == Accept.LENGTH) {
        Accept.check(accept, 0);
        if (Accept.useVersion(accept, 0) != VERSION) {
          failed.accept("the answer to a handshake has version " + Accept.useVersion(accept, 0));
          return;
        }
        ready.run();
      }
    } finally {
      in.release();
    }
  }

  /** Adds a message, whose payload is derived from its id. */
  void add(long id, Verb verb, int flags, int payloadLength) {
    int room = MAX_HEADER + payloadLength;
    ByteBuf frames = this.frames;
    if (frames == null) {
      frames = channel.alloc().directBuffer(4096);
      this.frames = frames;
    }
    if (frameStart >= 0
        && frames.writerIndex() - frameStart - Framing.CRC.headerLength() + room
            > MAX_SELF_CONTAINED) {
      endFrame(frames, true);
    }
    if (frameStart < 0) {
      beginFrame(frames);
    }
    header
        .id(id)
        .createdAt((int) System.currentTimeMillis())
        .expiresAfterMillis(EXPIRES_AFTER_MILLIS)
        .verb(verb.id())
        .flags(flags);
    if (room > MAX_SELF_CONTAINED) {
      addLarge(frames, id, payloadLength);
      return;
    }
    header.write(frames, payloadLength);
    frames.writeBytes(PAYLOADS, offset(id, payloadLength), payloadLength);
  }

  private static int offset(long id, int payloadLength) {
    return (int) ((id * 7919) % (MAX_PAYLOAD - payloadLength + 1));
  }

  private void addLarge(ByteBuf frames, long id, int payloadLength) {
    int fragment = framing == Framing.LZ4 ? FRAGMENT_LZ4 : FRAGMENT_CRC;
    if (frames.writerIndex() > frameStart + Framing.CRC.headerLength()) {
      endFrame(frames, true);
      beginFrame(frames);
    }
    header.write(frames, payloadLength);
    int from = offset(id, payloadLength);
    for (int left = payloadLength; left > 0; ) {
      int there = frames.writerIndex() - frameStart - Framing.CRC.headerLength();
      int here = Math.min(left, fragment - there);
      frames.writeBytes(PAYLOADS, from + payloadLength - left, here);
      left -= here;
      endFrame(frames, false);
      if (left > 0) {
        beginFrame(frames);
      }
    }
  }

  private void beginFrame(ByteBuf frames) {
    frameStart = frames.writerIndex();
    frames.writeZero(Framing.CRC.headerLength());
  }

  private void endFrame(ByteBuf frames, boolean selfContained) {
    int payload = frameStart + Framing.CRC.headerLength();
    int length = frames.writerIndex() - payload;
    Frame.setHeader(frames, frameStart, Framing.CRC, length, 0, selfContained);
    frames.writeIntLE(crc.of(frames, payload, length));
    frameStart = -1;
  }

  /** Sends the added messages. */
  void flush() {
    ByteBuf all = frames;
    if (all == null) {
      return;
    }
    if (frameStart >= 0) {
      endFrame(all, true);
    }
    frames = null;
    if (compressor == null) {
      write(all);
    } else {
      compressor.read(all);
    }
    channel.flush();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    failed.accept("a connection was closed");
    accept.release();
    if (compressor != null) {
      compressor.close();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    failed.accept(cause.toString());
  }
}
