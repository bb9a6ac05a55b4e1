package sluice.config.plan;

import static sluice.config.schema.Type.section;

import java.util.Map;
import sluice.config.model.Address;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Quantities;
import sluice.config.schema.Scalars;
import sluice.config.schema.Type;
import sluice.names.Dialect;

/** Every key of a load plan and of a budget file, once. */
final class PlanKeys {
  private PlanKeys() {}

  /** Keys of {@code gateway}. */
  static final class Gateway {
    static final Key<Address.Tcp> MEMCACHED =
        Key.optional(
            "memcached", Scalars.hostAndPort(), "Address of its listener for memcached clients.");
    static final Key<Address.Tcp> WRITERS =
        Key.optional(
            "writers",
            Scalars.hostAndPort(),
            "Its internode listener that forwards to the address in `nodes.writers`.");
    static final Key<Address.Tcp> REPLICAS =
        Key.optional(
            "replicas",
            Scalars.hostAndPort(),
            "Its internode listener that forwards to the address in `nodes.replicas`.");
    static final Key<Address.Tcp> ADMIN =
        Key.optional("admin", Scalars.hostAndPort(), "Address of its admin port.")
            .or("127.0.0.1:9901");
    static final Key<String> USER =
        Key.optional(
            "user",
            Scalars.user(),
            "User of its `admin.auth` who takes the profiles; by default, there is no login.");
    static final Key<String> PASSWORD_FILE =
        Key.optional("passwordFile", Scalars.file(), "File with one line, the user's password.");

    static final Type.Section TYPE =
        section(MEMCACHED, WRITERS, REPLICAS, ADMIN, USER, PASSWORD_FILE);

    private Gateway() {}
  }

  /** Keys of {@code nodes}. */
  static final class Nodes {
    static final Key<Address.Tcp> WRITERS =
        Key.required(
            "writers", Scalars.hostAndPort(), "Listening address of the nodes that send requests.");
    static final Key<Address.Tcp> REPLICAS =
        Key.required(
            "replicas",
            Scalars.hostAndPort(),
            "Listening address of the nodes that answer requests.");

    static final Type.Section TYPE = section(WRITERS, REPLICAS);

    private Nodes() {}
  }

  /** Keys of a load. */
  static final class Load {
    static final Key<LoadPlan.Protocol> PROTOCOL =
        Key.optional("protocol", Scalars.choice(LoadPlan.Protocol.class), "Protocol of the load.")
            .or("memcached");
    static final Key<Dialect> DIALECT =
        Key.optional(
                "dialect", Scalars.choice(Dialect.class), "memcached: dialect of the requests.")
            .or("text");
    static final Key<Integer> RATE =
        Key.required(
            "rate",
            Quantities.integer(1, 10_000_000),
            "Requests per second on all connections together, whether they are answered or not.");
    static final Key<Integer> CONNECTIONS =
        Key.optional(
                "connections", Quantities.integer(1, 250), "Client connections, or pairs of nodes.")
            .or("8");
    static final Key<Integer> WINDOW =
        Key.optional(
                "window",
                Quantities.integer(1, 1024),
                "Saturation: requests in flight per connection.")
            .or("16");
    static final Key<Integer> KEYS =
        Key.optional("keys", Quantities.integer(1, 1_000_000), "memcached: number of keys.")
            .or("1000");
    static final Key<Long> VALUES =
        Key.optional("values", Quantities.size("1B", "512KiB"), "memcached: length of the values.")
            .or("100B");
    static final Key<Integer> GETS =
        Key.optional(
                "gets",
                Quantities.percent(),
                "memcached: share of gets; the other requests are sets.")
            .or("90%");
    static final Key<LoadPlan.Framing> FRAMING =
        Key.optional(
                "framing",
                Scalars.choice(LoadPlan.Framing.class),
                "internode: framing of the messages.")
            .or("crc");
    static final Key<Long> PAYLOAD =
        Key.optional(
                "payload",
                Quantities.size("1B", "1MiB"),
                "internode: smallest payload of a request.")
            .or("60B");
    static final Key<Long> PAYLOAD_UP_TO =
        Key.optional(
                "payloadUpTo",
                Quantities.size("1B", "1MiB"),
                "internode: largest payload of a request.")
            .or("250B");

    static final Type.Section TYPE =
        section(
            PROTOCOL,
            DIALECT,
            RATE,
            CONNECTIONS,
            WINDOW,
            KEYS,
            VALUES,
            GETS,
            FRAMING,
            PAYLOAD,
            PAYLOAD_UP_TO);

    private Load() {}
  }

