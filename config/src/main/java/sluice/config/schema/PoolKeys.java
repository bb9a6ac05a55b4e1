package sluice.config.schema;

import static sluice.config.schema.Key.optional;
import static sluice.config.schema.Key.required;
import static sluice.config.schema.Type.section;

import sluice.config.model.CompressionAlgorithm;
import sluice.config.model.Counters;
import sluice.config.model.InternodeFraming;
import sluice.config.model.OnCorrupt;
import sluice.config.model.OnFailure;
import sluice.config.model.PlainValues;
import sluice.config.model.PoolDialect;
import sluice.config.model.PoolProtocol;
import sluice.names.Distribution;
import sluice.names.HashFunction;

/** Every key of a pool, once. */
final class PoolKeys {
  private static final Type.Section POOL_TLS =
      section(
          optional(
              "ca",
              Scalars.file(),
              "PEM file: who may sign the certificates of servers; left out, whom Java trusts."),
          optional(
              "certificate",
              Scalars.file(),
              "PEM file: the certificate that servers are shown, then those that lead to its"
                  + " authority."),
          optional("key", Scalars.file(), "PEM file: its RSA or EC private key, not encrypted."),
          optional(
              "serverName",
              Scalars.host(),
              "What a server's certificate must name, and what is asked for; left out, the host in"
                  + " its address."));

  private static final Type.Section COMPRESSION =
      section(
          optional(
                  "algorithm",
                  Scalars.choice(CompressionAlgorithm.class),
                  "What values are compressed with.")
              .or("zstd"),
          optional("above", Scalars.size("1B", "1GiB"), "Only larger values are compressed.")
              .or("1KiB"),
          optional(
                  "keepIfUnder",
                  Scalars.percent(),
                  "Of its size: what a value must come below to be stored compressed.")
              .or("90%"),
          optional(
                  "flag",
                  Scalars.flag(),
                  "The bit of an item's flags that marks compressed values.")
              .or("0x10000"),
          optional(
                  "alreadyCompressed",
                  Scalars.flags(),
                  "Bits by which clients mark values that they compressed: those are left as they"
                      + " are.")
              .or("0x2"),
          optional(
                  "onCorrupt",
                  Scalars.choice(OnCorrupt.class),
                  "What a read gets where the bit marks something else: an error, or the value as"
                      + " it is stored.")
              .or("error"));

  private static final Type.Section VALUES =
      section(
          optional(
              "replace",
              new Type.Items(
                  "replacement",
                  section(
                      required("find", Scalars.find(), "What is looked for."),
                      required("with", Scalars.with(), "What stands there instead.")),
                  false),
              "What is replaced in them; where two could be at one place, the first listed."),
          optional(
              "plain",
              Scalars.choice(PlainValues.class),
              "Layout of Kafka Streams' stores that values come out of plain."));

  private static final Type.Section CONNECTIONS =
      section(
          optional(
                  "perEventLoop",
                  Scalars.integer(1, 64),
                  "Shared connections of an event loop to a server.")
              .or("1"),
          optional(
                  "streams",
                  Scalars.integer(1, 1024),
                  "Connections that may be lent at once for values that are still being sent, and"
                      + " as many for large values that have arrived whole.")
              .or("4"),
          optional(
                  "max",
                  Scalars.integer(0, 1024),
                  "Above 0, in place of perEventLoop: so many shared connections to a server in"
                      + " all, however many event loops there are.")
              .or("0"),
          optional(
                  "connectTimeout",
                  Scalars.duration("1ms", "1h"),
                  "How long connecting may take; of an internode pool 2s, unless it is written: as"
                      + " long as nodes give each other.")
              .or("1s"),
          optional(
                  "idle",
                  Scalars.durationOrNever("1ms", "365d"),
                  "A connection unused for so long is closed.")
              .or("never"),
          optional(
                  "probeAfter",
                  Scalars.duration("1ms", "1h"),
                  "How long a server that could not be reached is left alone, and after how much"
                      + " silence one is asked whether it is there before the next request.")
              .or("1s"));

  private static final Type.Section RETRIES =
      section(
          optional("max", Scalars.integer(1, 10), "How often one read is asked again.").or("1"),
          optional("budget", Scalars.percent(), "Of a pool's requests: more are not asked again.")
              .or("20%"));

  private static final Type.Section HEALTH =
      section(
          optional(
                  "failures",
                  Scalars.integer(1, 1_000_000),
                  "So many in a row, and a server is ejected.")
              .or("3"),
          optional(
                  "slow",
                  Scalars.durationOrNever("1ms", "1h"),
                  "A reply that takes longer counts as a failure.")
              .or("never"),
          optional(
                  "probe",
                  Scalars.duration("10ms", "1h"),
                  "How often a server whose time is over is asked whether it is back.")
              .or("1s"),
          optional(
                  "ejectFor",
                  Scalars.durationRange("10ms", "24h"),
                  "How long a server is out: the first at first, twice as long whenever it happens"
                      + " again, the second at most.")
              .or("1s..30s"),
          optional(
                  "maxEjected",
                  Scalars.percent(),
                  "Of the pool's servers, rounded down: more are not ejected.")
              .or("50%"),
          optional(
                  "rehash",
                  Scalars.bool(),
                  "Whether the other servers take the keys of an ejected one; with false, requests"
                      + " for these keys fail.")
              .or("true"));

