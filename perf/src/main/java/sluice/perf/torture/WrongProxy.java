package sluice.perf.torture;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import sluice.codecs.memcached.binary.Opcode;

/**
 * What a gateway must never be: of every few packets of the binary protocol, one is treated
 * wrongly, so that only a client that checks can notice. Other dialects pass as they are.
 */
final class WrongProxy implements Pipe.Contents {
  private static final int LARGEST = 2 * 1024 * 1024;
  private static final int EVERY = 50;

  /** A reply that never comes costs its client the time that it waits. */
  private static final int MOST_DROPPED = 3;

  private static final int HEADER = 24;
  private static final int OPCODE = 1;
  private static final int KEY_LENGTH = 2;
  private static final int EXTRAS = 4;
  private static final int STATUS = 6;
  private static final int OPAQUE = 12;

  /** What is torn is long enough to have been in chunks. */
  private static final int LEAST_TORN = 5000;

  private final Options.Wrong deed;

  private int dropped;

  /** Who waits for another's reply in the place of its own; all connections are of one loop. */
  private @Nullable Deeds waiting;

  WrongProxy(Options.Wrong deed) {
    this.deed = deed;
  }

  @Override
  public void add(Channel client, Channel gateway) {
    client.pipeline().addLast(new FirstByte(gateway));
  }

  /** Cuts the stream into packets if it is one of packets. */
  private final class FirstByte extends ChannelInboundHandlerAdapter {
    private final Channel gateway;

    FirstByte(Channel gateway) {
      this.gateway = gateway;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf first = (ByteBuf) message;
      if (first.getUnsignedByte(first.readerIndex()) == 0x80) {
        Deeds deeds = new Deeds();
        context.pipeline().addAfter(context.name(), "deed", deeds.requests);
        context.pipeline().addAfter(context.name(), "packets", packets());
        gateway.pipeline().addFirst("deed", deeds.replies);
        gateway.pipeline().addFirst("packets", packets());
      }
      context.fireChannelRead(message);
      context.pipeline().remove(this);
    }

    private static LengthFieldBasedFrameDecoder packets() {
      return new LengthFieldBasedFrameDecoder(LARGEST, 8, 4, 12, 0);
    }
  }

  /** What happens on one connection. */
  private final class Deeds {
    /** Opaques of sets that the gateway was never given: it was asked to do nothing instead. */
    private final Set<Integer> unsent = new HashSet<>();

    /** Keys of plain reads under way, by their opaques, and what such a read once got. */
    private final Map<Integer, String> reads = new HashMap<>();

    private final Map<String, byte[]> earlier = new HashMap<>();
    private final ArrayDeque<ByteBuf> held = new ArrayDeque<>();
    private byte @Nullable [] large;

    @SuppressWarnings("NullAway.Init") // set when these begin to wait
    private ChannelHandlerContext holding;

    private int sets;
    private int answers;

    final ChannelInboundHandlerAdapter requests =
        new ChannelInboundHandlerAdapter() {
          @Override
          public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf packet = (ByteBuf) message;
            int at = packet.readerIndex();
            int opcode = packet.getByte(at + OPCODE);
            int opaque = packet.getInt(at + OPAQUE);
            if (deed == Options.Wrong.ACKNOWLEDGE && opcode == Opcode.SET && ++sets % EVERY == 0) {
              packet.release();
              unsent.add(opaque);
              context.fireChannelRead(
                  Unpooled.buffer(HEADER)
                      .writeByte(0x80)
                      .writeByte(Opcode.NOOP)
                      .writeZero(10)
                      .writeInt(opaque)
                      .writeZero(8));
              return;
            }
            if (opcode == Opcode.GET) {
              int length = packet.getUnsignedShort(at + KEY_LENGTH);
              reads.put(opaque, packet.toString(at + HEADER, length, StandardCharsets.ISO_8859_1));
            }
            context.fireChannelRead(packet);
          }
        };