  /** Keys of {@code phases}. */
  static final class Phases {
    static final Key<Long> WARM_UP =
        Key.optional(
                "warmUp",
                Quantities.duration("0ms", "10m"),
                "Load through the gateway that is not judged.")
            .or("5s");
    static final Key<Long> DIRECT =
        Key.optional(
                "direct",
                Quantities.duration("1ms", "10m"),
                "Load without the gateway, as the reference.")
            .or("10s");
    static final Key<Long> JUDGED =
        Key.optional(
                "judged",
                Quantities.duration("1ms", "10m"),
                "Load through the gateway that is judged.")
            .or("20s");
    static final Key<Long> SATURATION =
        Key.optional(
                "saturation",
                Quantities.duration("1ms", "10m"),
                "Load through the gateway, where each reply is followed by the next request.")
            .or("5s");
    static final Key<Long> PROFILED =
        Key.optional(
                "profiled",
                Quantities.duration("1s", "50s"),
                "Load during a profile of the gateway's CPU time.")
            .or("20s");
    static final Key<Long> PROFILED_ALLOCATIONS =
        Key.optional(
                "profiledAllocations",
                Quantities.duration("1s", "50s"),
                "Load during a profile of the gateway's allocations.")
            .or("5s");
    static final Key<Long> PROFILED_LOCKS =
        Key.optional(
                "profiledLocks",
                Quantities.duration("1s", "50s"),
                "Load during a profile of contended locks.")
            .or("2s");

    static final Type.Section TYPE =
        section(
            WARM_UP, DIRECT, JUDGED, SATURATION, PROFILED, PROFILED_ALLOCATIONS, PROFILED_LOCKS);

    private Phases() {}
  }

  /** Keys of {@code valid}. */
  static final class Valid {
    static final Key<Integer> RATE =
        Key.optional(
                "rate", Quantities.percent(), "Share of the planned rate that must have been sent.")
            .or("99%");
    static final Key<Long> LATE =
        Key.optional(
                "late", Quantities.duration("1ms", "1h"), "How late requests may be sent, as p99.")
            .or("20ms");
    static final Key<Double> THROTTLED =
        Key.optional(
                "throttled",
                Quantities.share(),
                "Share of the CPU quota's periods that may be throttled.")
            .or("1%");

    static final Type.Section TYPE = section(RATE, LATE, THROTTLED);

    private Valid() {}
  }

  /** Keys of a plan. */
  static final class Plan {
    static final Key<Fields> GATEWAY =
        Key.optional(
            "gateway",
            Gateway.TYPE,
            "Gateway to test; by default, the job starts one, and all that it needs.");
    static final Key<Address.Tcp> MEMCACHED =
        Key.optional(
            "memcached",
            Scalars.hostAndPort(),
            "Address of the server behind the gateway, together with `gateway`.");
    static final Key<Fields> NODES =
        Key.optional("nodes", Nodes.TYPE, "Addresses of the nodes, together with `gateway`.");
    static final Key<Integer> EVENT_LOOPS =
        Key.optional(
                "eventLoops",
                Quantities.integer(1, 64),
                "Event loops of a gateway that the job starts.")
            .or("1");
    static final Key<Long> START_TIMEOUT =
        Key.optional(
                "startTimeout",
                Quantities.duration("1ms", "1h"),
                "How long to wait until the gateway and the server behind it answer.")
            .or("1m");
    static final Key<Map<String, Checked<Fields>>> LOADS =
        Key.required(
            "loads",
            new Type.Named<>("load", Load.TYPE),
            "Loads that run at the same time, by name.");
    static final Key<Fields> PHASES = Key.optional("phases", Phases.TYPE, "Length of each phase.");
    static final Key<Fields> VALID =
        Key.optional("valid", Valid.TYPE, "Conditions for a valid run.");

    static final Type.Section TYPE =
        section(GATEWAY, MEMCACHED, NODES, EVENT_LOOPS, START_TIMEOUT, LOADS, PHASES, VALID);

    private Plan() {}
  }

  /** Keys of a budget file. */
  static final class Budgets {
    static final Key<Long> ADDED_P50 =
        Key.optional("addedP50", Quantities.micros(), "Latency that the gateway adds, p50.");
    static final Key<Long> ADDED_P99 =
        Key.optional("addedP99", Quantities.micros(), "Latency that the gateway adds, p99.");
    static final Key<Integer> SATURATION =
        Key.optional(
            "saturation",
            Quantities.integer(1, 100_000_000),
            "Requests per second that saturation must reach.");
    static final Key<Double> ERRORS =
        Key.optional(
            "errors", Quantities.share(), "Share of the requests that are answered with an error.");
    static final Key<Long> BYTES_PER_REQUEST =
        Key.optional(
            "bytesPerRequest",
            Quantities.size("0B", "1GiB"),
            "Bytes allocated on the gateway's heap per request.");
    static final Key<Double> GC =
        Key.optional(
            "gc", Quantities.share(), "Share of the CPU samples in the garbage collector.");
    static final Key<Double> OWN =
        Key.optional("own", Quantities.share(), "Share of the CPU samples in Sluice's own code.");

    static final Type.Section TYPE =
        section(ADDED_P50, ADDED_P99, SATURATION, ERRORS, BYTES_PER_REQUEST, GC, OWN);

    private Budgets() {}
  }
}
