package sluice.gateway.discover;

import io.vertx.core.Future;
import java.util.List;
import sluice.config.model.ServerConfig;

/** Whoever knows the servers of a pool. Belongs to one event loop. */
interface Source {
  /**
   * Asks once.
   *
   * @param known the servers as of the last answer that counted
   * @return fails with what is wrong, for people
   */
  Future<Found> ask(List<ServerConfig> known);
}
