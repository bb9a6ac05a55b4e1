package sluice.gateway.session;

import io.netty.channel.Channel;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.DropReason;
import sluice.gateway.request.RequestPool;
import sluice.gateway.server.Server;
import sluice.gateway.time.Chance;

/** State of one event loop: its clients, its servers, and what they share. */
public final class LoopState {
  private static final Logger LOG = LoggerFactory.getLogger(LoopState.class);

  private static final long CLIENT_SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** Clients that are never idle get this multiple of the time in which clients leave. */
  private static final double OVERTIME = 1.8; // a little less than the whole

  private static final long DRAIN_SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /**
   * After this time without a sweep, the loop was busy, or the process stood still. Replies may
   * wait in its sockets, and requests that were read before may have left just now.
   */
  private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** How long a loop that was late reads before it looks for overdue requests. */
  private static final long READS_FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The most steps of a request; each may wait for its server. */
  private static final int STEPS = 16;

  /** The minimum for how long a request may make no progress, if its servers have no timeout. */
  public static final long LEAST_STANDSTILL_NANOS = TimeUnit.SECONDS.toNanos(30);

  private record Silence(Channel channel, long since, double place) {}

  private final Loop loop;
  private final RequestPool requestPool;
  private final List<Server> servers;
  private final Set<LoopClient> clients = new LinkedHashSet<>();
  private final Map<SilentClient, Silence> silent = new LinkedHashMap<>();
  private final StalledClients stalled;
  private final ValueMemory valueMemory;
  private final LineMemory lineMemory;
  private final ClosedClientInput closedClientInput;
  private final AwaitingMemory awaitingMemory;
  private final ForwardedBatch forwarded = new ForwardedBatch();
  private long sweptAt;
  private boolean readsFirst; // until then, no server is swept
  private long readsUntil;
  private long nextClientSweep;
  private final long leastStandstillNanos;
  private int clientNumbers;
  private boolean draining;
  private volatile boolean drained;
  private long drainingSince;
  private long leavingNanos;

  /**
   * The state of one loop.
   *
   * @param servers which their owner changes on this loop
   * @param leastStandstillNanos the minimum for how long a request may make no progress
   */
  public LoopState(
      Loop loop, RequestPool requestPool, List<Server> servers, long leastStandstillNanos) {
    this.leastStandstillNanos = leastStandstillNanos;
    this.nextClientSweep = loop.now();
    this.sweptAt = loop.now();
    this.loop = loop;
    this.requestPool = requestPool;
    this.servers = servers;
    this.stalled = new StalledClients(loop);
    this.valueMemory = new ValueMemory(loop.memory());
    this.lineMemory = new LineMemory(loop.memory());
    this.awaitingMemory = new AwaitingMemory(loop.memory());
    this.closedClientInput = new ClosedClientInput(loop.memory());
  }

  public Loop loop() {
    return loop;
  }

  public RequestPool requestPool() {
    return requestPool;
  }

  /** The requests that are sent unchanged, and have not been written yet. */
  public ForwardedBatch forwarded() {
    return forwarded;
  }

  /** Adds a client that has not sent anything yet. */
  public void addSilent(SilentClient client, Channel channel) {
    silent.put(client, new Silence(channel, loop.now(), Chance.nextDouble()));
  }

  public void removeSilent(SilentClient client) {
    silent.remove(client);
  }

  public int add(LoopClient client) {
    clients.add(client);
    return clientNumbers++;
  }

  public void remove(LoopClient client) {
    clients.remove(client);
    stalled.remove(client);
    awaitingMemory.remove(client);
  }

  /** The clients that do not read. */
  public StalledClients stalled() {
    return stalled;
  }

  /** Reservations of memory for whole values. */
  public ValueMemory valueMemory() {
    return valueMemory;
  }

  /** Reservations of memory for long lines. */
  public LineMemory lineMemory() {
    return lineMemory;
  }

  /** Bytes kept of closed clients. */
  public ClosedClientInput closedClientInput() {
    return closedClientInput;
  }

  /** Stops reading a client until there is memory again. */
  public void awaitMemory(LoopClient client) {
    awaitingMemory.add(client);
  }

  /** The client does not wait for memory any more. */
  public void stopAwaitingMemory(LoopClient client) {
    awaitingMemory.remove(client);
  }

