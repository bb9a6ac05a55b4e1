package sluice.perf.torture;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.perf.torture.Sent.Write;

/** One connection of the gateway through a {@link Recorder} to its server. */
final class Recorded {
  private final Recorder recorder;
  private final Journal journal;
  private final Channel gateway;
  private final ArrayDeque<Sent> asked = new ArrayDeque<>();
  private final Way toServer;
  private final Way toGateway;
  private boolean over;
  private boolean cut; // and ends as soon as what was before that has passed

  Recorded(Recorder recorder, Channel gateway) {
    this.recorder = recorder;
    this.journal = recorder.journal();
    this.gateway = gateway;
    toServer = new Way(true, new Requests(this::asked));
    toGateway =
        new Way(
            false, new Replies(asked, (write, outcome) -> journal.answered(write, this, outcome)));
    toGateway.target = gateway;
  }

  ChannelInboundHandlerAdapter fromGateway() {
    return toServer;
  }

  ChannelInboundHandlerAdapter fromServer() {
    return toGateway;
  }

  /** The connection to the server is there, or will not be. */
  @SuppressWarnings("NullAway") // one that was connected was registered before
  void connected(boolean successfully) {
    if (!successfully || over) {
      reset();
      return;
    }
    gateway.config().setAutoRead(true);
    toServer.target.config().setAutoRead(true);
  }

  private void asked(Sent request) {
    asked.add(request);
    if (request.write() != Write.NOTHING) {
      journal.asked(request, this);
    }
  }

  /** Ends it with a reset: nothing more is read or written on either side. */
  void reset() {
    end();
    for (Channel channel : new Channel[] {gateway, toServer.target}) {
      if (channel != null && channel.isOpen()) {
        channel.config().setOption(ChannelOption.SO_LINGER, 0);
        channel.close();
      }
    }
  }

  private void end() {
    if (!over) {
      over = true;
      recorder.ended(this);
      for (Sent request : asked) {
        if (request.write() != Write.NOTHING) {
          journal.unanswered(request);
        }
      }
      asked.clear();
    }
  }

  /** One direction. */
  private final class Way extends ChannelInboundHandlerAdapter {
    private final boolean requests;
    private final Stream stream;
    private @Nullable Channel target; // null until there is one to the server
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>(0);

    Way(boolean requests, Stream stream) {
      this.requests = requests;
      this.stream = stream;
    }

    @Override
    public void channelRegistered(ChannelHandlerContext context) {
      if (!requests) {
        toServer.target = context.channel();
      }
      context.fireChannelRegistered();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      try {
        int count = bytes.readableBytes();
        if (over || cut || (recorder.swallows() && requests)) {
          bytes.release();
          return;
        }
        int passed = recorder.beforeCut(requests, count);
        cut = passed < count;
        // What the server has sent it has done, though no client may learn of it.
        stream.look(bytes, bytes.readerIndex(), requests ? passed : count);
        if (recorder.swallows()) {
          bytes.release();
          return;
        }
        bytes.writerIndex(bytes.readerIndex() + passed);
      } catch (RuntimeException e) {
        bytes.release();
        recorder.wrong("what passes cannot be read: " + e);
        reset();
        return;
      }
      send(bytes, cut);
    }

    /** Bytes leave in the order in which they were read, for any delays. */
    private void send(ByteBuf bytes, boolean last) {
      int delay = recorder.delayMillis();
      if (waiting.isEmpty() && delay == 0) {
        write(bytes, last);
        return;
      }
      waiting.add(() -> write(bytes, last));
      gateway.eventLoop().schedule(() -> waiting.remove().run(), delay, TimeUnit.MILLISECONDS);
    }

    @SuppressWarnings("NullAway") // nothing is read before both sides are there
    private void write(ByteBuf bytes, boolean last) {
      if (over) {
        bytes.release();
        return;
      }
      target.writeAndFlush(bytes);
      if (last) {
        end();
        gateway.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        toServer
            .target
            .writeAndFlush(Unpooled.EMPTY_BUFFER)
            .addListener(ChannelFutureListener.CLOSE);
      }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
      Channel other = requests ? toServer.target : gateway;
      if (other != null && other.isActive()) {
        other.config().setAutoRead(context.channel().isWritable());
      }
      context.fireChannelWritabilityChanged();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      end();
      if (target != null) {
        target.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      reset(); // one side is gone, so the other goes
    }
  }
}