    final ChannelInboundHandlerAdapter replies =
        new ChannelInboundHandlerAdapter() {
          @Override
          public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf packet = (ByteBuf) message;
            int at = packet.readerIndex();
            if (unsent.remove(packet.getInt(at + OPAQUE))) {
              packet.setByte(at + OPCODE, Opcode.SET);
            }
            boolean due = ++answers % EVERY == 0;
            switch (deed) {
              case DROP -> {
                if (due && dropped < MOST_DROPPED) {
                  dropped++;
                  packet.release();
                } else {
                  context.fireChannelRead(packet);
                }
              }
              case SWAP -> {
                if (due || !held.isEmpty()) {
                  swap(context, packet);
                } else {
                  context.fireChannelRead(packet);
                }
              }
              case CROSS -> cross(context, packet, due);
              case STALE -> context.fireChannelRead(stale(packet));
              case TORN -> context.fireChannelRead(torn(packet));
              default -> context.fireChannelRead(packet);
            }
          }

          @Override
          public void handlerRemoved(ChannelHandlerContext context) {
            held.forEach(ByteBuf::release);
            held.clear();
            if (waiting == Deeds.this) {
              waiting = null;
            }
          }
        };

    private void swap(ChannelHandlerContext context, ByteBuf packet) {
      held.add(packet);
      if (held.size() == 2) {
        pending(held.peekFirst(), held.peekLast());
        ByteBuf first = held.remove();
        context.fireChannelRead(held.remove());
        context.fireChannelRead(first);
      }
    }

    /** One connection's reply and another's change places; what is behind them waits for that. */
    private void cross(ChannelHandlerContext context, ByteBuf packet, boolean due) {
      if (waiting == this) {
        held.add(packet);
      } else if (waiting != null) {
        Deeds other = waiting;
        waiting = null;
        pending(other.held.peek(), packet);
        context.fireChannelRead(other.held.remove());
        other.held.addFirst(packet);
        while (!other.held.isEmpty()) {
          other.holding.fireChannelRead(other.held.remove());
        }
        other.holding.fireChannelReadComplete();
      } else if (due) {
        waiting = this;
        holding = context;
        held.add(packet);
      } else {
        context.fireChannelRead(packet);
      }
    }

    /** Who reads a key again gets what the first reply said. */
    private ByteBuf stale(ByteBuf packet) {
      int at = packet.readerIndex();
      String key = reads.remove(packet.getInt(at + OPAQUE));
      if (key == null || packet.getShort(at + STATUS) != 0) {
        return packet;
      }
      byte[] body = new byte[packet.readableBytes() - HEADER];
      packet.getBytes(at + HEADER, body);
      byte[] old = earlier.putIfAbsent(key, body);
      if (old == null) {
        return packet;
      }
      ByteBuf late = Unpooled.buffer(HEADER + old.length);
      late.writeBytes(packet, at, HEADER).writeBytes(old).setInt(8, old.length);
      packet.release();
      return late;
    }

    /** The second half of a large value is that of another one. */
    private ByteBuf torn(ByteBuf packet) {
      int from = packet.readerIndex() + HEADER + packet.getByte(packet.readerIndex() + EXTRAS);
      int length = packet.writerIndex() - from;
      if (length > LEAST_TORN) {
        byte[] value = new byte[length];
        packet.getBytes(from, value);
        if (large != null) {
          int half = Math.min(length, large.length) / 2;
          packet.setBytes(from + half, large, half, half);
        }
        large = value;
      }
      return packet;
    }
  }

  /** Contents only: opaque and opcode stay where they were. */
  private static void pending(ByteBuf first, ByteBuf second) {
    int one = first.readerIndex();
    int other = second.readerIndex();
    int opaque = first.getInt(one + OPAQUE);
    byte opcode = first.getByte(one + OPCODE);
    first.setInt(one + OPAQUE, second.getInt(other + OPAQUE));
    first.setByte(one + OPCODE, second.getByte(other + OPCODE));
    second.setInt(other + OPAQUE, opaque);
    second.setByte(other + OPCODE, opcode);
  }
}
