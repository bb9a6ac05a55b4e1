package sluice.config.plan;

import static sluice.config.schema.Key.optional;
import static sluice.config.schema.Key.required;
import static sluice.config.schema.Type.section;

import sluice.config.schema.Scalars;
import sluice.config.schema.Type;
import sluice.names.Dialect;

/** Every key of a load plan and of a budget file, once. */
final class PlanKeys {
  private static final Type.Section GATEWAY =
      section(
          optional("memcached", Scalars.hostAndPort(), "Its listener for clients."),
          optional(
              "writers",
              Scalars.hostAndPort(),
              "Its internode listener that leads to where `nodes.writers` listens."),
          optional(
              "replicas",
              Scalars.hostAndPort(),
              "Its internode listener that leads to where `nodes.replicas` listens."),
          optional("admin", Scalars.hostAndPort(), "Its admin port.").or("127.0.0.1:9901"),
          optional(
              "user",
              Scalars.user(),
              "Who is to take profiles of it, of its `admin.auth`; left out, there is no login."),
          optional("passwordFile", Scalars.file(), "File of one line: the user's password."));

  private static final Type.Section NODES =
      section(
          required("writers", Scalars.hostAndPort(), "Where the nodes that write listen."),
          required("replicas", Scalars.hostAndPort(), "Where the nodes that answer listen."));

  private static final Type.Section LOAD =
      section(
          optional("protocol", Scalars.choice(LoadPlan.Protocol.class), "What is spoken.")
              .or("memcached"),
          optional("dialect", Scalars.choice(Dialect.class), "memcached: which dialect.")
              .or("text"),
          required(
              "rate",
              Scalars.integer(1, 10_000_000),
              "Requests a second, of all connections together, whether they are answered or not."),
          optional(
                  "connections",
                  Scalars.integer(1, 250),
                  "Connections of clients, or pairs of nodes.")
              .or("8"),
          optional(
                  "window",
                  Scalars.integer(1, 1024),
                  "Saturation: requests of a connection that are under way at a time.")
              .or("16"),
          optional("keys", Scalars.integer(1, 1_000_000), "memcached: how many there are.")
              .or("1000"),
          optional("values", Scalars.size("1B", "512KiB"), "memcached: their length.").or("100B"),
          optional("gets", Scalars.percent(), "memcached: of the requests; the others are sets.")
              .or("90%"),
          optional("framing", Scalars.choice(LoadPlan.Framing.class), "internode: of its messages.")
              .or("crc"),
          optional("payload", Scalars.size("1B", "1MiB"), "internode: of a request, at least.")
              .or("60B"),
          optional("payloadUpTo", Scalars.size("1B", "1MiB"), "internode: at most.").or("250B"));

  private static final Type.Section PHASES =
      section(
          optional("warmUp", Scalars.duration("0ms", "10m"), "Through the gateway, not looked at.")
              .or("5s"),
          optional("direct", Scalars.duration("1ms", "10m"), "Without the gateway: the reference.")
              .or("10s"),
          optional("judged", Scalars.duration("1ms", "10m"), "Through it: what counts.").or("20s"),
          optional(
                  "saturation",
                  Scalars.duration("1ms", "10m"),
                  "Through it, each request as soon as another is answered.")
              .or("5s"),
          optional("profiled", Scalars.duration("1s", "50s"), "Through it: a profile of its CPU;")
              .or("20s"),
          optional("profiledAllocations", Scalars.duration("1s", "50s"), "of what it allocates;")
              .or("5s"),
          optional("profiledLocks", Scalars.duration("1s", "50s"), "of locks that are waited for.")
              .or("2s"));

  private static final Type.Section VALID =
      section(
          optional("rate", Scalars.percent(), "What must have been sent of the planned rate.")
              .or("99%"),
          optional(
                  "late",
                  Scalars.duration("1ms", "1h"),
                  "By how much 99 of 100 requests may leave late.")
              .or("20ms"),
          optional("throttled", Scalars.share(), "Of the periods of the processors' quota.")
              .or("1%"));

  static final Type.Section PLAN =
      section(
          optional("gateway", GATEWAY, "Where it is; left out, one is started, with all it needs."),
          optional("memcached", Scalars.hostAndPort(), "The server behind it, beside `gateway`."),
          optional("nodes", NODES, "Where nodes listen, beside `gateway`."),
          optional("eventLoops", Scalars.integer(1, 64), "Of a gateway that is started.").or("1"),
          optional(
                  "startTimeout",
                  Scalars.duration("1ms", "1h"),
                  "Until the gateway answers, and the server behind it.")
              .or("1m"),
          required(
              "loads", new Type.Named("load", LOAD), "What is sent at the same time, by name."),
          optional("phases", PHASES, "How long each of them takes."),
          optional("valid", VALID, "When a run says nothing."));

  static final Type.Section BUDGETS =
      section(
          optional("addedP50", Scalars.micros(), "Latency that the gateway adds, the median."),
          optional("addedP99", Scalars.micros(), "The same, of 99 in 100."),
          optional("saturation", Scalars.integer(1, 100_000_000), "Requests a second, at least."),
          optional("errors", Scalars.share(), "Requests answered with an error, of all."),
          optional(
              "bytesPerRequest",
              Scalars.size("0B", "1GiB"),
              "Allocated on the gateway's heap for each."),
          optional("gc", Scalars.share(), "Of the CPU samples: the collector."),
          optional("own", Scalars.share(), "Of the CPU samples: Sluice's own code."));

  private PlanKeys() {}
}
