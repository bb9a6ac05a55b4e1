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
        Key.optional("memcached", Scalars.hostAndPort(), "Its listener for clients.");
    static final Key<Address.Tcp> WRITERS =
        Key.optional(
            "writers",
            Scalars.hostAndPort(),
            "Its internode listener that leads to where `nodes.writers` listens.");
    static final Key<Address.Tcp> REPLICAS =
        Key.optional(
            "replicas",
            Scalars.hostAndPort(),
            "Its internode listener that leads to where `nodes.replicas` listens.");
    static final Key<Address.Tcp> ADMIN =
        Key.optional("admin", Scalars.hostAndPort(), "Its admin port.").or("127.0.0.1:9901");
    static final Key<String> USER =
        Key.optional(
            "user",
            Scalars.user(),
            "Who is to take profiles of it, of its `admin.auth`; left out, there is no login.");
    static final Key<String> PASSWORD_FILE =
        Key.optional("passwordFile", Scalars.file(), "File of one line: the user's password.");

    static final Type.Section TYPE =
        section(MEMCACHED, WRITERS, REPLICAS, ADMIN, USER, PASSWORD_FILE);

    private Gateway() {}
  }

  /** Keys of {@code nodes}. */
  static final class Nodes {
    static final Key<Address.Tcp> WRITERS =
        Key.required("writers", Scalars.hostAndPort(), "Where the nodes that write listen.");
    static final Key<Address.Tcp> REPLICAS =
        Key.required("replicas", Scalars.hostAndPort(), "Where the nodes that answer listen.");

    static final Type.Section TYPE = section(WRITERS, REPLICAS);

    private Nodes() {}
  }

  /** Keys of a load. */
  static final class Load {
    static final Key<LoadPlan.Protocol> PROTOCOL =
        Key.optional("protocol", Scalars.choice(LoadPlan.Protocol.class), "What is spoken.")
            .or("memcached");
    static final Key<Dialect> DIALECT =
        Key.optional("dialect", Scalars.choice(Dialect.class), "memcached: which dialect.")
            .or("text");
    static final Key<Integer> RATE =
        Key.required(
            "rate",
            Quantities.integer(1, 10_000_000),
            "Requests a second, of all connections together, whether they are answered or not.");
    static final Key<Integer> CONNECTIONS =
        Key.optional(
                "connections",
                Quantities.integer(1, 250),
                "Connections of clients, or pairs of nodes.")
            .or("8");
    static final Key<Integer> WINDOW =
        Key.optional(
                "window",
                Quantities.integer(1, 1024),
                "Saturation: requests of a connection that are under way at a time.")
            .or("16");
    static final Key<Integer> KEYS =
        Key.optional("keys", Quantities.integer(1, 1_000_000), "memcached: how many there are.")
            .or("1000");
    static final Key<Long> VALUES =
        Key.optional("values", Quantities.size("1B", "512KiB"), "memcached: their length.")
            .or("100B");
    static final Key<Integer> GETS =
        Key.optional(
                "gets", Quantities.percent(), "memcached: of the requests; the others are sets.")
            .or("90%");
    static final Key<LoadPlan.Framing> FRAMING =
        Key.optional(
                "framing", Scalars.choice(LoadPlan.Framing.class), "internode: of its messages.")
            .or("crc");
    static final Key<Long> PAYLOAD =
        Key.optional("payload", Quantities.size("1B", "1MiB"), "internode: of a request, at least.")
            .or("60B");
    static final Key<Long> PAYLOAD_UP_TO =
        Key.optional("payloadUpTo", Quantities.size("1B", "1MiB"), "internode: at most.")
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
                "warmUp", Quantities.duration("0ms", "10m"), "Through the gateway, not looked at.")
            .or("5s");
    static final Key<Long> DIRECT =
        Key.optional(
                "direct", Quantities.duration("1ms", "10m"), "Without the gateway: the reference.")
            .or("10s");
    static final Key<Long> JUDGED =
        Key.optional("judged", Quantities.duration("1ms", "10m"), "Through it: what counts.")
            .or("20s");
    static final Key<Long> SATURATION =
        Key.optional(
                "saturation",
                Quantities.duration("1ms", "10m"),
                "Through it, each request as soon as another is answered.")
            .or("5s");
    static final Key<Long> PROFILED =
        Key.optional(
                "profiled", Quantities.duration("1s", "50s"), "Through it: a profile of its CPU;")
            .or("20s");
    static final Key<Long> PROFILED_ALLOCATIONS =
        Key.optional(
                "profiledAllocations", Quantities.duration("1s", "50s"), "of what it allocates;")
            .or("5s");
    static final Key<Long> PROFILED_LOCKS =
        Key.optional(
                "profiledLocks", Quantities.duration("1s", "50s"), "of locks that are waited for.")
            .or("2s");

    static final Type.Section TYPE =
        section(
            WARM_UP, DIRECT, JUDGED, SATURATION, PROFILED, PROFILED_ALLOCATIONS, PROFILED_LOCKS);

    private Phases() {}
  }

  /** Keys of {@code valid}. */
  static final class Valid {
    static final Key<Integer> RATE =
        Key.optional("rate", Quantities.percent(), "What must have been sent of the planned rate.")
            .or("99%");
    static final Key<Long> LATE =
        Key.optional(
                "late",
                Quantities.duration("1ms", "1h"),
                "By how much 99 of 100 requests may leave late.")
            .or("20ms");
    static final Key<Double> THROTTLED =
        Key.optional("throttled", Quantities.share(), "Of the periods of the processors' quota.")
            .or("1%");

    static final Type.Section TYPE = section(RATE, LATE, THROTTLED);

    private Valid() {}
  }

  /** Keys of a plan. */
  static final class Plan {
    static final Key<Fields> GATEWAY =
        Key.optional(
            "gateway", Gateway.TYPE, "Where it is; left out, one is started, with all it needs.");
    static final Key<Address.Tcp> MEMCACHED =
        Key.optional("memcached", Scalars.hostAndPort(), "The server behind it, beside `gateway`.");
    static final Key<Fields> NODES =
        Key.optional("nodes", Nodes.TYPE, "Where nodes listen, beside `gateway`.");
    static final Key<Integer> EVENT_LOOPS =
        Key.optional("eventLoops", Quantities.integer(1, 64), "Of a gateway that is started.")
            .or("1");
    static final Key<Long> START_TIMEOUT =
        Key.optional(
                "startTimeout",
                Quantities.duration("1ms", "1h"),
                "Until the gateway answers, and the server behind it.")
            .or("1m");
    static final Key<Map<String, Checked<Fields>>> LOADS =
        Key.required(
            "loads",
            new Type.Named<>("load", Load.TYPE),
            "What is sent at the same time, by name.");
    static final Key<Fields> PHASES =
        Key.optional("phases", Phases.TYPE, "How long each of them takes.");
    static final Key<Fields> VALID = Key.optional("valid", Valid.TYPE, "When a run says nothing.");

    static final Type.Section TYPE =
        section(GATEWAY, MEMCACHED, NODES, EVENT_LOOPS, START_TIMEOUT, LOADS, PHASES, VALID);

    private Plan() {}
  }

  /** Keys of a budget file. */
  static final class Budgets {
    static final Key<Long> ADDED_P50 =
        Key.optional("addedP50", Quantities.micros(), "Latency that the gateway adds, the median.");
    static final Key<Long> ADDED_P99 =
        Key.optional("addedP99", Quantities.micros(), "The same, of 99 in 100.");
    static final Key<Integer> SATURATION =
        Key.optional(
            "saturation", Quantities.integer(1, 100_000_000), "Requests a second, at least.");
    static final Key<Double> ERRORS =
        Key.optional("errors", Quantities.share(), "Requests answered with an error, of all.");
    static final Key<Long> BYTES_PER_REQUEST =
        Key.optional(
            "bytesPerRequest",
            Quantities.size("0B", "1GiB"),
            "Allocated on the gateway's heap for each.");
    static final Key<Double> GC =
        Key.optional("gc", Quantities.share(), "Of the CPU samples: the collector.");
    static final Key<Double> OWN =
        Key.optional("own", Quantities.share(), "Of the CPU samples: Sluice's own code.");

    static final Type.Section TYPE =
        section(ADDED_P50, ADDED_P99, SATURATION, ERRORS, BYTES_PER_REQUEST, GC, OWN);

    private Budgets() {}
  }
}
