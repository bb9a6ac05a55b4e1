package sluice.perf.simulation;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Configuration of gateways, and the number of their servers, as a seed chooses them. */
final class Scenario {
  private static final int[] MOST_IN_FLIGHT = {1024, 64, 1};

  /** How gateways learn the servers of the first pool. */
  enum Discovery {
    /** The configuration lists them. */
    NONE,
    /** From a configuration endpoint. */
    ELASTICACHE,
    /** By their addresses. */
    DNS,
    /** By their services. */
    SRV
  }

  /** A gateway's port for clients without TLS. */
  static final int PORT = 11211;

  /** What the addresses of the gateways begin with. */
  static final String GATEWAYS = "10.0.0.";

  /** What the addresses of all servers begin with. */
  static final String POOLS = "10.2.";

  /** What the addresses of the Ignite nodes begin with. */
  static final String IGNITE_POOL = "10.2.3.";

  /** What the addresses of the second pool's servers begin with. */
  static final String SECOND_POOL = "10.2.1.";

  /** The same of the first pool's. */
  static final String FIRST_POOL = "10.2.0.";

  /**
   * The configuration endpoint that names the servers of the first pool, where they are learned.
   */
  static final InetSocketAddress ENDPOINT = new InetSocketAddress("10.2.9.1", 11211);

  /** The name server, which knows the same. */
  static final InetSocketAddress NAME_SERVER = new InetSocketAddress("10.2.9.2", 53);

  /** The name of their services. */
  static final String SERVICE = "_memcached._tcp." + Certificates.NAME;

  private static final String ASKED =
      "every: 2s, nameServer: \"" + NAME_SERVER.getHostString() + '"';

  private static final Discovery[] DISCOVERIES = {
    Discovery.NONE,
    Discovery.NONE,
    Discovery.NONE,
    Discovery.NONE,
    Discovery.NONE,
    Discovery.NONE,
    Discovery.ELASTICACHE,
    Discovery.DNS,
    Discovery.SRV
  };

  private static final String TLS_TO_GATEWAY = "\n    tls: {ca: " + Certificates.trusted() + '}';

  private static final String TLS_TO_SERVER =
      "\n    tls: {ca: " + Certificates.trusted() + ", serverName: " + Certificates.NAME + '}';

  private static final String[] DIALECTS = {"same", "same", "same", "text", "meta", "binary"};

  /** Some gateways close connections that are as old, or a fifth younger. */
  static final int MOST_AGE_SECONDS = 40;

  private final int servers;
  private final int eventLoops;
  private final String dialect;
  private final boolean binary;
  private final int shared; // connections that loops share; 0: each loop has its own
  private final String memory;
  private final List<Rule> rules;
  private final boolean chained;
  private final int algorithm;
  private final boolean nodes;
  private final boolean rejectsMessages;
  private final boolean tls;
  private final boolean serverTls;
  private final Discovery discovery;
  private final boolean file;
  private final NodeTls nodeTls;
  private final NodeYaml nodeYaml;
  private final List<Limit> limits;
  private final boolean ignite;
  private final boolean nodesCount;
  private final boolean limitsBehind; // another gateway, in the first of two
  private final boolean limitsAge;
  private final boolean sharesOne;
  private final int lasting;

  Scenario(RandomGenerator random) {
    servers = random.nextInt(1, 4);
    eventLoops = random.nextInt(1, 3);
    dialect = DIALECTS[random.nextInt(DIALECTS.length)];
    binary = dialect.equals("binary") || random.nextInt(4) == 0;
    shared = random.nextInt(3) == 0 ? random.nextInt(1, 3) : 0;
    memory = random.nextInt(4) == 0 ? "4MiB" : "32MiB";
    boolean several = random.nextInt(3) > 0;
    chained = random.nextInt(5) == 0;
    algorithm = random.nextInt(2);
    nodes = random.nextInt(3) == 0;
    rejectsMessages = random.nextBoolean();
    tls = random.nextInt(3) > (chained ? 0 : 1);
    discovery = DISCOVERIES[random.nextInt(DISCOVERIES.length)];
    file = random.nextInt(3) == 0;
    serverTls = random.nextInt(5) == 0 && discovery != Discovery.ELASTICACHE;
    rules = several ? choose(random) : List.of(Rule.PLAIN);
    nodeTls = new NodeTls(random);
    nodeYaml = new NodeYaml(nodeTls, rejectsMessages);
    limits = random.nextInt(3) > 0 ? List.of() : Limit.choose(random);
    ignite = random.nextInt(3) > 0 && (binary || !dialect.equals("same"));
    nodesCount = random.nextInt(3) > 0;
    limitsBehind = chained && random.nextBoolean();
    limitsAge = random.nextInt(3) == 0;
    sharesOne = random.nextBoolean();
    lasting = random.nextInt(4);
  }

