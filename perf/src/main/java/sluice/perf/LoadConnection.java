package sluice.perf;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import sluice.load.traffic.LoadRun;

/** One connection of a load; everything runs on its loop. */
final class LoadConnection extends ChannelInboundHandlerAdapter {
  private final Workload workload;
  private final LoadRun run;
  private final int number;
  private final int connections;
  private Channel channel;
  private int batch;
  private int nextKey;

  /** Whether every key of this connection's share has been stored and read back. */
  private boolean prepared;

  @SuppressWarnings("NullAway.Init") // set before the first reply is awaited
  private Reply preparation;

  private @Nullable Histogram latencies; // null in a closed loop
  private int compared; // bytes of the first reply that is awaited

  // What is on its way, in a ring: the batch, and when it was to be sent.
  private int[] batches = new int[16];
  private long[] intended = new long[16];
  private int first;
  private int onTheirWay;

  LoadConnection(Workload workload, LoadRun run, int number, int connections) {
    this.workload = workload;
    this.run = run;
    this.number = number;
    this.connections = connections;
    this.batch = (int) ((long) number * workload.batches() / connections);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    channel = added.channel();
  }

  Channel channel() {
    return channel;
  }

  /** Stores this connection's share of the keys and reads each back. */
  void prepare() {
    nextKey = number;
    next();
  }

  /** Sends batch after batch until the run is over. */
  void drive() {
    prepared = true;
    latencies = null;
    next();
  }

  /** From now on {@link #send} sends, and how long each batch took is recorded there. */
  void pace(Histogram into) {
    prepared = true;
    latencies = into;
  }

  /** Batches that are not answered yet. */
  int onTheirWay() {
    return onTheirWay;
  }

  private void next() {
    boolean over = prepared ? run.isOver() : nextKey >= workload.keys();
    if (over) {
      run.done();
    } else if (prepared) {
      send(0);
    } else {
      preparation = new Reply();
      write(workload.preparation(nextKey, preparation), 0, 0);
      nextKey += connections;
    }
  }

  /**
   * Sends the next batch.
   *
   * @param when it was to be sent, as {@link System#nanoTime} counts
   */
  void send(long when) {
    batch = batch + 1 == workload.batches() ? 0 : batch + 1;
    write(workload.request(batch), batch, when);
  }

  // A failed write fires exceptionCaught, because of the void promise.
  @SuppressWarnings("FutureReturnValueIgnored")
  private void write(ByteBuf request, int number, long when) {
    if (onTheirWay == batches.length) {
      grow();
    }
    int last = (first + onTheirWay++) % batches.length;
    batches[last] = number;
    intended[last] = when;
    channel.writeAndFlush(request, channel.voidPromise());
  }

  private void grow() {
    int[] oldBatches = batches;
    long[] oldIntended = intended;
    batches = Arrays.copyOf(batches, 2 * onTheirWay);
    intended = Arrays.copyOf(intended, 2 * onTheirWay);
    for (int i = 0; i < onTheirWay; i++) {
      batches[i] = oldBatches[(first + i) % onTheirWay];
      intended[i] = oldIntended[(first + i) % onTheirWay];
    }
    first = 0;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      while (in.isReadable() && judge(in)) {
        // the next reply
      }
    } finally {
      in.release();
    }
  }

  /** Compares as much as belongs to the first reply that is awaited; false if it is wrong. */
  private boolean judge(ByteBuf in) {
    if (onTheirWay == 0) {
      wrong(in, "nothing");
      return false;
    }
    Reply expected = prepared ? workload.reply(batches[first]) : preparation;
    int length = Math.min(in.readableBytes(), expected.length() - compared);
    ByteBuf part = in.slice(in.readerIndex(), length);
    if (!expected.matches(part, compared)) {
      ByteBuf rest = expected.bytes().slice(compared, expected.length() - compared);
      wrong(part, rest.toString(StandardCharsets.ISO_8859_1));
      return false;
    }
    in.skipBytes(length);
    compared += length;
    if (compared == expected.length()) {
      answered();
    }
    return true;
  }

  private void answered() {
    compared = 0;
    final long when = intended[first];
    first = (first + 1) % batches.length;
    onTheirWay--;
    if (!prepared) {
      preparation.close();
      next();
      return;
    }
    run.completed(workload.depth());
    if (latencies == null) {
      next();
    } else {
      latencies.recordValue(System.nanoTime() - when);
    }
  }

  private void wrong(ByteBuf found, String expected) {
    run.fail(
        "connection "
            + number
            + " read '"
            + found.toString(StandardCharsets.ISO_8859_1)
            + "', expected '"
            + expected
            + "'");
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    if (onTheirWay > 0) {
      run.fail("connection " + number + " was closed");
      if (!prepared) {
        preparation.close();
      }
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    run.fail("connection " + number + ": " + cause);
  }
}
