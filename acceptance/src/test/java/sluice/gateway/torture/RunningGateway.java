package sluice.gateway.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.gateway.fixtures.Admin;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.process.Gateway;

/** A gateway in this JVM whose configuration a test writes in a few pieces. */
final class RunningGateway implements AutoCloseable {
  private static final Pattern IN_FLIGHT =
      Pattern.compile("^sluice_in_flight(?:\\{[^}]*})? ([0-9.eE+]+)", Pattern.MULTILINE);

  private final Gateway gateway;

  private RunningGateway(Gateway gateway) {
    this.gateway = gateway;
  }

  /** One listener before one pool of these servers on one event loop; defaults otherwise. */
  static Builder before(InetSocketAddress... servers) {
    return new Builder(servers);
  }

  /** What a test may set; each is a piece of YAML. */
  static final class Builder {
    private final StringBuilder servers = new StringBuilder();
    private String process = "eventLoops: 1";
    private String limits = "";
    private String allow = "flush_all";
    private String connections = "probeAfter: 200ms";
    private String connectTimeout = "10s";
    private String timeout = "10s";
    private String queueTimeout = "";
    private String dialect = "dialect: same";
    private String clients = "memcached";

    private Builder(InetSocketAddress... addresses) {
      int loops = Integer.getInteger("sluice.test.shared", 0);
      if (loops > 0) {
        shared(loops, 1);
      }
      for (InetSocketAddress address : addresses) {
        servers
            .append(servers.isEmpty() ? "\"" : ", \"")
            .append(address.getAddress().getHostAddress())
            .append(':')
            .append(address.getPort())
            .append('"');
      }
    }

    /** Further settings of {@code process}. */
    Builder process(String yaml) {
      process += ", " + yaml;
      return this;
    }

    /** The listener's {@code limits}. */
    Builder limits(String yaml) {
      limits = ", limits: {" + yaml + "}";
      return this;
    }

    /** What the listener allows; default flush_all. */
    Builder allow(String commands) {
      allow = commands;
      return this;
    }

    /** Further settings of the pool's {@code connections}. */
    Builder connections(String yaml) {
      connections += ", " + yaml;
      return this;
    }

    /** Event loops, and the connections to each server that they share; called first. */
    Builder shared(int loops, int max) {
      process = "eventLoops: " + loops;
      connections = "probeAfter: 200ms, max: " + max;
      return this;
    }

    /** The pool's {@code connectTimeout}; default 10s. */
    Builder connectTimeout(String duration) {
      connectTimeout = duration;
      return this;
    }

    /** The pool's {@code timeout}; default 10s, which no test waits for. */
    Builder timeout(String duration) {
      timeout = duration;
      return this;
    }

    /** The pool's {@code queueTimeout}; default its timeout. */
    Builder queueTimeout(String duration) {
      queueTimeout = "\n    queueTimeout: " + duration;
      return this;
    }

    /** What the pool's servers are spoken to in, {@code ignite} too; default same. */
    Builder dialect(String name) {
      dialect =
          name.equals("ignite")
              ? "protocol: ignite\n    ignite: {counters: atomic}"
              : "dialect: " + name;
      return this;
    }

    /** The listener's {@code protocol}; default memcached. */
    Builder clients(String protocol) {
      clients = protocol;
      return this;
    }

    RunningGateway start() {
      String yaml =
          """
          admin: {bind: 127.0.0.1:0}
          process: {%s}
          listeners:
            cache: {bind: 127.0.0.1:0, protocol: %s, route: cache, allow: [%s]%s}
          routes:
            cache:
              - pool: cache
          pools:
            cache:
              servers: [%s]
              hash: {function: fnv1a_64, distribution: ketama}
              connections: {%s, connectTimeout: %s}
              timeout: %s%s
              %s
          """
              .formatted(
                  process,
                  clients,
                  allow,
                  limits,
                  servers,
                  connections,
                  connectTimeout,
                  timeout,
                  queueTimeout,
                  dialect);
      return of(yaml);
    }
  }

  /**
   * One before a server, for items of up to 64 MiB.
   *
   * @param settings of the pool
   */
  static RunningGateway ofLargeItems(InetSocketAddress server, String settings) {
    return of(
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: 1}
        listeners: {cache: {bind: 127.0.0.1:0, route: main, limits: {itemSize: 64MiB}}}
        routes: {main: [{pool: main}]}
        pools: {main: {servers: ["%s"], %s}}
        """
            .formatted(Scenario.name(server), settings));
  }

  /** A whole configuration, with a listener that is called cache. */
  static RunningGateway of(String yaml) {
    LoadResult loaded = Loader.parse("test.yaml", yaml);
    assertThat(loaded.problems()).isEmpty();
    try {
      return new RunningGateway(Gateways.start(loaded.configuration()).await(20, TimeUnit.SECONDS));
    } catch (TimeoutException e) {
      throw new IllegalStateException("the gateway did not start", e);
    }
  }

  /**
   * One listener whose route has rules, before pools that {@link #pools} has written.
   *
   * @param rules YAML of the route's rules
   */
  static RunningGateway routed(int loops, String rules, String pools) {
    String yaml =
        """
        admin: {bind: 127.0.0.1:0}
        process: {eventLoops: %d}
        listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
        routes: {cache: [%s]}
        pools:
        %s\
        """;
    return of(yaml.formatted(loops, rules, pools));
  }

  /**
   * YAML of pools that are called a, b and so on, of one server each. Unless {@code more} says
   * otherwise, they wait for their servers longer than a busy machine makes them.
   *
   * @param more of each pool beside its server, from a comma on; or nothing
   */
  static String pools(String more, InetSocketAddress... servers) {
    String waits =
        (more.contains(" timeout:") ? "" : ", timeout: 10s")
            + (more.contains(" connections:") ? "" : ", connections: {connectTimeout: 10s}");
    StringBuilder yaml = new StringBuilder();
    char name = 'a';
    for (InetSocketAddress server : servers) {
      yaml.append("  ").append(name++).append(": {servers: [\"127.0.0.1:");
      yaml.append(server.getPort()).append("\"]").append(waits).append(more).append("}\n");
    }
    return yaml.toString();
  }

  /** Where clients connect. */
  InetSocketAddress address() {
    String address = gateway.address("cache");
    int colon = address.lastIndexOf(':');
    return new InetSocketAddress(
        address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
  }

  Gateway gateway() {
    return gateway;
  }

  /** What the admin port answers to a GET. */
  String admin(String path) {
    return Admin.get(gateway, path);
  }

  /** Bytes held for all connections. */
  long bufferedBytes() {
    return gateway.bufferedBytes();
  }

  /** Requests that are read and not answered. */
  long inFlight() {
    Matcher matcher = IN_FLIGHT.matcher(gateway.scrape());
    long sum = 0;
    boolean found = false;
    while (matcher.find()) {
      found = true;
      sum += (long) Double.parseDouble(matcher.group(1));
    }
    if (!found) {
      throw new AssertionError("no sluice_in_flight in\n" + gateway.scrape());
    }
    return sum;
  }

  @Override
  public void close() {
    try {
      gateway.close().await(20, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new IllegalStateException("the gateway did not stop", e);
    }
  }
}
