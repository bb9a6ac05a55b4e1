package sluice.gateway.discover;

import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.util.NetUtil;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import sluice.config.model.Address;
import sluice.config.model.DiscoverConfig;
import sluice.config.model.ServerConfig;

/** Source that resolves the addresses of a name: each is a server, and that server's identity. */
final class AddressSource implements Source {
  private final NameServers nameServers;
  private final DiscoverConfig discover;

  AddressSource(NameServers nameServers, DiscoverConfig discover) {
    this.nameServers = nameServers;
    this.discover = discover;
  }

  @Override
  public Future<Found> ask(List<ServerConfig> known) {
    return nameServers
        .addresses(discover.host(), discover.nameServer(), families(known))
        .map(this::found);
  }

  private Found found(List<InetAddress> all) {
    return new Found(all.stream().distinct().limit(MOST_SERVERS + 1L).map(this::server).toList());
  }

  /**
   * Families of the known servers, which must not be dropped because their family's query failed.
   */
  private static Set<DnsRecordType> families(List<ServerConfig> known) {
    return known.stream()
        .map(ServerConfig::address)
        .filter(Address.Tcp.class::isInstance)
        .map(address -> ((Address.Tcp) address).host().indexOf(':') >= 0)
        .map(isIpv6 -> isIpv6 ? DnsRecordType.AAAA : DnsRecordType.A)
        .collect(Collectors.toSet());
  }

  private ServerConfig server(InetAddress ip) {
    Address.Tcp address = new Address.Tcp(NetUtil.toAddressString(ip), discover.port());
    return new ServerConfig(address, 1, address.label(), Optional.of(discover.host()));
  }
}
