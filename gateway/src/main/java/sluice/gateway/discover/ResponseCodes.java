package sluice.gateway.discover;

import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.resolver.dns.DnsQueryLifecycleObserver;
import io.netty.resolver.dns.DnsQueryLifecycleObserverFactory;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Response codes of name servers that refuse to answer. Netty reports most of them as it reports an
 * empty answer. Belongs to one event loop.
 */
final class ResponseCodes implements DnsQueryLifecycleObserverFactory {
  /** A lookup, which may take several queries: of name servers, and of search domains. */
  static final class Lookup {
    private final String name;
    private final DnsRecordType type;
    private @Nullable DnsResponseCode refusal;

    private Lookup(String name, DnsRecordType type) {
      this.name = name;
      this.type = type;
    }

    /** The last code other than those for an answer and for no such name; null if there is none. */
    @Nullable DnsResponseCode refusal() {
      return refusal;
    }

    private boolean asks(DnsQuestion question) {
      return question.type().equals(type)
          && question.name().regionMatches(true, 0, name, 0, name.length());
    }
  }

  private final List<Lookup> lookups = new ArrayList<>();

  /** Begins to note the codes for a lookup. */
  Lookup begin(String name, DnsRecordType type) {
    Lookup lookup = new Lookup(name, type);
    lookups.add(lookup);
    return lookup;
  }

  void end(Lookup lookup) {
    lookups.remove(lookup);
  }

  @Override
  public DnsQueryLifecycleObserver newDnsQueryLifecycleObserver(DnsQuestion question) {
    return new Observer(lookups.stream().filter(lookup -> lookup.asks(question)).toList());
  }

  private record Observer(List<Lookup> lookups) implements DnsQueryLifecycleObserver {
    @Override
    public DnsQueryLifecycleObserver queryNoAnswer(DnsResponseCode code) {
      if (!code.equals(DnsResponseCode.NOERROR) && !code.equals(DnsResponseCode.NXDOMAIN)) {
        lookups.forEach(lookup -> lookup.refusal = code);
      }
      return this;
    }

    @Override
    public DnsQueryLifecycleObserver queryRedirected(List<InetSocketAddress> nameServers) {
      return this;
    }

    @Override
    public DnsQueryLifecycleObserver queryCNAMEd(DnsQuestion cnameQuestion) {
      return this;
    }

    @Override
    public void queryWritten(InetSocketAddress nameServer, ChannelFuture future) {}

    @Override
    public void queryCancelled(int queriesRemaining) {}

    @Override
    public void queryFailed(Throwable cause) {}

    @Override
    public void querySucceed() {}
  }
}
