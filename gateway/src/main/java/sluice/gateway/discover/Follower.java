package sluice.gateway.discover;

import io.vertx.core.Future;
import java.util.List;
import java.util.function.BooleanSupplier;
import sluice.config.model.DiscoverConfig;
import sluice.config.model.ServerConfig;

/** Receiver of changes to a pool's discovered servers. */
public interface Follower {
  /**
   * Changes the servers of a pool, after earlier changes.
   *
   * @param asked the source that they are from, which the pool must still have
   * @param isWanted called just before the change: whether these are still the latest servers
   * @return fails if the pool's servers stay unchanged
   */
  Future<Void> follow(
      String pool, DiscoverConfig asked, List<ServerConfig> servers, BooleanSupplier isWanted);
}
