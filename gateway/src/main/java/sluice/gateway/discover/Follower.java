package sluice.gateway.discover;

import io.vertx.core.Future;
import java.util.List;
import java.util.function.BooleanSupplier;
import sluice.config.model.ServerConfig;

/** The part of the gateway that goes over to other servers of a pool when they were learned. */
public interface Follower {
  /**
   * Goes over, in its turn.
   *
   * @param isWanted asked when that comes: whether these still are the servers
   * @return fails if the pool's servers are what they were
   */
  Future<Void> follow(String pool, List<ServerConfig> servers, BooleanSupplier isWanted);
}
