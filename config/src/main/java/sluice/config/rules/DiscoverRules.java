package sluice.config.rules;

import java.util.List;
import sluice.config.model.PoolProtocol;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.sections.DiscoverSection;
import sluice.config.sections.PoolSection;

/** Checks of {@code discover} sections. */
final class DiscoverRules {
  private final Problems problems;

  DiscoverRules(Problems problems) {
    this.problems = problems;
  }

  void check(Fields file) {
    file.named(FileSection.POOLS).values().forEach(pool -> pool(Fields.of(pool)));
  }

  private void pool(Fields pool) {
    Checked<Fields> checked = pool.get(PoolSection.DISCOVER);
    if (!checked.isGood()) {
      return;
    }
    if (pool.isWritten(PoolSection.SERVERS)) {
      pool.get(PoolSection.SERVERS).refuse(problems, "either servers or discover, not both");
    }
    Fields discover = Fields.of(checked);
    List<? extends Checked<?>> sources =
        DiscoverSection.SOURCES.stream()
            .filter(discover::isWritten)
            .<Checked<?>>map(discover::get)
            .toList();
    if (sources.isEmpty()) {
      checked.refuse(problems, "one of dns, srv and elasticache");
    }
    sources.stream()
        .skip(1)
        .forEach(
            source ->
                source.refuse(
                    problems,
                    "nothing here: servers are discovered from " + sources.get(0).path()));
    if (discover.isWritten(DiscoverSection.ELASTICACHE)) {
      elastiCache(pool, discover);
    }
    warn(discover.get(DiscoverSection.DNS));
  }

  private void elastiCache(Fields pool, Fields discover) {
    if (PoolSection.isOf(pool, PoolProtocol.IGNITE)) {
      discover
          .get(DiscoverSection.ELASTICACHE)
          .refuse(problems, "dns or srv: elasticache cannot discover Ignite nodes");
    }
    if (discover.isWritten(DiscoverSection.NAME_SERVER)) {
      discover
          .get(DiscoverSection.NAME_SERVER)
          .refuse(problems, "nothing here: only dns and srv use it");
    }
  }

  /** The hosts behind the name are usually replaced one by one, each with a new address. */
  private void warn(Checked<?> dns) {
    if (dns.isGood()) {
      dns.warn(
          problems,
          "srv, if there are several servers: their addresses are their names on the hash ring, so"
              + " keys move when a server gets another address");
    }
  }
}
