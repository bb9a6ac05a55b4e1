package sluice.load;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import org.jspecify.annotations.Nullable;
import sluice.codecs.compress.Workspace;
import sluice.codecs.internode.Framing;
import sluice.config.plan.LoadPlan;
import sluice.load.internode.Nodes;
import sluice.load.traffic.LoadRun;

/** Pairs of nodes of one load. The intended sending times are kept by request id. */
final class Pairs implements Target {
  private final LoadRun run = new LoadRun();
  private final Workspace workspace = Workspace.of(ByteBufAllocator.DEFAULT);
  private final Nodes nodes;
  private final EventLoopGroup group;
  private final int window;
  private final long[][] intended; // ring for each pair, by id
  private @Nullable Tally tally; // null: no phase has begun
  private boolean saturating;
  private long number;
  private long outstanding;

  Pairs(EventLoopGroup group, Nodes.Places places, LoadPlan.Load load) throws InterruptedException {
    this.group = group;
    window = load.window();
    intended = new long[load.connections()][2 * MOST_OUTSTANDING];
    Framing framing = load.framing() == LoadPlan.Framing.LZ4 ? Framing.LZ4 : Framing.CRC;
    nodes =
        Nodes.open(
            group,
            workspace,
            run,
            places,
            new Nodes.Talk(
                framing, load.connections(), window, load.minPayload(), load.maxPayload()));
    nodes.tell(this::answered);
  }

  private void answered(int pair, long id) {
    outstanding--;
    long now = System.nanoTime();
    Tally tally = this.tally;
    if (tally != null) {
      tally.answered(intended[pair][at(pair, id)], now, false);
    }
    if (saturating) {
      send(pair, now);
    }
  }

  private int at(int pair, long id) {
    return (int) id & (intended[pair].length - 1);
  }

  private void send(int pair, long intendedNanos) {
    outstanding++;
    number++;
    long id = nodes.ask(pair);
    intended[pair][at(pair, id)] = intendedNanos;
  }

  @Override
  public void begin(Tally counted, boolean saturate) {
    tally = counted;
    saturating = saturate;
  }

  @Override
  public void send(long intendedNanos) {
    send((int) (number % nodes.pairs()), intendedNanos);
  }

  @Override
  public void flush() {
    for (int pair = 0; pair < nodes.pairs(); pair++) {
      nodes.flush(pair);
    }
  }

  @Override
  public void saturate() {
    long now = System.nanoTime();
    for (int pair = 0; pair < nodes.pairs(); pair++) {
      for (int i = 0; i < window; i++) {
        send(pair, now);
      }
    }
    flush();
  }

  @Override
  public void calm() {
    saturating = false;
  }

  @Override
  public long outstanding() {
    return outstanding;
  }

  @Override
  public @Nullable String missing() {
    return nodes.missing();
  }

  @Override
  public LoadRun run() {
    return run;
  }

  @Override
  public void close() {
    nodes.close();
    // after the channels' own tasks, which use it
    group.next().submit(() -> workspace.scratch().release()).syncUninterruptibly();
  }
}
