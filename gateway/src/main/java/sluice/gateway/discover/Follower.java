package sluice.gateway.discover;

import io.vertx.core.Future;
import java.util.List;
import java.util.function.BooleanSupplier;
import sluice.config.model.ServerConfig;

/** Receiver of changes to a pool's discovered servers. */
public interface Follower {
  /**
   * Changes the servers of a pool, after earlier changes.
   *
   * @param isWanted called just before the change: whether these are still the latest servers
   * @return fails if the pool's servers stay unchanged
   */
  Future<Void> follow(String pool, List<ServerConfig> servers, BooleanSupplier isWanted);
}
