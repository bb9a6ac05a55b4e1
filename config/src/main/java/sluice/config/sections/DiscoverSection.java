package sluice.config.sections;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import sluice.config.model.Address;
import sluice.config.model.DiscoverConfig;
import sluice.config.model.DiscoverSource;
import sluice.config.model.NodeName;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;
import sluice.config.schema.Layout;
import sluice.config.schema.Quantities;
import sluice.config.schema.Scalars;

/** Description of a pool's {@code discover}: its keys, and its record. */
public final class DiscoverSection {
  public static final Key<Address.Tcp> DNS =
      Key.optional(
          DiscoverSource.DNS.label(),
          Scalars.nameAndPort(),
          "Host name whose addresses (A, AAAA) are the servers. The address identifies a server on"
              + " the hash ring.");
  public static final Key<String> SRV =
      Key.optional(
          DiscoverSource.SRV.label(),
          Scalars.name(),
          "Name whose SRV records are the servers. Host name and port identify a server on the hash"
              + " ring, even if its address changes.");
  public static final Key<Address.Tcp> ELASTICACHE =
      Key.optional(
          DiscoverSource.ELASTICACHE.label(),
          Scalars.hostAndPort(),
          "Configuration endpoint of an ElastiCache cluster, queried with `config get cluster`.");
  public static final Key<Long> EVERY =
      Key.optional(
              "every",
              Quantities.duration("100ms", "1h"),
              "Delay between an answer and the next query.")
          .or("5s");
  public static final Key<Integer> MINIMUM =
      Key.optional(
              "minimum",
              Quantities.integer(1, DiscoverConfig.MOST_SERVERS),
              "Minimum number of servers in an answer; an answer with fewer is ignored.")
          .or("1");
  public static final Key<NodeName> NAME_SERVER =
      Key.optional(
          "nameServer",
          Scalars.nodeName(),
          "Name server to query, on port 53 unless a port is given; by default, the system's name"
              + " servers.");

  /** The keys that name a source; a section has exactly one of them. */
  public static final List<Key<?>> SOURCES = List.of(DNS, SRV, ELASTICACHE);

  /** Its keys, and the record's value for each. */
  public static final Layout<DiscoverConfig> LAYOUT =
      Layout.of(DiscoverConfig.class)
          .optional(DNS, discover -> asked(discover, DiscoverSource.DNS))
          .optional(SRV, discover -> asked(discover, DiscoverSource.SRV).map(Address.Tcp::host))
          .optional(ELASTICACHE, discover -> asked(discover, DiscoverSource.ELASTICACHE))
          .key(EVERY, DiscoverConfig::everyMillis)
          .key(MINIMUM, DiscoverConfig::minimum)
          .optional(NAME_SERVER, DiscoverConfig::nameServer);

  private DiscoverSection() {}

  private static Optional<Address.Tcp> asked(DiscoverConfig discover, DiscoverSource source) {
    return Optional.of(new Address.Tcp(discover.host(), discover.port()))
        .filter(asked -> discover.source() == source);
  }

  /** The record of a valid section. */
  static DiscoverConfig bind(Fields discover) {
    if (discover.isWritten(DNS)) {
      return bind(discover, DiscoverSource.DNS, discover.value(DNS));
    }
    if (discover.isWritten(ELASTICACHE)) {
      return bind(discover, DiscoverSource.ELASTICACHE, discover.value(ELASTICACHE));
    }
    String name = discover.value(SRV).toLowerCase(Locale.ROOT);
    return bind(discover, DiscoverSource.SRV, new Address.Tcp(name, 0));
  }

  private static DiscoverConfig bind(Fields discover, DiscoverSource source, Address.Tcp asked) {
    return new DiscoverConfig(
        source,
        asked.host(),
        asked.port(),
        discover.value(EVERY),
        discover.value(MINIMUM),
        discover.optional(NAME_SERVER));
  }
}
