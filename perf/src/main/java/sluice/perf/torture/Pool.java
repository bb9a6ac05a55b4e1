package sluice.perf.torture;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import sluice.gateway.route.hash.Member;
import sluice.gateway.route.hash.Ring;
import sluice.names.Distribution;
import sluice.names.HashFunction;
import sluice.names.Labelled;

/** A pool of a {@link Setting}. */
final class Pool {
  private static final List<String> DISTRIBUTIONS =
      List.of("ketama", "jump", "rendezvous", "modula", "maglev");
  private static final List<String> FUNCTIONS = List.of("fnv1a_64", "md5", "crc32", "murmur3");
  private static final int LEAST_CONNECT_MILLIS = 1000;

  private final String name;
  private final Servers all;
  private final List<Integer> members;
  private final boolean encrypted;
  private final String dialect;
  private final String function;
  private final String distribution;
  private final int timeoutMillis;
  private final String connections;
  private final boolean retries;
  private final boolean health;
  private final Ring ring;

  private Pool(
      String name,
      Servers all,
      Set<Integer> members,
      String dialect,
      String function,
      String distribution,
      int timeoutMillis,
      boolean steady,
      Random random) {
    this.name = name;
    this.all = all;
    this.members = List.copyOf(members);
    this.dialect = dialect;
    this.function = function;
    this.distribution = distribution;
    this.timeoutMillis = timeoutMillis - random.nextInt(timeoutMillis / 3);
    int count = 1 + random.nextInt(2);
    // There are two event loops: with fewer connections they share some.
    connections = (random.nextBoolean() ? "max: " : "perEventLoop: ") + count;
    retries = random.nextBoolean();
    health = !steady && random.nextBoolean();
    encrypted = !steady && random.nextInt(3) == 0;
    ring =
        Ring.of(
            Labelled.named(HashFunction.class, function),
            Labelled.named(Distribution.class, distribution),
            "",
            this.members.stream().map(this::member).toList());
  }

  private Member member(int server) {
    return new Member(all.name(server, encrypted), "127.0.0.1", all.get(server).port(encrypted), 1);
  }

  /** One of servers that keep running, whose keys never move. */
  static Pool steady(
      String name,
      Servers all,
      List<Integer> servers,
      Random random,
      List<String> dialects,
      int timeoutMillis) {
    String dialect = dialects.get(random.nextInt(dialects.size()));
    Set<Integer> members = new TreeSet<>(servers);
    return new Pool(name, all, members, dialect, "fnv1a_64", "ketama", timeoutMillis, true, random);
  }

  /** One of some of the others. */
  static Pool moving(
      String name, Servers all, Random random, List<String> dialects, int timeoutMillis) {
    Set<Integer> members = new TreeSet<>();
    for (int i = random.nextInt(Servers.MOVING); i >= 0; i--) {
      members.add(Servers.STEADY + random.nextInt(Servers.MOVING));
    }
    return new Pool(
        name,
        all,
        members,
        dialects.get(random.nextInt(dialects.size())),
        FUNCTIONS.get(random.nextInt(FUNCTIONS.size())),
        DISTRIBUTIONS.get(random.nextInt(DISTRIBUTIONS.size())),
        timeoutMillis,
        false,
        random);
  }

  String name() {
    return name;
  }

  /**
   * The servers that may have a key: the ring's first, then those of whom one can be its detour.
   */
  List<Integer> servers(String key) {
    ByteBuf bytes = Unpooled.wrappedBuffer(key.getBytes(ISO_8859_1));
    Integer first = members.get(ring.serverOf(bytes, 0, bytes.readableBytes()));
    List<Integer> servers = new ArrayList<>(List.of(first));
    if (health) {
      members.stream().filter(server -> !server.equals(first)).forEach(servers::add);
    }
    return servers;
  }

  /** Its part of the configuration file. */
  String yaml() {
    return """
      %s:
        servers: %s
        dialect: %s
        hash: {function: %s, distribution: %s}
        timeout: %dms
        connections: {%s, probeAfter: 100ms, connectTimeout: %dms}
    """
            .formatted(
                name,
                members.stream().map(server -> '"' + all.name(server, encrypted) + '"').toList(),
                dialect,
                function,
                distribution,
                timeoutMillis,
                connections,
                Math.max(LEAST_CONNECT_MILLIS, timeoutMillis))
        + (retries ? "    retries: {max: 2, budget: 50%}\n" : "")
        + (health
            ? "    health: {failures: 3, probe: 100ms, ejectFor: 200ms..1s, maxEjected: 60%}\n"
            : "")
        + (encrypted ? "    tls: {ca: ca.crt, certificate: gateway.crt, key: gateway.key}\n" : "");
  }
}
