package sluice.config.model;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import sluice.names.Dialect;

/**
 * Conditions of a rule: it applies to requests that meet all of them.
 *
 * @param prefix that the key begins with; empty for any key, and for requests without one
 * @param commands labels of commands, in lower case; empty for any command
 * @param dialects empty for any dialect
 * @param client name in the client's certificate; empty for any client, and for those without one
 * @param token the request's meta token P or L, letter included; empty for any, and for requests
 *     without one
 * @param verbs for internode: names of verbs as Cassandra writes them; empty for any verb
 */
public record MatchConfig(
    String prefix,
    Set<String> commands,
    Set<Dialect> dialects,
    Optional<String> client,
    Optional<String> token,
    Set<String> verbs) {
  /** Takes copies. */
  public MatchConfig {
    commands = Collections.unmodifiableSet(new LinkedHashSet<>(commands));
    dialects = Ordered.copyOf(Dialect.class, dialects);
    verbs = Collections.unmodifiableSet(new LinkedHashSet<>(verbs));
  }

  /** Whether it matches every request, so that later rules get none. */
  public boolean matchesEverything() {
    return prefix.isEmpty()
        && commands.isEmpty()
        && dialects.isEmpty()
        && client.isEmpty()
        && token.isEmpty()
        && verbs.isEmpty();
  }

  /** Whether it matches every request that the other matches. */
  public boolean covers(MatchConfig other) {
    return other.prefix.startsWith(prefix)
        && coversAll(commands, other.commands)
        && coversAll(dialects, other.dialects)
        && (client.isEmpty() || client.equals(other.client))
        && (token.isEmpty() || token.equals(other.token))
        && coversAll(verbs, other.verbs);
  }

  private static <T> boolean coversAll(Set<T> mine, Set<T> others) {
    return mine.isEmpty() || (!others.isEmpty() && mine.containsAll(others));
  }
}
