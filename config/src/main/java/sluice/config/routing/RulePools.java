package sluice.config.routing;

import static sluice.config.model.PoolProtocol.EMBEDDED;
import static sluice.config.model.PoolProtocol.IGNITE;
import static sluice.config.model.PoolProtocol.INTERNODE;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import sluice.config.problems.Nearest;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.sections.PoolSection;

/** Pools that one rule names, with their sections in the file. */
public final class RulePools {
  private final Map<String, Checked<Fields>> pools;
  private final List<Checked<String>> names;
  private final Problems problems;

  /**
   * @param pools all pools of the file
   * @param names every name of a pool in the rule, its own first
   * @param problems receives the problems
   */
  public RulePools(
      Map<String, Checked<Fields>> pools, List<Checked<String>> names, Problems problems) {
    this.pools = pools;
    this.names = names;
    this.problems = problems;
  }

  /** Every name of a pool in the rule, its own first. */
  List<Checked<String>> names() {
    return names;
  }

  /** The collector of problems. */
  Problems problems() {
    return problems;
  }

  /** Notes a problem with the given expectation. */
  void refuse(Checked<?> at, String expected) {
    at.refuse(problems, expected);
  }

  /** The pool of a name; empty if there is none. */
  Optional<Checked<Fields>> find(Checked<String> name) {
    return name.value().map(pools::get);
  }

  /** Whether the name is that of a pool that requests can go to; refuses it if not. */
  boolean isKnown(Checked<String> name) {
    if (name.value().isEmpty()) {
      return false;
    }
    Checked<Fields> pool = pools.get(name.value().get());
    if (pool == null) {
      refuse(
          name,
          "the name of one of the 'pools'" + Nearest.among(name.value().get(), pools.keySet()));
      return false;
    }
    if (PoolSection.isOf(Fields.of(pool), INTERNODE)) {
      refuse(name, "a pool that is not internode");
      return false;
    }
    return true;
  }

  /** Refuses a name that is unknown, or equal to the rule's own. */
  void requireOther(Checked<String> own, Checked<String> name) {
    if (isKnown(name) && name.value().equals(own.value())) {
      refuse(name, "a pool other than " + own.path());
    }
  }

  /**
   * Refuses a setting for a pool without servers: the embedded store takes requests unchanged.
   *
   * @param at the name itself, or the setting that does not go with the pool
   */
  void requireServers(Checked<?> at, Checked<String> name) {
    if (find(name).filter(pool -> PoolSection.isOf(Fields.of(pool), EMBEDDED)).isPresent()) {
      refuse(
          at,
          at.equals(name)
              ? "a pool of servers"
              : "nothing here: " + name.shown() + " is an embedded pool");
    }
  }

  /** Refuses a setting for a pool whose servers are not memcached servers. */
  void requireMemcached(Checked<?> at, Checked<String> name) {
    requireServers(at, name);
    if (find(name).filter(pool -> PoolSection.isOf(Fields.of(pool), IGNITE)).isPresent()) {
      refuse(at, "nothing here: " + name.shown() + " is a pool of Ignite nodes");
    }
  }
}
