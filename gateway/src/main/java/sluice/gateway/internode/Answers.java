package sluice.gateway.internode;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jctools.queues.MpscArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.loop.Loop;
import sluice.gateway.metrics.InternodeMetrics;

/**
 * Answers of one event loop in the name of nodes, to requests that rules removed. An answer travels
 * on one of the loop's links that leads back, or else on a connection made for it.
 */
final class Answers implements ReturnLink.Queue, AnswerConnection.Owner {
  private static final Logger LOG = LoggerFactory.getLogger(Answers.class);

  /** The most answers that wait to be sent. */
  static final int MAX_WAITING = 1024;

  /** Bounds the loop's own connections, because requests may name any sender. */
  private static final int MAX_CONNECTIONS = 64;

  /**
   * The most addresses that are looked up between two looks. Each is compared with all listeners,
   * and a peer can state any number of them.
   */
  static final int MAX_LOOK_UPS = 256;

  /** Time between looks whether the configuration still has the addresses of its connections. */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final LinkLoop links;
  private final Loop loop;
  private final LinkRegistry registry;
  private final MpscArrayQueue<Rejected> queue = new MpscArrayQueue<>(MAX_WAITING);
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final Map<List<InetSocketAddress>, AnswerConnection> own = new HashMap<>();
  private final List<AnswerConnection> ending =
      new ArrayList<>(); // whose peers have not taken everything yet
  private final RareLine strangers = new RareLine();
  private final Set<Stranger> unknown = new HashSet<>(); // looked up in vain since the last look
  private long nextLook;
  private int lookUps; // since the last look

  /** Receiver that the configuration does not know, as far as it depends on a request. */
  private record Stranger(
      String listener, InetSocketAddress requester, InetSocketAddress requesterThere) {}

  Answers(LinkLoop links, LinkRegistry registry) {
    this.links = links;
    this.loop = links.loop();
    this.registry = registry;
    nextLook = loop.now();
  }

  /** Answers a request that was read on this loop, in a later task and perhaps on another loop. */
  void send(Rejected rejected) {
    ReturnLink back = registry.find(rejected.targetThere(), rejected.requesterThere());
    ReturnLink.Queue there = back == null ? this : back.answers();
    if (!there.offer(rejected)) {
      metrics(rejected).unanswered();
    }
  }

  @Override
  public boolean offer(Rejected rejected) {
    boolean taken = queue.offer(rejected);
    if (taken) {
      schedule();
    }
    return taken;
  }

  /** Schedules the answers: a link must not be written to while it is being read. */
  private void schedule() {
    if (scheduled.compareAndSet(false, true)) {
      loop.eventLoop().execute(this::drain);
    }
  }

  private void drain() {
    scheduled.set(false);
    loop.tick();
    for (Rejected next = queue.poll(); next != null; next = queue.poll()) {
      answer(next);
    }
  }

  private void answer(Rejected rejected) {
    ReturnLink back = registry.find(rejected.targetThere(), rejected.requesterThere());
    if (back != null && back.answers() == this) {
      if (back.isFull()) {
        metrics(rejected).unanswered();
        return;
      }
      if (back.answer(rejected)) {
        metrics(rejected).answered();
        return;
      }
    }
    List<InetSocketAddress> way = List.of(rejected.target(), rejected.requester());
    AnswerConnection connection = own.get(way);
    if (connection != null) {
      connection.send(rejected);
      return;
    }
    Stranger stranger =
        new Stranger(rejected.listener(), rejected.requester(), rejected.requesterThere());
    if (unknown.contains(stranger)) { // whose many requests must not use up the look-ups of others
      metrics(rejected).unanswered();
      logStranger(rejected);
      return;
    }
    if (own.size() + ending.size() >= MAX_CONNECTIONS || lookUps >= MAX_LOOK_UPS) {
      metrics(rejected).unanswered();
      return;
    }
    lookUps++;
    Reach reach = registry.reach(rejected);
    if (reach == null) {
      unknown.add(stranger);
      metrics(rejected).unanswered();
      logStranger(rejected);
      return;
    }
    connection = new AnswerConnection(links, this, rejected, reach);
    own.put(way, connection);
    connection.send(rejected); // first, because connecting may fail at once
    connection.connect();
  }

  private void logStranger(Rejected rejected) {
    long count = strangers.due(loop.now());
    if (count > 0) {
      LOG.warn(
          "listener {}: cannot tell {} that its request was rejected: neither 'peers' nor"
              + " 'addresses' name it ({} requests since the last such line)",
          rejected.listener(),
          rejected.requester(),
          count);
    }
  }

  /** This loop's counters for the listener whose rule removed the request. */
  @Override
  public InternodeMetrics metrics(Rejected rejected) {
    return loop.metrics().internode(rejected.listener());
  }

  @Override
  public void remove(AnswerConnection connection) {
    own.values().remove(connection);
    if (connection.isOpen()) {
      ending.add(connection);
    }
  }

  void sweep() {
    boolean looks = loop.now() - nextLook > 0;
    if (looks) {
      nextLook = loop.now() + LOOK_NANOS;
      lookUps = 0;
      unknown.clear();
    }
    for (AnswerConnection connection : new ArrayList<>(own.values())) {
      connection.sweep();
      if (looks && !connection.leadsTo(registry.reach(connection.first()))) {
        connection.end(); // the configuration has changed
        remove(connection);
      }
    }
    ending.removeIf(AnswerConnection::isGone);
  }

  void close() {
    for (AnswerConnection connection : new ArrayList<>(own.values())) {
      connection.end();
    }
    ending.forEach(AnswerConnection::abort);
  }
}
