package sluice.config.schema;

import static sluice.config.schema.Key.optional;
import static sluice.config.schema.Key.required;
import static sluice.config.schema.Type.section;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;
import sluice.config.model.Acks;
import sluice.config.model.ClientAuth;
import sluice.config.model.GuardedCommand;
import sluice.config.model.ListenerProtocol;
import sluice.config.model.ProcessConfig;
import sluice.config.model.Reads;
import sluice.config.model.Ready;
import sluice.config.model.Transport;
import sluice.names.Command;
import sluice.names.Dialect;

/** Every key of the file, once; those of pools in {@link PoolKeys}. */
public final class Keys {
  /** What {@code match: {commands}} takes. */
  static final Set<String> COMMANDS =
      Arrays.stream(Command.values())
          .filter(Command::isRouted)
          .map(Command::label)
          .collect(
              Collectors.collectingAndThen(
                  Collectors.toCollection(LinkedHashSet::new), Collections::unmodifiableSet));

  private static final Type DIALECTS =
      new Type.Items("dialect", Scalars.choice(Dialect.class), false);

  private static final Type.Section LISTENER_TLS =
      section(
          optional(
              "certificate",
              Scalars.file(),
              "PEM file: the listener's certificate, then those that lead to its authority."),
          optional("key", Scalars.file(), "PEM file: its RSA or EC private key, not encrypted."),
          optional(
              "clientCa", Scalars.file(), "PEM file: who may sign the certificates of clients."),
          new Key(
              "clientAuth",
              Scalars.choice(ClientAuth.class),
              "Whether clients show a certificate; one that is shown must be good.",
              Key.Kind.OPTIONAL,
              "`require` with `clientCa`, else `none`",
              java.util.Optional.empty()),
          optional(
              "plain",
              Scalars.bool(),
              "Whether clients may also come without TLS: their first byte tells. Left out, they"
                  + " may not."));

  private static final Type.Section LISTENER_AUTH =
      section(optional("users", Scalars.file(), "File of lines `user:password`: who may log in."));

  private static final Type.Section ADMIN =
      section(
          optional("bind", Scalars.adminAddress(), "Where the admin port listens.")
              .or("127.0.0.1:9901"),
          optional(
                  "ready",
                  Scalars.choice(Ready.class),
                  "What `GET /ready` answers for: the process, or also a usable server behind every"
                      + " route.")
              .or("process"),
          optional("tls", LISTENER_TLS, "TLS towards those who connect; left out, none."),
          optional(
              "auth",
              LISTENER_AUTH,
              "Who may change the process's state from other machines, by HTTP's Basic"
                  + " authentication; left out, nobody."));

  private static final Type.Section PROCESS =
      section(
          optional("eventLoops", Scalars.integer(1, 1024), "Event loops, one thread each.")
              .or(
                  "one per available processor",
                  () ->
                      Integer.toString(Math.min(1024, Runtime.getRuntime().availableProcessors()))),
          optional(
                  "transport",
                  Scalars.choice(Transport.class),
                  "How sockets are driven; auto is epoll where there is one, else nio.")
              .or("auto"),
          optional(
                  "drain",
                  Scalars.duration("0ms", "1h"),
                  "How long a stop waits for what is in flight.")
              .or("20s"),
          optional(
                  "memory",
                  Scalars.size("1MiB", "1024GiB"),
                  "Ceiling of the bytes that all connections together buffer; reads pause before it"
                      + " is reached.")
              .or(
                  "what the container's limit leaves after heap and 100MiB, at least 16MiB, at most"
                      + " 128MiB",
                  () -> defaultMemoryBytes() + "B"));

  private static final String DEFAULT_IDLE = "24h";

  private static final Type.Section LIMITS =
      section(
          optional("connections", Scalars.integer(1, 10_000_000), "Clients at once.").or("10000"),
          optional(
                  "inFlight",
                  Scalars.integer(1, 1_048_576),
                  "Requests of one connection that wait for their replies, or that were answered"
                      + " and that a replica has yet to do; reading pauses at it. Fewer while"
                      + " replies are large.")
              .or("1024"),
          optional("itemSize", Scalars.size("1KiB", "1GiB"), "The largest value.").or("1MiB"),
          optional(
                  "outBuffer",
                  Scalars.size("1KiB", "1GiB"),
                  "Replies held for a client that does not read them.")
              .or("1MiB"),
          optional(
                  "stall",
                  Scalars.duration("1ms", "1h"),
                  "How long such a client may pause a shared server connection before it is"
                      + " closed.")
              .or("500ms"),
          optional(
                  "idle",
                  Scalars.durationOrNever("1ms", "365d"),
                  "A client silent for so long is closed, in the middle of a request too; not while"
                      + " it waits for a server.")
              .or(DEFAULT_IDLE + "; internode: never", () -> DEFAULT_IDLE),
          optional(
                  "maxAge",
                  Scalars.durationOrNever("1ms", "365d"),
                  "A client connection is closed after about so long; jittered.")
              .or("never"),
          optional("messageSize", Scalars.size("1KiB", "2GiB"), "Internode: the largest message.")
              .or("128MiB"),
          optional(
                  "inFlightBytes",
                  Scalars.size("64KiB", "1GiB"),
                  "Internode: bytes of one link that its receiver has not taken yet; reading pauses"
                      + " at it.")
              .or("4MiB"),
          optional(
                  "handshake",
                  Scalars.duration("1ms", "1h"),
                  "How long TLS may take to begin, and either half of internode's handshake.")
              .or("5s"));