  private static final Type.Section DISCOVER =
      section(
          optional(
              "dns",
              Scalars.nameAndPort(),
              "A name whose addresses (A, AAAA) are the servers; the address is a server's name on"
                  + " the hash ring."),
          optional(
              "srv",
              Scalars.name(),
              "A name whose SRV records are the servers; their names and ports are those on the"
                  + " hash ring, whatever their addresses."),
          optional(
              "elasticache",
              Scalars.hostAndPort(),
              "The configuration endpoint of an ElastiCache cluster, which is asked `config get"
                  + " cluster`."),
          optional(
                  "every",
                  Scalars.duration("100ms", "1h"),
                  "How long after an answer the next one is asked for.")
              .or("5s"),
          optional(
                  "minimum",
                  Scalars.integer(1, 10_000),
                  "An answer with fewer servers changes nothing.")
              .or("1"),
          optional(
              "nameServer",
              Scalars.nodeName(),
              "Who is asked, at port 53 unless written; left out, the system's name servers."));

  static final Type.Section POOL =
      section(
          optional(
                  "protocol",
                  Scalars.choice(PoolProtocol.class),
                  "memcached servers, a store inside this process, a Cassandra node, or Apache"
                      + " Ignite nodes.")
              .or("memcached"),
          optional("size", Scalars.size("1MiB", "1024GiB"), "Of the embedded store.").or("64MiB"),
          optional(
                  "dialect",
                  Scalars.choice(PoolDialect.class),
                  "What servers are spoken to in; same is what the client speaks.")
              .or("same"),
          optional(
              "servers",
              new Type.Items("server", Scalars.server(), false),
              "`host:port [weight=N] [name=NAME]`, `[IPv6]:port` or `unix:/path`. The name, or else"
                  + " the address as written, is who the server is on the hash ring."),
          optional(
              "hash",
              section(
                  optional("function", Scalars.choice(HashFunction.class), "The hash of a key.")
                      .or("fnv1a_64"),
                  optional(
                          "distribution",
                          Scalars.choice(Distribution.class),
                          "Which server a hash belongs to.")
                      .or("ketama"),
                  optional(
                      "tag",
                      Scalars.tag(),
                      "Two characters: only what a key has between them is hashed."),
                  optional(
                          "slowStart",
                          Scalars.duration("0ms", "1h"),
                          "How long it takes until a server that joins has all of its keys.")
                      .or("0ms")),
              "How keys are spread over the servers."),
          optional("connections", CONNECTIONS, "The connections to each server."),
          optional("timeout", Scalars.duration("1ms", "1h"), "Of a request, once it is sent.")
              .or("500ms"),
          new Key(
              "queueTimeout",
              Scalars.duration("1ms", "1h"),
              "How long a request waits until it can be sent.",
              Key.Kind.OPTIONAL,
              "`timeout`",
              java.util.Optional.empty()),
          optional(
              "multiGet",
              section(
                  optional(
                          "onFailure",
                          Scalars.choice(OnFailure.class),
                          "What a read of many keys answers when one of its servers cannot: an"
                              + " error, or misses.")
                      .or("error")),
              "Reads of many keys."),
          optional("discover", DISCOVER, "Servers are learned, in place of `servers`."),
          optional("retries", RETRIES, "Reads that are asked again; left out, none is."),
          optional("health", HEALTH, "Ejection of servers; left out, they stay."),
          optional(
              "compression", COMPRESSION, "Values are stored compressed; left out, as they come."),
          optional("values", VALUES, "What becomes of values that are read; left out, nothing."),
          optional("tls", POOL_TLS, "TLS towards servers, verified always; left out, none."),
          optional(
              "auth",
              section(
                  optional("user", Scalars.user(), "Who the gateway is to servers."),
                  optional("passwordFile", Scalars.file(), "File of one line: the password.")),
              "How to log in to servers; left out, not at all."),
          optional(
              "ignite",
              section(
                  optional("cacheName", Scalars.cacheName(), "The cache that holds the items.")
                      .or("default"),
                  optional(
                          "counters",
                          Scalars.choice(Counters.class),
                          "incr and decr: refused, or sent to Ignite, which counts in an atomic"
                              + " long beside the cache.")
                      .or("refuse")),
              "What is particular to Ignite."),
          optional(
                  "framing",
                  Scalars.choice(InternodeFraming.class),
                  "Internode: how messages to the server are wrapped; same is what their sender"
                      + " chose.")
              .or("same"));

  private PoolKeys() {}
}
