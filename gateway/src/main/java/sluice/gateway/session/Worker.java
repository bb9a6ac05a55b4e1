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

/** Everything of one event loop: its clients, its servers, and the views that they share. */
public final class Worker {
  private static final long CLIENT_SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** Of the time in which clients leave, so much more is there for those who are never quiet. */
  private static final double OVERTIME = 1.8; // a little less than there is

  private static final long DRAIN_SWEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** In so many steps a request may be done, each of which may wait for its server. */
  private static final int STEPS = 16;

  /** How long a request may stand still though its servers have no time. */
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
   * The worker of one loop.
   *
   * @param servers whoever has them changes it, on this loop
   * @param leastPatienceNanos how long a request may stand still though its servers have no time
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

  /** An empty buffer for what is looked at before the next call; borrowed. */
  public ByteBuf scratch() {
    return scratch.clear();
  }

  /** An empty buffer for a line as a server is to see it, until that is copied; borrowed. */
  public ByteBuf changed() {
    return changed.clear();
  }

  /** A buffer for a key's new name while its server is looked for; borrowed. */
  public ByteBuf renamed() {
    return renamed;
  }

  /**
   * Client begins to read its requests, into the views that all clients share, until {@link #ends}.
   *
   * @return false if another is in the middle of one: then client is told to go on behind that
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

  /** The client that began last has no request in the middle. */
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

  /** A client that has not said anything yet. */
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

  /** Where memory is taken for whole values. */
  public Room room() {
    return room;
  }

  /** What is kept of clients that are gone. */
  public LastWords lastWords() {
    return lastWords;
  }

  /** Client is not read until there is memory again. */
  public void starves(LoopClient client) {
    starved.add(client);
  }

  /** Client does not wait for memory any more. */
  public void starvesNoMore(LoopClient client) {
    starved.remove(client);
  }

  /** How long a request may stand still: far longer than all that it may wait for in turn. */
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
    for (int i = 0; i < servers.size(); i++) { // what fails here may need one that had left
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
   * Goes on with those who wait for memory: with all, or with the one that has waited for longest.
   * What they have sent already may be what uses it up.
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

  /** How much of the time has passed in which clients leave, 0 to 1; negative: they may stay. */
  private double drained() {
    if (!draining) {
      return -1;
    }
    long passed = loop.now() - drainingSince;
    return passed < leavingNanos ? (double) passed / leavingNanos : 1;
  }

  /** How much has passed of the time that is left for those who should have left, 0 to 1. */
  public double hurry() {
    long passed = loop.now() - drainingSince - leavingNanos;
    return !draining || passed <= 0 ? 0 : Math.min(1, passed / (OVERTIME * leavingNanos));
  }

  /**
   * From now on clients are closed when nothing of theirs is in flight: spread over a time, so that
   * they do not all reconnect at once.
   */
  public void drain(long leavingNanos) {
    loop.tick();
    draining = true;
    drainingSince = loop.now();
    this.leavingNanos = leavingNanos;
    nextClientSweep = loop.now();
    sweep();
  }

  /** Whether no client is left. */
  public boolean isEmpty() {
    return clients.isEmpty() && silent.isEmpty();
  }

  /** Closes what is left. */
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
