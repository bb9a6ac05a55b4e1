package sluice.config.rules;

import java.util.List;
import java.util.stream.Stream;
import sluice.config.model.DiscoverSource;
import sluice.config.model.PoolProtocol;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Checked.Fields;

/** What {@code discover} sections must say and must not. */
final class DiscoverRules {
  private final Problems problems;

  DiscoverRules(Problems problems) {
    this.problems = problems;
  }

  void check(Fields file) {
    file.get("pools").named().values().forEach(p -> pool(p.fields()));
  }

  private void refuse(Checked at, String expected) {
    problems.add(at.line(), at.column(), at.path(), at.shown(), expected);
  }

  private void pool(Fields pool) {
    Checked checked = pool.get("discover");
    if (!checked.written() || checked.value().isEmpty()) {
      return;
    }
    if (pool.get("servers").written()) {
      refuse(pool.get("servers"), "no servers beside discover: they are learned");
    }
    Fields discover = checked.fields();
    List<Checked> sources =
        Stream.of(DiscoverSource.values())
            .map(source -> discover.get(source.label()))
            .filter(Checked::written)
            .toList();
    if (sources.isEmpty()) {
      refuse(checked, "one of dns, srv and elasticache in it");
    }
    sources.stream()
        .skip(1)
        .forEach(s -> refuse(s, "nothing here: servers are learned from " + sources.get(0).path()));
    Checked elastiCache = discover.get(DiscoverSource.ELASTICACHE.label());
    if (elastiCache.written()) {
      elastiCache(pool, elastiCache, discover.get("nameServer"));
    }
    warn(discover.get(DiscoverSource.DNS.label()));
  }

  private void elastiCache(Fields pool, Checked checked, Checked nameServer) {
    if (pool.scalar("protocol", PoolProtocol.class).stream()
        .anyMatch(PoolProtocol.IGNITE::equals)) {
      refuse(checked, "dns or srv: Ignite nodes are not found by memcached's protocol");
    }
    if (nameServer.written()) {
      refuse(nameServer, "nothing here: only dns and srv ask it");
    }
  }

  /** Most often what stands behind the name is replaced one by one, each with a new address. */
  private void warn(Checked dns) {
    if (dns.written() && dns.value().isPresent()) {
      problems.warn(
          dns,
          dns.path(),
          dns.shown(),
          "srv, if there are several servers: their addresses are their names on the hash ring, so"
              + " keys move when a server gets another address");
    }
  }
}
