package sluice.gateway.listen;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import sluice.config.model.Configuration;
import sluice.config.model.Credentials;
import sluice.config.model.ListenerAuthConfig;
import sluice.config.model.ListenerConfig;
import sluice.gateway.dispatch.Pool;
import sluice.gateway.listener.Listener;
import sluice.gateway.near.NearCaches;
import sluice.gateway.route.Route;
import sluice.gateway.routing.Graph;

/** Listeners of a test, which have no address. */
public final class Listeners {
  private Listeners() {}

  /**
   * Applies the settings of a listener, and its route, which has no near cache.
   *
   * @param pools all of the configuration, in its order
   */
  public static void apply(
      Listener to, Configuration configuration, ListenerConfig config, Pool... pools) {
    Route route = new Graph(configuration).route(configuration.routes().get(config.route()));
    to.apply(
        config, route, pools, Collections.nCopies(route.rules().size(), null), new NearCaches());
  }

  /** The settings of a listener that wants a login by one of these users; none: as they are. */
  public static ListenerConfig withUsers(ListenerConfig open, Credentials... users) {
    if (users.length == 0) {
      return open;
    }
    return new ListenerConfig(
        open.name(),
        open.bind(),
        open.protocol(),
        open.dialects(),
        open.route(),
        open.limits(),
        open.allow(),
        open.node(),
        open.peers(),
        open.strict(),
        open.tls(),
        Optional.of(new ListenerAuthConfig("users", List.of(users))),
        open.proxyProtocol());
  }
}
