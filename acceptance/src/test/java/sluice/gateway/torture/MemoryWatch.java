package sluice.gateway.torture;

import io.netty.bootstrap.ChannelInitializerExtension;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Where in memory payload lies: the memory that this JVM's sockets read it into, and the memory
 * that they are given to write. Looks at the very head of the pipelines, where the transport is all
 * that is left; Netty puts it there ({@link Extension}), the gateway knows nothing of it.
 *
 * <p>Payload is told by its bytes: they are {@link #LEAST_PAYLOAD} or more, and nothing else that
 * the tests send is. What was read is kept until {@link #begin}, so no address can be used twice.
 */
final class MemoryWatch implements AutoCloseable {
  /** The least byte that counts as payload: above ASCII, binary magics and small numbers. */
  static final int LEAST_PAYLOAD = 0xc0;

  /** Which sockets: those that were accepted, or those that the gateway connected. */
  enum Side {
    CLIENT,
    SERVER
  }

  private static volatile MemoryWatch current;

  private final Map<Side, Traffic> traffic = new EnumMap<>(Side.class);

  private MemoryWatch() {
    for (Side side : Side.values()) {
      traffic.put(side, new Traffic());
    }
  }

  /** Watches all sockets that are opened from now on. */
  static MemoryWatch open() {
    MemoryWatch watch = new MemoryWatch();
    current = watch;
    return watch;
  }

  /** Forgets what was read and written until now. */
  synchronized MemoryWatch begin() {
    traffic.values().forEach(Traffic::clear);
    return this;
  }

  /** In how many reads of a side's sockets payload came. */
  synchronized int reads(Side side) {
    return traffic.get(side).payloadReads;
  }

  /** Payload bytes that were written to a side's sockets. */
  synchronized long written(Side side) {
    return traffic.get(side).payloadWritten;
  }

  /** Those of them that do not lie where a read of the other side put them. */
  synchronized long copied(Side side) {
    return traffic.get(side).payloadCopied;
  }

  /**
   * Payload bytes that a side's sockets were read in neighbouring runs of no more than limit bytes.
   */
  synchronized long readInRunsUpTo(int limit, Side side) {
    return traffic.get(side).runs.stream()
        .filter(run -> run <= limit)
        .mapToLong(Integer::longValue)
        .sum();
  }

  @Override
  public void close() {
    current = null;
    begin();
  }

  private synchronized void read(Side side, ByteBuf bytes) {
    traffic.get(side).read(bytes);
  }

  private synchronized void write(Side side, ByteBuf bytes) {
    traffic.get(side).write(bytes, traffic.get(side == Side.CLIENT ? Side.SERVER : Side.CLIENT));
  }

  private static final class Traffic {
    private final NavigableMap<Long, Long> ranges = new TreeMap<>(); // of memory: start to end
    private final List<ByteBuf> kept = new ArrayList<>();
    private final List<Integer> runs = new ArrayList<>(); // of payload bytes that were read
    private int payloadReads;
    private long payloadWritten;
    private long payloadCopied;

    void clear() {
      ranges.clear();
      kept.forEach(ByteBuf::release);
      kept.clear();
      runs.clear();
      payloadReads = 0;
      payloadWritten = 0;
      payloadCopied = 0;
    }

    void read(ByteBuf bytes) {
      kept.add(bytes.retain());
      long start = bytes.memoryAddress() + bytes.readerIndex();
      ranges.put(start, start + bytes.readableBytes());
      int runsBefore = runs.size();
      int run = 0;
      for (byte b : ByteBufUtil.getBytes(bytes)) {
        if (isPayload(b)) {
          run++;
        } else if (run > 0) {
          runs.add(run);
          run = 0;
        }
      }
      if (run > 0) {
        runs.add(run);
      }
      payloadReads += runs.size() > runsBefore ? 1 : 0;
    }

    void write(ByteBuf bytes, Traffic source) {
      if (bytes instanceof CompositeByteBuf composite) {
        for (ByteBuf part : composite.decompose(bytes.readerIndex(), bytes.readableBytes())) {
          write(part, source);
        }
        return;
      }
      long address = bytes.hasMemoryAddress() ? bytes.memoryAddress() + bytes.readerIndex() : 0;
      Map.Entry<Long, Long> range = null;
      for (byte b : ByteBufUtil.getBytes(bytes)) {
        if (range == null || address >= range.getValue()) {
          range = source.ranges.floorEntry(address);
        }
        if (isPayload(b)) {
          payloadWritten++;
          payloadCopied += range != null && address < range.getValue() ? 0 : 1;
        }
        address++;
      }
    }

    private static boolean isPayload(byte b) {
      return (b & 0xff) >= LEAST_PAYLOAD;
    }
  }

  /** What Netty loads with {@code -Dio.netty.bootstrap.extensions=serviceload}. */
  public static final class Extension extends ChannelInitializerExtension {
    @Override
    public void postInitializeClientChannel(Channel channel) {
      install(channel, Side.SERVER);
    }

    @Override
    public void postInitializeServerChildChannel(Channel channel) {
      install(channel, Side.CLIENT);
    }

    private static void install(Channel channel, Side side) {
      MemoryWatch watch = current;
      if (watch != null) {
        channel.pipeline().addFirst("memory watch", new Probe(watch, side));
      }
    }
  }

  private static final class Probe extends ChannelDuplexHandler {
    private final MemoryWatch watch;
    private final Side side;

    Probe(MemoryWatch watch, Side side) {
      this.watch = watch;
      this.side = side;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      watch.read(side, (ByteBuf) message);
      ctx.fireChannelRead(message);
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      watch.write(side, (ByteBuf) message);
      ctx.write(message, promise);
    }
  }
}