  private static final Type.Section LISTENER =
      section(
          optional("bind", Scalars.bindAddress(), "Where it listens; port 0 is any free port.")
              .or("127.0.0.1:11211"),
          optional("protocol", Scalars.choice(ListenerProtocol.class), "What clients speak.")
              .or("memcached"),
          optional("dialects", DIALECTS, "Which dialects it takes, told apart per connection.")
              .or("[text, meta, binary]"),
          required("route", Scalars.nameOf("routes"), "The route of its requests."),
          optional("limits", LIMITS, "Limits of its connections."),
          optional(
                  "allow",
                  new Type.Items("command", Scalars.choice(GuardedCommand.class), true),
                  "Commands refused unless named here.")
              .or("[flush_all, verbosity]"),
          optional("tls", LISTENER_TLS, "TLS towards those who connect; left out, none."),
          optional(
              "auth", LISTENER_AUTH, "Who must log in before anything else; left out, nobody."),
          optional(
              "node",
              Scalars.nodeAddress(),
              "Internode: the address by which other nodes know the one behind the listener; left"
                  + " out, what it binds."),
          optional(
              "peers",
              new Type.Items("node", Scalars.peer(), true),
              "Internode: nodes that are told of rejected requests on a connection of the gateway's"
                  + " own, beside those that the configuration names elsewhere; without a port, at"
                  + " that of `node`."),
          optional(
              "strict",
              Scalars.bool(),
              "Internode: whether links are refused that no rule can look into: of versions before"
                  + " 12 and after 14, and TLS that is passed. Left out, they are not."));

  private static final Type.Section MATCH =
      section(
          optional("prefix", Scalars.keyPart(), "What the key begins with."),
          optional(
              "commands",
              new Type.Items("command", Scalars.names(COMMANDS), false),
              "Which commands."),
          optional("dialects", DIALECTS, "Which dialects."),
          optional(
              "client",
              Scalars.clientName(),
              "Which client, by its certificate: a DNS name or URI that is a subject alternative"
                  + " name, or where it has none of these, its common name."),
          optional(
              "token",
              Scalars.metaToken(),
              "Which meta requests: those with this token, which begins with `P` or `L`."),
          optional(
              "verbs", new Type.Items("verb", Scalars.verb(), false), "Which internode verbs."));

  private static final Type.Pairs NODES =
      new Type.Pairs("addresses of nodes", Scalars.nodeName(), Scalars.nodeName());

  private static final Type.Section FAILOVER =
      section(
          required(
              "pools",
              new Type.Items("pool", Scalars.nameOf("pools"), false),
              "Pools in the order in which they are tried."),
          optional(
                  "maxTtl",
                  Scalars.durationOrNever("1s", "365d"),
                  "What is written there lives no longer.")
              .or("never"));

  private static final Type.Section MIGRATE =
      section(
          required("to", Scalars.nameOf("pools"), "The pool that they go to."),
          optional("percent", Scalars.percent(), "Of the keys.").or("100%"),
          optional(
              "from", Scalars.instant(), "When the share begins to grow; left out, it is there."),
          optional("until", Scalars.instant(), "When the share has grown to its percent."));

  private static final Type.Section TTL =
      section(
          optional("min", Scalars.duration("1s", "365d"), "What is to live shorter lives so long."),
          optional(
                  "max",
                  Scalars.durationOrNever("1s", "365d"),
                  "What is to live longer, or for ever, lives so long.")
              .or("never"),
          optional(
              "jitter",
              Scalars.percent(),
              "By how much times to live are shortened at most, at random."));

  private static final Type.Section REPLICATE =
      section(
          required(
              "pools", new Type.Items("pool", Scalars.nameOf("pools"), false), "At least two."),
          optional(
                  "acks",
                  Scalars.choice(Acks.class),
                  "How many must have acknowledged a change before the client is told.")
              .or("all"),
          optional(
                  "reads",
                  Scalars.choice(Reads.class),
                  "Which are asked: all, of which the first that has the item answers, or the one"
                      + " that was fastest of late.")
              .or("first"));

