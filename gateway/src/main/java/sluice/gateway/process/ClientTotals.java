package sluice.gateway.process;

import java.util.stream.Stream;
import sluice.config.model.Configuration;
import sluice.config.model.ListenerProtocol;
import sluice.embedded.Clients;
import sluice.gateway.metrics.ConnectionOutcome;
import sluice.gateway.metrics.Direction;
import sluice.gateway.metrics.GatewayMetrics;
import sluice.gateway.metrics.ListenerMetrics;
import sluice.gateway.metrics.Outcome;
import sluice.names.Command;

/** What embedded stores report of the clients of the whole process. */
final class ClientTotals {
  private ClientTotals() {}

  /** The totals now, since the start of the process. */
  static Clients of(GatewayMetrics metrics, Configuration configuration) {
    long logins =
        Stream.of(Outcome.values())
            .mapToLong(outcome -> metrics.ofListeners(of -> of.requests(Command.SASL, outcome)))
            .sum();
    return new Clients(
        configuration.listeners().values().stream()
            .filter(listener -> listener.protocol() != ListenerProtocol.INTERNODE)
            .mapToLong(listener -> listener.limits().connections())
            .sum(),
        metrics.ofListeners(ListenerMetrics::connections),
        metrics.ofListeners(of -> of.connections(ConnectionOutcome.ACCEPTED)),
        metrics.ofListeners(of -> of.connections(ConnectionOutcome.REFUSED)),
        logins,
        logins - metrics.ofListeners(of -> of.requests(Command.SASL, Outcome.OK)),
        metrics.bytes(Direction.CLIENT_IN),
        metrics.bytes(Direction.CLIENT_OUT));
  }
}
