package sluice.gateway.discover;

import io.netty.util.NetUtil;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import sluice.config.model.Address;
import sluice.config.model.DiscoverConfig;
import sluice.config.model.ServerConfig;

/**
 * Source that resolves the services behind a name. A server's identity is its target and port; its
 * address is resolved, and may change without changing the identity. Only the lowest priority
 * number is used. Weights are shares of the keys.
 */
final class ServiceSource implements Source {
  private final NameServers nameServers;
  private final DiscoverConfig discover;

  ServiceSource(NameServers nameServers, DiscoverConfig discover) {
    this.nameServers = nameServers;
    this.discover = discover;
  }

  @Override
  public Future<Found> ask(List<ServerConfig> known) {
    return nameServers
        .services(discover.host(), discover.nameServer())
        .compose(
            records -> {
              Collection<ServiceRecord> services = weighted(records).values();
              if (services.size() > MOST_SERVERS) {
                // will be refused: their addresses are not looked up
                return Future.succeededFuture(
                    new Found(services.stream().map(ServiceSource::named).toList()));
              }
              List<Future<ServerConfig>> servers =
                  services.stream().map(r -> server(r, known)).toList();
              return Future.join(servers).otherwiseEmpty().map(joined -> found(servers));
            });
  }

  /**
   * The usable records by identity, with their weights divided by their greatest common divisor.
   */
  private static Map<String, ServiceRecord> weighted(List<ServiceRecord> records) {
    List<ServiceRecord> usable = records.stream().filter(ServiceSource::isUsable).toList();
    int first = usable.stream().mapToInt(ServiceRecord::priority).min().orElse(0);
    Map<String, ServiceRecord> counted = new LinkedHashMap<>();
    usable.stream()
        .filter(r -> r.priority() == first)
        .forEach(r -> counted.putIfAbsent(identity(r), r));
    int divisor =
        counted.values().stream().mapToInt(ServiceSource::weight).reduce(0, (a, b) -> gcd(a, b));
    counted.replaceAll(
        (identity, r) ->
            new ServiceRecord(r.priority(), weight(r) / divisor, r.port(), r.target()));
    return counted;
  }

  /** Whether the target is a valid host name: DNS allows any name. */
  private static boolean isUsable(ServiceRecord service) {
    return service.port() > 0 && Address.parse(identity(service)).isPresent();
  }

  /** A weight of 0 means a small share, if there is no other: RFC 2782. */
  private static int weight(ServiceRecord service) {
    return Math.max(1, service.weight());
  }

  private static int gcd(int one, int other) {
    return other == 0 ? one : gcd(other, one % other);
  }

  private static String identity(ServiceRecord service) {
    return new Address.Tcp(service.target(), service.port()).label();
  }

  private Future<ServerConfig> server(ServiceRecord service, List<ServerConfig> known) {
    Optional<ServerConfig> before =
        known.stream().filter(s -> s.identity().equals(identity(service))).findFirst();
    return nameServers
        .addresses(service.target(), discover.nameServer(), Set.of())
        .recover(
            failure ->
                before.isPresent()
                    ? Future.succeededFuture(List.of())
                    : Future.failedFuture(failure))
        .map(
            all ->
                address(service, all, before)
                    .map(address -> server(service, address))
                    .orElse(null));
  }

  private static ServerConfig server(ServiceRecord service, Address address) {
    return new ServerConfig(
        address, service.weight(), identity(service), Optional.of(service.target()));
  }

  /** A server whose address is not known. */
  private static ServerConfig named(ServiceRecord service) {
    return server(service, new Address.Tcp(service.target(), service.port()));
  }

  /** The server's previous address, unless it is known to have others. */
  private static Optional<Address> address(
      ServiceRecord service, List<InetAddress> all, Optional<ServerConfig> before) {
    List<Address> addresses = new ArrayList<>();
    all.forEach(ip -> addresses.add(new Address.Tcp(NetUtil.toAddressString(ip), service.port())));
    return before
        .map(ServerConfig::address)
        .filter(address -> addresses.isEmpty() || addresses.contains(address))
        .or(() -> addresses.stream().findFirst());
  }

  private static Found found(List<Future<ServerConfig>> servers) {
    List<ServerConfig> found =
        servers.stream()
            .filter(Future::succeeded)
            .map(Future::result)
            .filter(Objects::nonNull)
            .toList();
    int without = servers.size() - found.size();
    return new Found(found, without == 0 ? "" : without + " more targets have no address");
  }
}
