package sluice.load;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import sluice.config.plan.LoadPlan;

/** Driver of a plan's loads through the phases, on one event loop. */
final class Driver implements AutoCloseable {
  private static final int DRAIN_SECONDS = 20;
  private static final long LEAD_NANOS = 5_000_000; // time to prepare before a phase begins

  private final LoadPlan plan;
  private final Subjects subjects;
  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  private final EventLoop loop = group.next();
  private final Map<String, Requests> requests = new LinkedHashMap<>(); // of memcached's loads
  private final Map<LoadPlan.Load, Target> open = new LinkedHashMap<>();
  private boolean openDirect;

  /** Exception for a failed run, which cannot be judged. */
  static final class FailedException extends Exception {
    private static final long serialVersionUID = 1;

    FailedException(String what) {
      super(what);
    }
  }

  /** Action during a phase. */
  interface Meanwhile {
    void run() throws IOException, InterruptedException;
  }

  Driver(LoadPlan plan, Subjects subjects) {
    this.plan = plan;
    this.subjects = subjects;
    plan.loads()
        .forEach(
            (name, load) -> {
              if (load.protocol() == LoadPlan.Protocol.MEMCACHED) {
                requests.put(name, new Requests(load));
              }
            });
  }

  /** Runs every load at its rate, for a duration. */
  List<Tally> pace(Phase phase, long millis)
      throws FailedException, InterruptedException, IOException {
    return pace(phase, millis, null);
  }

  /** Runs every load at its rate, until the action is finished. */
  List<Tally> paceWhile(Phase phase, Meanwhile meanwhile)
      throws FailedException, InterruptedException, IOException {
    return pace(phase, 0, meanwhile);
  }

  private List<Tally> pace(Phase phase, long millis, @Nullable Meanwhile meanwhile)
      throws FailedException, InterruptedException, IOException {
    List<Tally> tallies = begin(phase, false);
    CountDownLatch ended = new CountDownLatch(tallies.size());
    long start = System.nanoTime() + LEAD_NANOS;
    long end =
        meanwhile == null
            ? start + TimeUnit.MILLISECONDS.toNanos(millis)
            : start + TimeUnit.HOURS.toNanos(1);
    List<Pacer> pacers = new ArrayList<>();
    int index = 0;
    for (Map.Entry<LoadPlan.Load, Target> each : open.entrySet()) {
      Tally tally = tallies.get(index++);
      LoadPlan.Load load = each.getKey();
      Arrivals arrivals = new Arrivals(load.name(), load.rate(), start);
      Pacer pacer = new Pacer(loop, each.getValue(), tally, arrivals, end, ended::countDown);
      pacers.add(pacer);
      loop.execute(pacer::tick);
    }
    try {
      if (meanwhile != null) {
        meanwhile.run();
      }
    } finally {
      if (meanwhile != null) {
        long now = System.nanoTime();
        loop.execute(() -> pacers.forEach(pacer -> pacer.endAt(now)));
      }
      ended.await();
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    tallies.forEach(tally -> tally.seconds = seconds);
    drain();
    return tallies;
  }

  /** Saturates the gateway with every load, for a duration. */
  List<Tally> saturate(long millis) throws FailedException, InterruptedException {
    List<Tally> tallies = begin(Phase.SATURATION, true);
    long start = System.nanoTime();
    loop.execute(() -> open.values().forEach(Target::saturate));
    long end = start + TimeUnit.MILLISECONDS.toNanos(millis);
    while (System.nanoTime() - end < 0 && failure() == null) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    onLoop(
        () -> {
          open.values().forEach(Target::calm);
          tallies.forEach(tally -> tally.seconds = seconds);
          open.values().forEach(target -> target.begin(new Tally("", Phase.SATURATION), false));
        });
    drain();
    return tallies;
  }

  private List<Tally> begin(Phase phase, boolean saturate)
      throws FailedException, InterruptedException {
    connect(phase == Phase.DIRECT);
    List<Tally> tallies = new ArrayList<>();
    open.keySet().forEach(load -> tallies.add(new Tally(load.name(), phase)));
    onLoop(
        () -> {
          int index = 0;
          for (Target target : open.values()) {
            target.begin(tallies.get(index++), saturate);
          }
        });
    return tallies;
  }

  private void connect(boolean direct) throws FailedException, InterruptedException {
    if (!open.isEmpty() && openDirect == direct) {
      return;
    }
    disconnect();
    openDirect = direct;
    for (LoadPlan.Load load : plan.loads().values()) {
      Requests sent = requests.get(load.name());
      try {
        open.put(
            load,
            sent == null
                ? new Pairs(group, subjects.nodes(direct), load)
                : Clients.open(group, subjects.memcached(direct), load, sent));
      } catch (RuntimeException e) {
        // Netty's sync rethrows the connection's own exception, which it does not declare
        throw new FailedException("load " + load.name() + " does not connect: " + e.getMessage());
      }
    }
    check();
  }

  /** Waits for the last replies; each request must get one. */
  private void drain() throws FailedException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DRAIN_SECONDS);
    AtomicLong left = new AtomicLong(1);
    while (left.get() > 0 && System.nanoTime() - end < 0) {
      check();
      onLoop(() -> left.set(open.values().stream().mapToLong(Target::outstanding).sum()));
      if (left.get() > 0) {
        TimeUnit.MILLISECONDS.sleep(2);
      }
    }
    List<String> missing = new ArrayList<>();
    onLoop(
        () ->
            open.forEach(
                (load, target) -> {
                  if (target.missing() != null) {
                    missing.add("load " + load.name() + ": " + target.missing());
                  }
                }));
    check();
    if (!missing.isEmpty()) {
      throw new FailedException(missing.get(0));
    }
  }

  private @Nullable String failure() {
    String ended = subjects.health().get();
    if (ended != null) {
      return ended;
    }
    for (Map.Entry<LoadPlan.Load, Target> each : open.entrySet()) {
      String failure = each.getValue().run().failure();
      if (failure != null) {
        return "load " + each.getKey().name() + ": " + failure;
      }
    }
    return null;
  }

  private void check() throws FailedException {
    String failure = failure();
    if (failure != null) {
      throw new FailedException(failure);
    }
  }

  private void onLoop(Runnable task) throws InterruptedException {
    loop.submit(task).sync();
  }

  private void disconnect() {
    open.values().forEach(Target::close);
    open.clear();
  }

  @Override
  public void close() {
    disconnect();
    group.shutdownGracefully(0, 2, TimeUnit.SECONDS).syncUninterruptibly();
    requests.values().forEach(Requests::close);
  }
}