  private List<Rule> choose(RandomGenerator random) {
    List<Rule> chosen = new ArrayList<>();
    for (Rule rule : Rule.values()) {
      if (!rule.isOptional() || random.nextBoolean()) {
        chosen.add(rule);
      }
    }
    if (chained) {
      chosen.remove(Rule.IGNITE); // the second gateway may ask the first for a cas, which has none
    }
    if (!dialect.equals("same") && !dialect.equals("meta")) {
      chosen.remove(Rule.WARMED); // others do not tell the time to live
    }
    return chosen;
  }

  /** The number of servers in each of the two pools. */
  int servers() {
    return servers;
  }

  /** The host of a server of the first pool, or of the second one. */
  String serverHost(boolean second, int number) {
    return (second ? SECOND_POOL : FIRST_POOL) + (number + 1);
  }

  /** The host of an Ignite node. */
  static String igniteHost(int number) {
    return IGNITE_POOL + (number + 1);
  }

  /** The number of Ignite nodes. */
  int igniteNodes() {
    return rules.contains(Rule.IGNITE) ? servers : 0;
  }

  /** Whether the first gateway is the only server of the second one. */
  boolean isChained() {
    return chained;
  }

  /** Whether gateways reach the servers by TLS. */
  boolean doServersHaveTls() {
    return serverTls;
  }

  /** Whether a gateway has a listener with TLS. A second gateway reaches the first one by it. */
  boolean hasTls(String gateway) {
    return tls && !isBehind(gateway);
  }

  private boolean isBehind(String gateway) {
    return chained && gateway.endsWith(".2"); // its server is the other gateway
  }

  /** The bytes that a gateway may hold for its connections. */
  long memoryBytes() {
    return Long.parseLong(memory().replace("MiB", "")) << 20;
  }

  private String memory() {
    return nodes ? "32MiB" : memory; // links of slow nodes share it with the other clients
  }

  /** How gateways learn the servers of the first pool. */
  Discovery discovery() {
    return discovery;
  }

  /** Whether gateways watch a file with their configuration. */
  boolean hasFile() {
    return file;
  }

  /** The dialect in which the servers are spoken to. */
  String dialect() {
    return dialect;
  }

  /** Whether the servers take binary requests besides those of text. */
  boolean takeBinary() {
    return binary;
  }

  /** The rules that keys may select. */
  List<Rule> rules() {
    return rules;
  }

  /** The rules that let so many requests pass; none in most scenarios. */
  List<Limit> limits() {
    return limits;
  }

  /** Whether a gateway has those of memcached's dialects. If one is behind another, one has. */
  boolean hasLimits(String gateway) {
    return !limits.isEmpty() && (!chained || isBehind(gateway) != limitsBehind);
  }

  /** Whether a gateway closes old connections of clients. Another one would lose requests by it. */
  boolean limitsAge(String gateway) {
    return limitsAge && (!chained || isBehind(gateway));
  }

  /** Whether clients of one gateway can also reach it, or its limits, through the other one. */
  boolean hasAnotherInFront(String gateway) {
    return chained && !isBehind(gateway);
  }

  /** Whether a gateway has a {@link BriefPool}. */
  boolean hasBriefPool(String gateway) {
    return shared > 0 && eventLoops > 1 && !isBehind(gateway);
  }

  /** Whether a gateway has a {@link SharedPool}. */
  boolean hasSharedPool(String gateway) {
    return sharesOne && eventLoops > 1 && !isBehind(gateway);
  }

  /** Whether a gateway has a {@link LastingPool}. */
  boolean hasLastingPool(String gateway) {
    return lasting < 2 && servers > 1 && !isBehind(gateway);
  }

  /** Whether Ignite nodes count. */
  boolean doNodesCount() {
    return nodesCount;
  }

  /** Whether gateways have a listener for clients of Ignite's dialect. */
  boolean hasIgniteClients() {
    return ignite;
  }

  /** Whether there are two Cassandra nodes, which reach each other through the gateways. */
  boolean hasNodes() {
    return nodes;
  }

  /** Which connections of these have TLS. */
  NodeTls nodeTls() {
    return nodeTls;
  }

  /** Whether a rule rejects TRUNCATE_REQ. */
  boolean rejectsMessages() {
    return rejectsMessages;
  }