  private static final Type.Section WARM_UP =
      section(
          required("cold", Scalars.nameOf("pools"), "The pool of the requests."),
          required("warm", Scalars.nameOf("pools"), "Where its misses are looked for."));

  private static final Type.Section SHADOW =
      section(
          required("pool", Scalars.nameOf("pools"), "Where the copies go."),
          optional("percent", Scalars.percent(), "Of the requests.").or("100%"));

  private static final Type.Section LIMIT =
      section(
          required(
              "rate",
              Scalars.integer(1, 10_000_000),
              "Requests a second; of a read of many keys each key counts."),
          new Key(
              "burst",
              Scalars.integer(1, 10_000_000),
              "How many pass at once after a pause.",
              Key.Kind.OPTIONAL,
              "as `rate`",
              java.util.Optional.empty()));

  private static final Type.Section NEAR_CACHE =
      section(
          required(
              "size",
              Scalars.size("1MiB", "64GiB"),
              "How much memory it takes at most, beside `process.memory`."),
          required(
              "ttl", Scalars.duration("1ms", "1h"), "How old what it answers may be at most."));

  private static final Type.Section SPLIT =
      section(
          required(
              "above",
              Scalars.size("1KiB", "1GiB"),
              "The longest value that is stored whole, and what a piece has at most."),
          optional(
                  "flag", Scalars.flag(), "The bit of an item's flags that marks values in pieces.")
              .or("0x20000"));

  private static final Type.Section RULE =
      section(
          optional("match", MATCH, "Which requests; left out, all of them."),
          optional(
              "pool",
              Scalars.nameOf("pools"),
              "Where they go. Either this, `replicate`, `warmUp` or `reject`."),
          optional(
              "key",
              section(
                  optional("strip", Scalars.keyPart(), "Removed from the front of the key."),
                  optional("add", Scalars.keyPart(), "Put in front of the key.")),
              "How the key is rewritten."),
          optional("reject", Scalars.replyText(), "What the client is told instead."),
          optional(
              "failover",
              new Type.Brief(FAILOVER, "pools"),
              "Pools tried, in order, when the server of a key takes no requests."),
          optional("replicate", REPLICATE, "Several pools at once, in the place of `pool`."),
          optional("shadow", SHADOW, "A pool that gets copies of requests; left out, none."),
          optional(
              "nearCache", NEAR_CACHE, "A cache inside the gateway for hot keys; left out, none."),
          optional(
              "warmUp", WARM_UP, "A cold pool filled from a warm one, in the place of `pool`."),
          optional("migrate", MIGRATE, "Keys that go to another pool; left out, none."),
          optional("ttl", TTL, "Bounds of times to live; left out, none."),
          optional("limit", LIMIT, "How many of its requests pass; left out, all."),
          optional(
              "split",
              new Type.Brief(SPLIT, "above"),
              "Large values, which are stored in pieces; left out, none are."),
          optional(
              "stripToken",
              Scalars.bool(),
              "Whether `match.token` is left out on the way. Left out, it is not."),
          optional(
              "addresses",
              section(
                  optional("from", NODES, "What the initiators' addresses become."),
                  optional("to", NODES, "What the servers' addresses become.")),
              "Internode: addresses of nodes that are replaced on the way, one to one."));

  private static final Type.Section LOGS =
      section(
          optional(
              "slow",
              section(
                  optional(
                          "above",
                          Scalars.duration("1ms", "1h"),
                          "Requests that take so long, or longer.")
                      .or("10ms")),
              "A line for each slow request; left out, none."),
          optional(
              "access",
              section(
                  optional("sample", Scalars.percent(), "Of the requests, picked at random.")
                      .or("1%")),
              "A line for some of all requests; left out, none."));

  /** The file as a whole. */
  public static final Type.Section FILE =
      section(
          optional("admin", ADMIN, "The admin port."),
          optional("process", PROCESS, "What holds for the whole process."),
          required(
              "listeners",
              new Type.Named("listener", LISTENER),
              "Where clients come from, by name."),
          required(
              "routes",
              new Type.Named("route", new Type.Items("rule", RULE, false)),
              "Lists of rules, by name; the first rule that matches a request decides."),
          required(
              "pools", new Type.Named("pool", PoolKeys.POOL), "Servers that share keys, by name."),
          optional("logs", LOGS, "Logs of single requests; left out, none."));

  private Keys() {}

  /** The JDK takes a container's limit for the memory of the machine. */
  private static long defaultMemoryBytes() {
    long limit =
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
    return ProcessConfig.defaultMemoryBytes(limit, Runtime.getRuntime().maxMemory());
  }
}
