package sluice.perf.torture;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.util.HashSet;
import java.util.Set;
import sluice.codecs.memcached.binary.Opcode;

/**
 * What a gateway must never be: of every few packets of the binary protocol, one is treated
 * wrongly, so that only a client that checks can notice. Other dialects pass as they are.
 */
final class WrongProxy implements Pipe.Contents {
  private static final int LARGEST = 2 * 1024 * 1024;
  private static final int EVERY = 50;
  private static final int OPCODE = 1;
  private static final int OPAQUE = 12;

  private final Options.Wrong deed;

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

  private final class Deeds {
    /** Opaques of sets that the gateway was never given: it was asked to do nothing instead. */
    private final Set<Integer> unsent = new HashSet<>();

    private int sets;
    private int answers;
    private ByteBuf held;

    final ChannelInboundHandlerAdapter requests =
        new ChannelInboundHandlerAdapter() {
          @Override
          public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf packet = (ByteBuf) message;
            int at = packet.readerIndex();
            if (deed == Options.Wrong.ACKNOWLEDGE
                && packet.getByte(at + OPCODE) == Opcode.SET
                && ++sets % EVERY == 0) {
              int opaque = packet.getInt(at + OPAQUE);
              packet.release();
              unsent.add(opaque);
              context.fireChannelRead(
                  Unpooled.buffer(24)
                      .writeByte(0x80)
                      .writeByte(Opcode.NOOP)
                      .writeZero(10)
                      .writeInt(opaque)
                      .writeZero(8));
            } else {
              context.fireChannelRead(packet);
            }
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
            if (deed == Options.Wrong.DROP && due) {
              packet.release();
            } else if (deed == Options.Wrong.SWAP && due) {
              held = packet;
            } else if (held != null) {
              swap(context, packet);
            } else {
              context.fireChannelRead(packet);
            }
          }

          /** Contents only: opaque and opcode stay where they were. */
          private void swap(ChannelHandlerContext context, ByteBuf second) {
            ByteBuf first = held;
            held = null;
            int opaque = first.getInt(first.readerIndex() + OPAQUE);
            byte opcode = first.getByte(first.readerIndex() + OPCODE);
            first.setInt(
                first.readerIndex() + OPAQUE, second.getInt(second.readerIndex() + OPAQUE));
            first.setByte(
                first.readerIndex() + OPCODE, second.getByte(second.readerIndex() + OPCODE));
            second.setInt(second.readerIndex() + OPAQUE, opaque);
            second.setByte(second.readerIndex() + OPCODE, opcode);
            context.fireChannelRead(second);
            context.fireChannelRead(first);
          }

          @Override
          public void handlerRemoved(ChannelHandlerContext context) {
            if (held != null) {
              held.release();
            }
          }
        };
  }
}