  /**
   * How long a request may make no progress: much longer than all its possible waits in sequence.
   */
  public long standstillNanos() {
    long longest = 0;
    for (int i = 0; i < servers.size(); i++) {
      longest = Math.max(longest, servers.get(i).longestWaitNanos());
    }
    return leastStandstillNanos + STEPS * longest;
  }

  /** Called every few milliseconds on the loop. */
  public void sweep() {
    loop.tick();
    sweepServers();
    stalled.sweep();
    valueMemory.sweep();
    lineMemory.sweep();
    awaitingMemory.sweep();
    if (loop.now() - nextClientSweep > 0) {
      nextClientSweep = loop.now() + (draining ? DRAIN_SWEEP_NANOS : CLIENT_SWEEP_NANOS);
      double share = drainedShare();
      for (LoopClient client : List.copyOf(clients)) {
        try {
          client.sweep(share);
        } catch (Throwable e) {
          client.broken(e); // the others are swept all the same
        }
      }
      stalled.sweep(clients, lineMemory.isAwaited());
      for (Map.Entry<SilentClient, Silence> entry : List.copyOf(silent.entrySet())) {
        long idle = entry.getKey().idleNanos();
        if (share >= entry.getValue().place()
            || entry.getKey().isRetired()
            || (idle > 0 && loop.now() - entry.getValue().since() > idle)) {
          entry.getValue().channel().close();
        }
      }
    }
    drained = draining && isEmpty() && !owesServers();
    if (draining || isMemoryAwaited() || stalled.isWatching()) {
      loop.active();
    }
  }

  private void sweepServers() {
    boolean isLate = loop.now() - sweptAt > LATE_NANOS;
    sweptAt = loop.now();
    if (isLate && !readsFirst) { // once: a loop that always is late looks for overdue ones, too
      readsFirst = true;
      readsUntil = loop.now() + READS_FIRST_NANOS;
    }
    if (readsFirst && loop.now() - readsUntil < 0) {
      return;
    }
    readsFirst = false;
    for (int i = 0; i < servers.size(); i++) {
      sweep(servers.get(i));
    }
  }

  private static void sweep(Server server) {
    try {
      server.sweep();
    } catch (Throwable e) { // the others are swept all the same, and clients that take memory
      LOG.error("the sweep of server {} failed: an internal error", server.name(), e);
    }
  }

  private boolean isMemoryAwaited() {
    return awaitingMemory.isAwaited() || valueMemory.isAwaited() || lineMemory.isAwaited();
  }

  /** Whether requests, clients or connections wait for servers, perhaps only for milliseconds. */
  public boolean awaitsServers() {
    for (int i = 0; i < servers.size(); i++) {
      if (servers.get(i).isAwaited()) {
        return true;
      }
    }
    return false;
  }

  /** Whether servers still have requests of disconnected clients, which are executed, too. */
  private boolean owesServers() {
    for (int i = 0; i < servers.size(); i++) {
      if (servers.get(i).owesReplies()) {
        return true;
      }
    }
    return false;
  }

  /** The elapsed share of the time in which clients leave, 0 to 1; negative: they may stay. */
  private double drainedShare() {
    if (!draining) {
      return -1;
    }
    long passed = loop.now() - drainingSince;
    return passed < leavingNanos ? (double) passed / leavingNanos : 1;
  }

  /** The elapsed share of the additional time for clients that should have left, 0 to 1. */
  public double overtimeShare() {
    long passed = loop.now() - drainingSince - leavingNanos;
    return !draining || passed <= 0 ? 0 : Math.min(1, passed / (OVERTIME * leavingNanos));
  }

  /**
   * From now on idle clients are closed, spread over a time so that they do not all reconnect at
   * once.
   */
  public void drain(long leavingNanos) {
    loop.tick();
    draining = true;
    drainingSince = loop.now();
    this.leavingNanos = leavingNanos;
    nextClientSweep = loop.now();
    sweep();
  }

  /** Whether it drains, and nothing is left to be done; from any thread. */
  public boolean isDrained() {
    return drained;
  }

  /** Whether there are no clients. */
  public boolean isEmpty() {
    return clients.isEmpty() && silent.isEmpty();
  }

  /** Closes the remaining clients. */
  public void close() {
    draining = true;
    for (LoopClient client : List.copyOf(clients)) {
      client.cut(DropReason.STOPPING);
    }
    for (Silence silence : List.copyOf(silent.values())) {
      silence.channel().close();
    }
    for (int i = 0; i < servers.size(); i++) {
      servers.get(i).close();
    }
    stalled.log();
  }
}