  private String sourceOf(boolean second) {
    return switch (second ? Discovery.NONE : discovery) {
      case NONE -> "servers: [" + addresses(second ? SECOND_POOL : FIRST_POOL) + ']';
      case ELASTICACHE ->
          "discover: {elasticache: \"%s:11211\", every: 2s}".formatted(ENDPOINT.getHostString());
      case DNS -> "discover: {dns: \"%s:11211\", %s}".formatted(Certificates.NAME, ASKED);
      case SRV -> "discover: {srv: \"%s\", %s}".formatted(SERVICE, ASKED);
    };
  }

  private String addresses(String pool) {
    List<String> addresses = new ArrayList<>();
    for (int i = 1; i <= servers; i++) {
      addresses.add('"' + pool + i + ":11211\"");
    }
    return String.join(", ", addresses);
  }

  /**
   * A configuration for a gateway. Two of the same scenario differ in what a reload may change.
   *
   * @param random chooses that
   */
  String yaml(String host, RandomGenerator random) {
    boolean behind = isBehind(host);
    String before = "servers: [\"10.0.0.1:" + (tls ? SecureListener.PORT : PORT) + "\"]";
    String first = behind ? before : sourceOf(false);
    String second = behind ? before : sourceOf(true);
    StringBuilder yaml = new StringBuilder();
    yaml.append(
        """
        admin: {bind: "%s:9901"}
        process: {eventLoops: %d, memory: %s, drain: 5s}
        metrics: {vertx: false}
        listeners:
          cache:
            bind: "%s:11211"
            route: cache
            limits: {itemSize: %s, inFlight: %d, outBuffer: %s%s}
            allow: []
        %s%sroutes:
          cache:
            - match: {prefix: "never:"}
              reject: never
        """
            .formatted(
                host,
                eventLoops,
                memory(),
                host,
                random.nextBoolean() ? "1MiB" : "700KiB",
                MOST_IN_FLIGHT[random.nextInt(MOST_IN_FLIGHT.length)],
                random.nextInt(3) == 0 ? "64KiB" : "1MiB",
                limitsAge(host) ? ", maxAge: " + MOST_AGE_SECONDS + 's' : "",
                tls && !behind ? SecureListener.yaml(host, random) : "",
                (ignite ? IgniteListener.yaml(host) : "")
                    + (nodes ? nodeYaml.listeners(host, random) : "")));
    if (hasLimits(host)) {
      yaml.append(Limit.yaml(limits, Limit.CACHE));
    }
    if (!behind) {
      rules.forEach(rule -> yaml.append(rule.yaml(random)));
    }
    if (hasBriefPool(host)) {
      yaml.append(BriefPool.rule());
    }
    if (hasSharedPool(host)) {
      yaml.append(SharedPool.rule());
    }
    if (hasLastingPool(host)) {
      yaml.append(LastingPool.rule(lasting == 0));
    }
    yaml.append("    - pool: cache\n");
    if (ignite) {
      yaml.append(IgniteListener.route(behind ? List.of() : rules, limits, random));
    }
    if (nodes) {
      nodeYaml.routes(yaml, random);
    }
    yaml.append("pools:\n");
    String toServer = serverTls ? TLS_TO_SERVER : "";
    String toGateway = tls ? TLS_TO_GATEWAY : "";
    PoolYaml pools = new PoolYaml(dialect, shared, !limitsBehind);
    pools.append(yaml, random, "cache", first, behind ? toGateway : toServer);
    if (hasBriefPool(host)) {
      yaml.append(BriefPool.yaml(first, dialect, shared, toServer));
    }
    if (hasSharedPool(host)) {
      yaml.append(SharedPool.yaml(first, toServer));
    }
    if (hasLastingPool(host)) {
      LastingPool.append(yaml, pools, random, second, lasting == 0, toServer);
    }
    if (rules.size() > 1 && !behind) {
      String[] algorithms = {"lz4", "zstd"};
      pools.append(
          yaml,
          random,
          "packed",
          first,
          "\n    compression: {algorithm: " + algorithms[algorithm] + ", above: 200B}" + toServer);
      pools.append(yaml, random, "west", second, toServer);
      if (rules.contains(Rule.EMBEDDED)) {
        yaml.append("  memory: {protocol: embedded, size: 16MiB}\n");
      }
      if (rules.contains(Rule.EJECTING)) {
        pools.append(yaml, random, "detour", second, PoolYaml.ejecting(random) + toServer);
      }
      if (rules.contains(Rule.IGNITE)) {
        yaml.append(
            "  items: {protocol: ignite, servers: [%s], timeout: 3s, ignite: {counters: %s}, connections: {connectTimeout: 1s}}\n"
                .formatted(addresses(IGNITE_POOL), nodesCount ? "atomic" : "refuse"));
      }
    }
    if (nodes) {
      nodeYaml.pools(yaml, random);
    }
    return yaml.toString();
  }
}
