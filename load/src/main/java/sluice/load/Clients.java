package sluice.load;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import sluice.config.plan.LoadPlan;
import sluice.load.traffic.LoadRun;

/** Clients of one load, connected to one address, which send requests in turn. */
final class Clients implements Target {
  private static final int STORE_SECONDS = 120;
  private static final int STORED_AT_ONCE = 32;

  private final Requests requests;
  private final LoadRun run = new LoadRun();
  private final List<Client> clients = new ArrayList<>();
  private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final int window;
  private @Nullable Tally tally; // null: keys are being stored
  private boolean saturating;
  private long number;
  private long outstanding;
  private int nextKey; // of the keys stored before the first phase
  private final CountDownLatch stored;

  private Clients(Requests requests, int window) {
    this.requests = requests;
    this.window = window;
    stored = new CountDownLatch(requests.keys());
  }

  /**
   * Connects, and stores every key.
   *
   * @param requests borrowed, until the result is closed
   */
  static Clients open(
      EventLoopGroup group, InetSocketAddress address, LoadPlan.Load load, Requests requests)
      throws InterruptedException {
    Clients all = new Clients(requests, load.window());
    for (int i = 0; i < load.connections(); i++) {
      Client client = new Client(requests, all::answered, all.run::fail);
      all.clients.add(client);
      all.channels.add(
          new Bootstrap()
              .group(group)
              .channel(EpollSocketChannel.class)
              .option(ChannelOption.TCP_NODELAY, true)
              .handler(client)
              .connect(address)
              .sync()
              .channel());
    }
    all.store(group);
    return all;
  }

  private void store(EventLoopGroup group) throws InterruptedException {
    group
        .next()
        .execute(
            () -> {
              for (int i = 0; i < STORED_AT_ONCE; i++) {
                storeNext();
              }
              flush();
            });
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(STORE_SECONDS);
    while (!stored.await(20, TimeUnit.MILLISECONDS) && run.failure() == null) {
      if (System.nanoTime() - end > 0) {
        run.fail("the keys were not stored within " + STORE_SECONDS + " s");
      }
    }
  }

  private void storeNext() {
    if (nextKey < requests.keys()) {
      Client client = clients.get(nextKey % clients.size());
      outstanding++;
      client.send(Requests.set(nextKey++), 0);
      client.flush();
    }
  }

  private void answered(Client client, long intendedNanos, boolean error) {
    outstanding--;
    Tally tally = this.tally;
    if (tally == null) {
      if (error) {
        run.fail("a key could not be stored");
      }
      stored.countDown();
      storeNext();
      return;
    }
    long now = System.nanoTime();
    tally.answered(intendedNanos, now, error);
    if (saturating) {
      send(client, now);
    }
  }

  private void send(Client client, long intendedNanos) {
    outstanding++;
    client.send(requests.drawn(number++), intendedNanos);
  }

  @Override
  public void begin(Tally counted, boolean saturate) {
    tally = counted;
    saturating = saturate;
  }

  @Override
  public void send(long intendedNanos) {
    send(clients.get((int) (number % clients.size())), intendedNanos);
  }

  @Override
  public void flush() {
    clients.forEach(Client::flush);
  }

  @Override
  public void saturate() {
    long now = System.nanoTime();
    for (Client client : clients) {
      for (int i = 0; i < window; i++) {
        send(client, now);
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
    return outstanding == 0 ? null : outstanding + " requests were never answered";
  }

  @Override
  public LoadRun run() {
    return run;
  }

  @Override
  public void close() {
    channels.close().syncUninterruptibly();
  }
}
