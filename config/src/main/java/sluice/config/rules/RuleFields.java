package sluice.config.rules;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import sluice.config.model.MatchConfig;
import sluice.config.model.PoolProtocol;
import sluice.config.schema.Checked;
import sluice.config.schema.Checked.Fields;
import sluice.names.Dialect;

/** Parts of a file's rules and pools that several checks look at. */
public final class RuleFields {
  /** Bytes of a value that a memcached takes which was not told otherwise. */
  static final long WHOLE_IN_MEMCACHED = 1023 << 10;

  private RuleFields() {}

  /** Every name of a pool in a rule, its own first. */
  static List<Checked> pools(Fields rule) {
    return Stream.of(
            Stream.of(
                rule.get("pool"),
                rule.section("migrate").get("to"),
                rule.section("shadow").get("pool"),
                rule.section("warmUp").get("cold"),
                rule.section("warmUp").get("warm")),
            rule.section("failover").get("pools").items().stream(),
            rule.section("replicate").get("pools").items().stream())
        .flatMap(names -> names)
        .filter(name -> name.value().isPresent())
        .toList();
  }

  /** What a rule matches, bound. */
  public static MatchConfig match(Fields match) {
    return new MatchConfig(
        match.text("prefix"),
        new LinkedHashSet<>(match.list("commands", String.class)),
        Set.copyOf(match.list("dialects", Dialect.class)),
        match.scalar("client", String.class),
        match.scalar("token", String.class),
        new LinkedHashSet<>(match.list("verbs", String.class)));
  }

  static boolean isEmbedded(Fields pool) {
    return pool.scalar("protocol", PoolProtocol.class)
        .filter(PoolProtocol.EMBEDDED::equals)
        .isPresent();
  }
}
