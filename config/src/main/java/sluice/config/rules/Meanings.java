package sluice.config.rules;

import java.util.Optional;
import sluice.config.model.PoolProtocol;
import sluice.config.problems.Problems;
import sluice.config.schema.Checked;
import sluice.config.schema.Fields;
import sluice.config.schema.Key;

/** Check that refuses keys without a meaning for the protocol of their listener, pool or route. */
final class Meanings {
  private final Problems problems;

  Meanings(Problems problems) {
    this.problems = problems;
  }

  /** Checks the keys of a section, but not of sections inside. */
  void check(Fields section, PoolProtocol protocol) {
    for (Key<?> key : section.keys()) {
      if (!key.isOf(protocol) && section.isWritten(key)) {
        refuse(key, section.get(key), protocol);
      }
    }
  }

  private void refuse(Key<?> key, Checked<?> checked, PoolProtocol protocol) {
    Optional<PoolProtocol> only =
        key.onlyProtocol().filter(other -> other != PoolProtocol.MEMCACHED);
    PoolProtocol named = only.orElse(protocol);
    // Without servers, every setting about servers is wrong, with any value.
    if (named == PoolProtocol.EMBEDDED || checked.isGood()) {
      checked.refuse(
          problems, "nothing here: " + (only.isPresent() ? only(named, key) : without(named)));
    }
  }

  private static String only(PoolProtocol protocol, Key<?> key) {
    return switch (protocol) {
      case EMBEDDED -> "only an embedded pool has a " + key.name();
      case INTERNODE -> "only internode has it";
      case IGNITE -> "only Ignite has it";
      case MEMCACHED -> "only memcached has it";
    };
  }

  private static String without(PoolProtocol protocol) {
    return switch (protocol) {
      case EMBEDDED -> "an embedded pool has no servers";
      case INTERNODE -> "internode has no such setting";
      case IGNITE -> "Ignite has no such setting";
      case MEMCACHED -> "memcached has no such setting";
    };
  }
}
