package sluice.gateway.discover;

import io.vertx.core.Future;
import java.util.List;
import sluice.config.model.DiscoverConfig;
import sluice.config.model.ServerConfig;

/** Source of a pool's servers. Belongs to one event loop. */
interface Source {
  /**
   * Most servers that a pool may get from an answer. Each has counters and connections on every
   * event loop, so a wrong answer could take all memory and file descriptors.
   */
  int MOST_SERVERS = DiscoverConfig.MOST_SERVERS;

  /**
   * Sends one query.
   *
   * @param known the servers of the last accepted answer
   * @return fails with the reason, for people. Of more than {@link #MOST_SERVERS}, which will be
   *     refused, it may have only so many that their number shows
   */
  Future<Found> ask(List<ServerConfig> known);
}
