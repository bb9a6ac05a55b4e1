package sluice.config.model;

import java.util.List;
import java.util.Optional;

/** What a rule does with requests beyond naming their pool; of each kind a rule has at most one. */
public interface PolicyConfig {
  /** Names of {@link Configuration#pools()} that requests may go to because of it. */
  default List<String> pools() {
    return List.of();
  }

  /** The pool of the rule's requests, if this stands in the place of one. */
  default Optional<String> ownPool() {
    return Optional.empty();
  }
}
