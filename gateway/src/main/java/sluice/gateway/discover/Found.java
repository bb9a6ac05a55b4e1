package sluice.gateway.discover;

import java.util.List;
import sluice.config.model.ServerConfig;

/**
 * Accepted answer.
 *
 * @param servers each once, in the order of their identities
 * @param remark what was left out, and why; empty for nothing
 */
record Found(List<ServerConfig> servers, String remark) {
  /** Sorts the servers, because the order changes from answer to answer. */
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
