package sluice.gateway.discover;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.resolver.dns.DnsErrorCauseException;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.NoopAuthoritativeDnsServerCache;
import io.netty.resolver.dns.NoopDnsCache;
import io.netty.resolver.dns.NoopDnsCnameCache;
import io.netty.resolver.dns.SingletonDnsServerAddressStreamProvider;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import sluice.config.model.DurationText;
import sluice.config.model.NodeName;

/**
 * DNS client without a cache. It uses the system's name servers, with its hosts file and its search
 * domains, or a given name server. Belongs to one event loop.
 */
final class NameServers {
  private static final int PORT = 53;

  private final Supplier<DnsNameResolverBuilder> builders;
  private final long timeoutMillis;
  private final Map<Optional<NodeName>, DnsNameResolver> resolvers = new HashMap<>();
  private final ResponseCodes codes = new ResponseCodes();

  /**
   * @param builders for resolvers of the event loop
   * @param timeoutMillis how long to wait for each name server
   */
  NameServers(Supplier<DnsNameResolverBuilder> builders, long timeoutMillis) {
    this.builders = builders;
    this.timeoutMillis = timeoutMillis;
  }

  /** Result of the query for one of the two address families. */
  private record Family(List<InetAddress> addresses, @Nullable DiscoveryException failure) {}

  /**
   * The addresses of a host, IPv4 before IPv6; none if there is no such name.
   *
   * @param wanted A, AAAA, both or none: if the query for one of them fails, the other suffices
   *     unless the failed one is wanted
   */
  Future<List<InetAddress>> addresses(
      String host, Optional<NodeName> server, Set<DnsRecordType> wanted) {
    Future<Family> four = family(host, server, DnsRecordType.A);
    Future<Family> six = family(host, server, DnsRecordType.AAAA);
    return Future.all(four, six)
        .compose(
            both -> {
              DiscoveryException first = four.result().failure();
              DiscoveryException second = six.result().failure();
              List<InetAddress> all = new ArrayList<>(four.result().addresses());
              all.addAll(six.result().addresses());
              boolean enough =
                  (first == null || (!wanted.contains(DnsRecordType.A) && !all.isEmpty()))
                      && (second == null
                          || (!wanted.contains(DnsRecordType.AAAA) && !all.isEmpty()));
              return enough
                  ? Future.succeededFuture(all)
                  : Future.failedFuture(first != null ? first : Objects.requireNonNull(second));
            });
  }

  private Future<Family> family(String host, Optional<NodeName> server, DnsRecordType type) {
    return ask(host, server, type, NameServers::address)
        .map(addresses -> new Family(addresses, null))
        .recover(
            failure ->
                failure instanceof DiscoveryException reason
                    ? Future.succeededFuture(new Family(List.of(), reason))
                    : Future.failedFuture(failure));
  }

  private static InetAddress address(ByteBuf content) {
    byte[] bytes = new byte[content.readableBytes()];
    content.getBytes(content.readerIndex(), bytes);
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** The services behind a name, in no order; none if there is no such name. */
  Future<List<ServiceRecord>> services(String name, Optional<NodeName> server) {
    return ask(name, server, DnsRecordType.SRV, ServiceRecord::read);
  }

  private <T> Future<List<T>> ask(
      String name, Optional<NodeName> server, DnsRecordType type, Function<ByteBuf, T> reader) {
    Promise<List<T>> answer = Promise.promise();
    ResponseCodes.Lookup lookup = codes.begin(name, type);
    resolver(server)
        .resolveAll(question(name, type))
        .addListener(
            (io.netty.util.concurrent.Future<List<DnsRecord>> done) -> {
              codes.end(lookup);
              DnsResponseCode refusal = lookup.refusal();
              if (done.isSuccess()) {
                read(done.getNow(), type, reader, answer);
              } else if (!isNone(done.cause())) {
                answer.fail(failure(name, type, reason(done.cause())));
              } else if (refusal != null && said(done.cause()) == null) {
                answer.fail(failure(name, type, saying(refusal)));
              } else {
                answer.complete(List.of());
              }
            });
    return answer.future();
  }

  private static DiscoveryException failure(String name, DnsRecordType type, String reason) {
    return new DiscoveryException(type.name() + " of " + name + ": " + reason);
  }

  private static String saying(DnsResponseCode code) {
    return "the name server says " + code;
  }

  /** Netty's own question would end the name with a dot, which disables search domains. */
  private static DnsQuestion question(String name, DnsRecordType type) {
    return new DefaultDnsQuestion(name, type) {
      @Override
      public String name() {
        return name;
      }
    };
  }

  private static <T> void read(
      List<DnsRecord> records,
      DnsRecordType type,
      Function<ByteBuf, T> reader,
      Promise<List<T>> answer) {
    try {
      List<T> all = new ArrayList<>();
      for (DnsRecord each : records) {
        if (each.type().equals(type) && each instanceof ByteBufHolder holder) {
          all.add(reader.apply(holder.content()));
        }
      }
      answer.complete(all);
    } catch (RuntimeException e) { // any fault in bytes from the network
      answer.fail(new DiscoveryException("an answer that is not a DNS message"));
    } finally {
      records.forEach(ReferenceCountUtil::release);
    }
  }

  private DnsNameResolver resolver(Optional<NodeName> server) {
    return resolvers.computeIfAbsent(
        server,
        key -> {
          DnsNameResolverBuilder builder =
              builders
                  .get()
                  .resolveCache(NoopDnsCache.INSTANCE)
                  .cnameCache(NoopDnsCnameCache.INSTANCE)
                  .authoritativeDnsServerCache(NoopAuthoritativeDnsServerCache.INSTANCE)
                  .dnsQueryLifecycleObserverFactory(codes)
                  .queryTimeoutMillis(timeoutMillis);
          server.ifPresent(
              named ->
                  builder
                      .nameServerProvider(
                          new SingletonDnsServerAddressStreamProvider(address(named)))
                      .searchDomains(List.of())
                      .hostsFileEntriesResolver((host, types) -> null));
          return builder.build();
        });
  }

  private static InetSocketAddress address(NodeName server) {
    return new InetSocketAddress(
        io.netty.util.NetUtil.createInetAddressFromIpAddressString(server.host()),
        server.port() == NodeName.ANY_PORT ? PORT : server.port());
  }

  /**
   * Whether Netty says that there are no such records: the name does not exist, or the answer is
   * empty or a refusal, for which Netty has no cause.
   */
  private static boolean isNone(Throwable cause) {
    DnsErrorCauseException said = said(cause);
    return said == null
        ? cause instanceof UnknownHostException && cause.getCause() == null
        : said.getCode().equals(DnsResponseCode.NXDOMAIN);
  }

  private String reason(Throwable cause) {
    DnsErrorCauseException said = said(cause);
    if (said != null) {
      return saying(said.getCode());
    }
    if (DnsNameResolver.isTimeoutError(cause)) {
      return "no name server answers within " + DurationText.of(timeoutMillis);
    }
    Throwable last = cause;
    while (last.getCause() != null) {
      last = last.getCause();
    }
    return String.valueOf(last.getMessage());
  }

  private static @Nullable DnsErrorCauseException said(Throwable cause) {
    for (Throwable each = cause; each != null; each = each.getCause()) {
      if (each instanceof DnsErrorCauseException said) {
        return said;
      }
    }
    return null;
  }

  void close() {
    resolvers.values().forEach(DnsNameResolver::close);
    resolvers.clear();
  }
}
