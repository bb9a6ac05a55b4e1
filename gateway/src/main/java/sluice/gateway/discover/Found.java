package sluice.gateway.discover;

import java.util.List;
import sluice.config.model.ServerConfig;

/**
 * One answer.
 *
 * @param servers each once, in the order of their identities
 * @param remark what was left out, and why; empty if nothing was
 */
record Found(List<ServerConfig> servers, String remark) {
  /** Sorts the servers: an answer's own order changes from one to the next. */
  Found {
    servers =
        servers.stream()
            .sorted((one, other) -> NaturalOrder.compare(one.identity(), other.identity()))
            .toList();
  }

  Found(List<ServerConfig> servers) {
    this(servers, "");
  }
}
