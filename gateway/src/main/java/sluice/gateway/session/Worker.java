package sluice.gateway.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import sluice.codecs.memcached.text.KeyedLine;
import sluice.codecs.memcached.text.MetaLine;
import sluice.codecs.memcached.text.StorageLine;
import sluice.codecs.memcached.text.TextLine;
import sluice.gateway.exchange.ExchangePool;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.DropReason;
import sluice.gateway.server.Server;

/** State of one event loop: its clients, its servers, and the views that they share. */
public final class Worker {
  private static final long CLIENT_SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** Clients that are never idle get this multiple of the time in which clients leave. */
  private static final double OVERTIME = 1.8; // a little less than the whole

  private static final long DRAIN_SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** The most steps of a request; each may wait for its server. */
  private static final int STEPS = 16;

  /** The minimum for how long a request may make no progress, if its servers have no timeout. */
  public static final long LEAST_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private record Silence(Channel channel, long since, double place) {}

  private final Loop loop;
  private final ExchangePool exchanges;
  private final List<Server> servers;
  private final Set<LoopClient> clients = new LinkedHashSet<>();
  private final Map<SilentClient, Silence> silent = new LinkedHashMap<>();
  private final StalledClients stalled;
  private final Room room;
  private final LastWords lastWords;
  private final ArrayDeque<LoopClient> starved = new ArrayDeque<>();
  private final ArrayDeque<LoopClient> interrupted = new ArrayDeque<>();
  private LoopClient current; // whose requests are being read
  private boolean catchingUp;
  private final ByteBuf scratch;
  private final ByteBuf changed;
  private final ByteBuf renamed;
  private long nextClientSweep;
  private final long leastPatienceNanos;
  private int clientNumbers;
  private boolean draining;
  private long drainingSince;
  private long leavingNanos;

  public final TextLine line = new TextLine();
  public final StorageLine storage = new StorageLine();
  public final KeyedLine keyed = new KeyedLine();
  public final MetaLine meta = new MetaLine();

  /**
   * The state of one loop.
   *
   * @param servers which their owner changes on this loop
   * @param leastPatienceNanos the minimum for how long a request may make no progress
   */
  public Worker(Loop loop, ExchangePool exchanges, List<Server> servers, long leastPatienceNanos) {
    this.leastPatienceNanos = leastPatienceNanos;
    this.loop = loop;
    this.exchanges = exchanges;
    this.servers = servers;
    this.scratch = loop.buffer(1024);
    this.changed = loop.buffer(1024);
    this.renamed = loop.buffer(1024);
    this.stalled = new StalledClients(loop);
    this.room = new Room(loop.memory());
    this.lastWords = new LastWords(loop.memory());
  }

  public Loop loop() {
    return loop;
  }

  public ExchangePool exchanges() {
    return exchanges;
  }

  /** An empty buffer for temporary bytes, until the next call; borrowed. */
  public ByteBuf scratch() {
    return scratch.clear();
  }

  /** An empty buffer for a rewritten line until it is copied; borrowed. */
  public ByteBuf changed() {
    return changed.clear();
  }

  /** A buffer for a rewritten key while its server is looked up; borrowed. */
  public ByteBuf renamed() {
    return renamed;
  }

  /**
   * Begins reading a client's requests into the views that all clients share, until {@link #ends}.
   *
   * @return false if another client is in the middle of one: then client is called when that has
   *     ended
   */
  public boolean begins(LoopClient client) {
    if (current == null) {
      current = client;
      return true;
    }
    if (!interrupted.contains(client)) {
      interrupted.add(client);
    }
    return false;
  }

  /** The current client has no unfinished request. */
  public void ends() {
    current = null;
    if (catchingUp) {
      return;
    }
    catchingUp = true;
    try {
      for (LoopClient next = interrupted.poll(); next != null; next = interrupted.poll()) {
        next.process();
      }
    } finally {
      catchingUp = false;
    }
  }

  /** Adds a client that has not sent anything yet. */
  public void addSilent(SilentClient client, Channel channel) {
    silent.put(client, new Silence(channel, loop.now(), Math.random()));
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
    starved.remove(client);
    interrupted.remove(client);
  }

  /** The clients that do not read. */
  public StalledClients stalled() {
    return stalled;
  }

  /** Reservations of memory for whole values. */
  public Room room() {
    return room;
  }

  /** Bytes kept of closed clients. */
  public LastWords lastWords() {
    return lastWords;
  }

  /** Stops reading a client until there is memory again. */
  public void starves(LoopClient client) {
    starved.add(client);
  }

  /** The client does not wait for memory any more. */
  public void starvesNoMore(LoopClient client) {
    starved.remove(client);
  }

  /**
   * How long a request may make no progress: much longer than all its possible waits in sequence.
   */
  public long patienceNanos() {
    long longest = 0;
    for (int i = 0; i < servers.size(); i++) {
      longest = Math.max(longest, servers.get(i).patienceNanos());
    }
    return leastPatienceNanos + STEPS * longest;
  }

  /** Called every few milliseconds on the loop. */
  public void sweep() {
    loop.tick();
    // a failure here may be that of a client that had left
    for (int i = 0; i < servers.size(); i++) {
      servers.get(i).sweep();
    }
    stalled.sweep();
    room.sweep();
    feed();
    if (loop.now() - nextClientSweep > 0) {
      nextClientSweep = loop.now() + (draining ? DRAIN_SWEEP_NANOS : CLIENT_SWEEP_NANOS);
      double drained = drained();
      for (LoopClient client : List.copyOf(clients)) {
        client.sweep(drained);
      }
      stalled.sweep(clients);
      for (Map.Entry<SilentClient, Silence> entry : List.copyOf(silent.entrySet())) {
        long idle = entry.getKey().idleNanos();
        if (drained >= entry.getValue().place()
            || entry.getKey().isRetired()
            || (idle > 0 && loop.now() - entry.getValue().since() > idle)) {
          entry.getValue().channel().close();
        }
      }
    }
  }

  /**
   * Resumes clients that wait for memory: all of them, or only the first if memory is still short.
   * The bytes that they have sent may be what uses it up.
   */
  private void feed() {
    if (starved.isEmpty()) {
      return;
    }
    if (loop.memory().isRelaxed()) {
      List<LoopClient> fed = List.copyOf(starved);
      starved.clear();
      fed.forEach(LoopClient::feed);
    } else {
      starved.poll().feed();
    }
  }

  /** The elapsed share of the time in which clients leave, 0 to 1; negative: they may stay. */
  private double drained() {
    if (!draining) {
      return -1;
    }
    long passed = loop.now() - drainingSince;
    return passed < leavingNanos ? (double) passed / leavingNanos : 1;
  }

  /** The elapsed share of the additional time for clients that should have left, 0 to 1. */
  public double hurry() {
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
    stalled.tell();
    scratch.release();
    changed.release();
    renamed.release();
  }
}
