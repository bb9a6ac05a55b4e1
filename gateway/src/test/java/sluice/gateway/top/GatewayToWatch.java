package sluice.gateway.top;

import java.util.concurrent.TimeUnit;
import sluice.config.Loader;
import sluice.gateway.fixtures.Gateways;
import sluice.gateway.process.Gateway;

/** A running gateway with an embedded store, and a pool whose only server is unreachable. */
public final class GatewayToWatch {
  private GatewayToWatch() {}

  /** Starts it; the caller closes it. */
  public static Gateway start() throws Exception {
    return Gateways.start(
            Loader.parse(
                    "f",
                    """
                    admin: {bind: 127.0.0.1:0}
                    process: {eventLoops: 1, drain: 1s}
                    listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
                    routes: {cache: [{match: {prefix: dead}, pool: dead}, {pool: local}]}
                    pools: {local: {protocol: embedded}, dead: {servers: ["127.0.0.1:1"]}}
                    """)
                .configuration())
        .await(60, TimeUnit.SECONDS);
  }
}
