package sluice.gateway.client;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import sluice.codecs.buffer.Spares;
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

  private static final long TRIM_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MOST_MULTI_GETS = 1024;
  private static final int MULTI_GETS_KEPT = 16;

  /** In so many steps a request may be done, each of which may wait for its server. */
  private static final int STEPS = 16;

  private static final long LEAST_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private record Silence(Channel channel, long since, double place) {}

  private final Loop loop;
  private final ExchangePool exchanges;
  private final List<Server> servers;
  private final Set<ClientConnection> clients = new LinkedHashSet<>();
  private final Map<NewClient, Silence> silent = new LinkedHashMap<>();
  private final StalledClients stalled;
  private final Room room;
  private final ArrayDeque<ClientConnection> starved = new ArrayDeque<>();
  private final ArrayDeque<ClientConnection> interrupted = new ArrayDeque<>();
  private ClientConnection current; // whose requests are being read
  private boolean catchingUp;
  private final Spares<MultiGet> multiGets = new Spares<>(MOST_MULTI_GETS);
  private long nextTrim;
  private final ByteBuf scratch;
  private final ByteBuf changed;
  private final ByteBuf renamed;
  private final Bridge bridge;
  private long nextClientSweep;
  private int clientNumbers;
  private boolean draining;
  private long drainingSince;
  private long leavingNanos;

  final TextLine line = new TextLine();
  final StorageLine storage = new StorageLine();
  final KeyedLine keyed = new KeyedLine();
  final MetaLine meta = new MetaLine();

  /**
   * The worker of one loop.
   *
   * @param servers whoever has them changes it, on this loop
   */
  public Worker(Loop loop, ExchangePool exchanges, List<Server> servers) {
    this.loop = loop;
    this.exchanges = exchanges;
    this.servers = servers;
    this.scratch = loop.buffer(1024);
    this.changed = loop.buffer(1024);
    this.renamed = loop.buffer(1024);
    this.bridge = new Bridge(this);
    this.stalled = new StalledClients(loop);
    this.room = new Room(loop.memory());
    this.nextTrim = loop.now() + TRIM_NANOS;
  }

  Loop loop() {
    return loop;
  }

  ExchangePool exchanges() {
    return exchanges;
  }

  /** An empty buffer for what is looked at before the next call; borrowed. */
  ByteBuf scratch() {
    return scratch.clear();
  }

  /** An empty buffer for a line as a server is to see it, until that is copied; borrowed. */
  ByteBuf changed() {
    return changed.clear();
  }

  /** A buffer for a key's new name while its server is looked for; borrowed. */
  ByteBuf renamed() {
    return renamed;
  }

  /** What sends requests in their neutral form. */
  Bridge bridge() {
    return bridge;
  }

  /** A multi-get of one's own, until it is {@link MultiGet#recycle recycled}. */
  MultiGet multiGet() {
    MultiGet free = multiGets.take();
    return free == null ? new MultiGet(this) : free;
  }

  void give(MultiGet free) {
    if (!multiGets.give(free)) {
      free.drop();
    }
  }

  /** Drops what nobody has needed for a while. */
  private void trim() {
    boolean tight = loop.memory().isTight();
    if (tight || loop.now() - nextTrim > 0) {
      nextTrim = loop.now() + TRIM_NANOS;
      int surplus = tight ? multiGets.count() : multiGets.surplus();
      for (int i = Math.min(surplus, multiGets.count() - MULTI_GETS_KEPT); i > 0; i--) {
        multiGets.take().drop();
      }
      multiGets.settle();
    }
  }

  /**
   * Client begins to read its requests, into the views that all clients share, until {@link #ends}.
   *
   * @return false if another is in the middle of one: then client is told to go on behind that
   */
  boolean begins(ClientConnection client) {
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
  void ends() {
    current = null;
    if (catchingUp) {
      return;
    }
    catchingUp = true;
    try {
      for (ClientConnection next = interrupted.poll(); next != null; next = interrupted.poll()) {
        next.process();
      }
    } finally {
      catchingUp = false;
    }
  }

  /** A client that has not said anything yet. */
  void addSilent(NewClient client, Channel channel) {
    silent.put(client, new Silence(channel, loop.now(), Math.random()));
  }

  void removeSilent(NewClient client) {
    silent.remove(client);
  }

  int add(ClientConnection client) {
    clients.add(client);
    return clientNumbers++;
  }

  void remove(ClientConnection client) {
    clients.remove(client);
    stalled.remove(client);
    starved.remove(client);
    interrupted.remove(client);
  }

  /** The clients that do not read. */
  StalledClients stalled() {
    return stalled;
  }

  /** Where memory is taken for whole values. */
  Room room() {
    return room;
  }

  /** Client is not read until there is memory again. */
  void starves(ClientConnection client) {
    starved.add(client);
  }

  /** How long a request may stand still: far longer than all that it may wait for in turn. */
  long patienceNanos() {
    long longest = 0;
    for (int i = 0; i < servers.size(); i++) {
      longest = Math.max(longest, servers.get(i).patienceNanos());
    }
    return LEAST_PATIENCE_NANOS + STEPS * longest;
  }

  /** Called every few milliseconds on the loop. */
  public void sweep() {
    loop.tick();
    for (int i = 0; i < servers.size(); i++) { // what fails here may need one that had left
      servers.get(i).sweep();
    }
    stalled.sweep();
    room.sweep();
    trim();
    feed();
    if (loop.now() - nextClientSweep > 0) {
      nextClientSweep = loop.now() + (draining ? DRAIN_SWEEP_NANOS : CLIENT_SWEEP_NANOS);
      double drained = drained();
      for (ClientConnection client : List.copyOf(clients)) {
        client.sweep(drained);
      }
      stalled.sweep(clients);
      for (Map.Entry<NewClient, Silence> entry : List.copyOf(silent.entrySet())) {
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
      List<ClientConnection> fed = List.copyOf(starved);
      starved.clear();
      fed.forEach(ClientConnection::feed);
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
  double hurry() {
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
    for (ClientConnection client : List.copyOf(clients)) {
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
    bridge.close();
  }
}
