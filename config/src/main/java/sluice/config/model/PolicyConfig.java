package sluice.config.model;

import java.util.List;
import java.util.Optional;

/**
 * Settings of a policy: what a rule does with requests beyond naming their pool. A rule has at most
 * one policy of each kind.
 */
public interface PolicyConfig {
  /** Names of {@link Configuration#pools()} that the policy may send requests to. */
  default List<String> pools() {
    return List.of();
  }

  /** Those of {@link #pools} whose answers may reach clients. */
  default List<String> answeringPools() {
    return pools();
  }

  /** The pool of the rule's requests, if the policy takes the place of {@code pool}. */
  default Optional<String> ownPool() {
    return Optional.empty();
  }
}
