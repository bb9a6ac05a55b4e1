package sluice.perf.simulation;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import sluice.perf.simulation.system.SimulatedSocket;

/**
 * Several connections of one host to one gateway, which now and then read and change one key or
 * number within some milliseconds. Meanwhile, the replies on some connections to servers are slow,
 * as if a segment had been lost, so that requests overtake each other. Every reply is judged.
 */
final class CrowdClient {
  private static final int CONNECTIONS = 3;

  /** Requests of one round. */
  private static final int MOST_REQUESTS = 12;

  /** Within this time, the connections begin a round. */
  private static final long BEGINS_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** In some rounds, all others begin that much later than the one that reads first. */
  private static final long LATER_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /** The first write of a round in which near caches are replaced is answered by then. */
  private static final long ANSWERED_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

  /** Requests of a round in which near caches are replaced. */
  private static final int REQUESTS_OF_RELOAD = 40;

  private static final long MOST_GAP_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

  /** A segment is sent again within that time: no timeout is as short. */
  private static final long MOST_STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

  /** In one round of so many about a near cache's key, the configuration changes. */
  private static final int RELOADS = 12;

  private static final long LEAST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long MOST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(9);

  private final class Connection extends RequestConnection {
    private final Member member;

    Connection(Member member) {
      super(world, name, gateway, random);
      this.member = member;
    }

    @Override
    void sendBatch() {
      // with the next round
    }

    void sends() {
      if (isConnected() && !waits() && left > 0) {
        left--;
        send(begin(member.next()));
        watch();
      }
    }

    @Override
    void answered() {
      simulator().after(random.nextLong(MOST_GAP_NANOS), this::sends);
    }

    @Override
    void closed() {
      world.simulator().after(random.nextLong(50_000_000), member::connect);
    }
  }

  /** One of the connections after the other, whose requests are in one order. */
  private final class Member {
    private final SharedRequests requests;
    private @Nullable Connection connection; // null before the first one

    Member(SharedKeys keys) {
      boolean meta = random.nextBoolean();
      requests =
          new SharedRequests(keys, gateway.getHostString(), meta, world.simulator().stream());
    }

    void connect() {
      if (!world.isEnding()) {
        connection = new Connection(this);
        connection.connect(host);
      }
    }

    void sends() {
      if (connection != null) {
        connection.sends();
      }
    }

    void ends() {
      if (connection != null) {
        connection.finish();
      }
    }

    Request next() {
      SharedCounter number = counts ? counter : null;
      if (number != null && number.isNew()) {
        return CounterRequest.begin(number);
      }
      if (number != null && number.isReady() && !number.isWorn()) {
        return requests.request(number);
      }
      if (manner == Manner.ANY) {
        return requests.request(key);
      }
      if (writer == this) {
        writer = null;
        return requests.write(key);
      }
      return manner == Manner.RELOAD && random.nextInt(3) == 0
          ? requests.readPast(key)
          : requests.read(key);
    }
  }

  /** What happens in a round. */
  private enum Manner {
    /** Anything. */
    ANY,
    /** Reads, and one write between them. */
    ONE_WRITE,
    /** The same behind a first write, and near caches are replaced during the second. */
    RELOAD
  }

  private final World world;
  private final List<Rule> rules;
  private final String name;
  private final String prefix;
  private final String host;
  private final InetSocketAddress gateway;
  private final RandomGenerator random;
  private final List<Member> members = new ArrayList<>();
  private final CacheReload reload;
  private SharedKey key;
  private @Nullable SharedCounter counter; // null before the first round about a number
  private boolean counts; // the round is about the number, and not about the key
  private Manner manner = Manner.ANY;
  private @Nullable Member writer; // of the round's only write, until it is sent; null for none
  private int left; // requests of the round
  private int keyNumber;

  CrowdClient(World world, Scenario scenario, SharedKeys keys, int number) {
    this.world = world;
    this.rules = scenario.rules();
    this.name = "crowd " + number;
    this.prefix = "60" + number;
    this.host = "10.1.6." + number;
    this.random = world.simulator().stream();
    this.gateway = world.gateways().get(random.nextInt(world.gateways().size()));
    for (int i = 0; i < CONNECTIONS; i++) {
      members.add(new Member(keys));
    }
    key = freshKey();
    reload = new CacheReload(world, scenario, gateway.getHostString(), random);
  }

  void start() {
    members.forEach(Member::connect);
    later();
  }

  private void later() {
    long pause = random.nextLong(LEAST_PAUSE_NANOS, MOST_PAUSE_NANOS);
    world.simulator().after(world.pause(random, pause), this::round);
  }

  private void round() {
    if (world.isEnding()) {
      members.forEach(Member::ends);
      return;
    }
    if (reload.isDue()) {
      beginReload();
    } else {
      choose();
      delayReplies();
    }
    world.moments().sending(random);
    boolean near = !counts && manner != Manner.RELOAD && key.rule() == Rule.NEAR;
    if (near && random.nextInt(RELOADS) == 0) { // maybe a new cache
      world
          .simulator()
          .after(
              random.nextLong(LATER_NANOS), () -> world.operator().reload(gateway.getHostString()));
    }
    boolean ordered = manner != Manner.ANY;
    for (int i = 0; i < members.size(); i++) {
      long begins = (ordered ? i * LATER_NANOS : 0) + random.nextLong(BEGINS_NANOS);
      world.simulator().after(begins, members.get(i)::sends);
    }
    later();
  }

  private void choose() {
    left = random.nextInt(CONNECTIONS, MOST_REQUESTS);
    manner = random.nextBoolean() ? Manner.ONE_WRITE : Manner.ANY;
    writer = manner == Manner.ONE_WRITE ? members.get(1) : null;
    if (key.isWorn() || random.nextBoolean()) {
      key = freshKey();
    }
    counts = random.nextInt(12) < (world.moments().areAwaited() ? 9 : 4); // numbers show a fault
    SharedCounter number = counter;
    if (counts && (number == null || number.isWorn())) { // another is there before a fault
      counter = new SharedCounter(world, counted(), name());
    }
  }

  private void beginReload() {
    manner = Manner.RELOAD;
    left = REQUESTS_OF_RELOAD;
    counts = false;
    key = new SharedKey(world, Rule.NEAR, name());
    writer = members.get(0);
    world
        .simulator()
        .after(
            ANSWERED_NANOS,
            () -> {
              writer = members.get(1);
              reload.begin(key);
            });
  }

  private SharedKey freshKey() {
    boolean near = rules.contains(Rule.NEAR) && random.nextBoolean();
    Rule rule = near ? Rule.NEAR : rules.get(random.nextInt(rules.size()));
    return new SharedKey(world, rule, name());
  }

  private String name() {
    return prefix + ":k" + ++keyNumber;
  }

  private Rule counted() {
    List<Rule> counted = rules.stream().filter(Rule::takesAll).toList();
    return counted.get(random.nextInt(counted.size()));
  }

  private void delayReplies() {
    String client = gateway.getHostString();
    List<SimulatedSocket> ends =
        world
            .network()
            .sockets(
                end ->
                    end.remote().getHostString().equals(client)
                        && end.local().getHostString().startsWith(Scenario.POOLS));
    if (random.nextInt(4) > 0) {
      for (SimulatedSocket end : ends) {
        if (random.nextBoolean()) {
          end.stall(random.nextLong(MOST_STALL_NANOS));
        }
      }
    }
  }
}
