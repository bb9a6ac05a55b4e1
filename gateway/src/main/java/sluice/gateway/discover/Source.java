package sluice.gateway.discover;

import io.vertx.core.Future;
import java.util.List;
import sluice.config.model.ServerConfig;

/** Source of a pool's servers. Belongs to one event loop. */
interface Source {
  /**
   * Sends one query.
   *
   * @param known the servers of the last accepted answer
   * @return fails with the reason, for people
   */
  Future<Found> ask(List<ServerConfig> known);
}
