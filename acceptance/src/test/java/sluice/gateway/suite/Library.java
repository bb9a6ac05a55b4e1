package sluice.gateway.suite;

import java.net.InetSocketAddress;
import net.spy.memcached.ConnectionFactoryBuilder.Protocol;

/** Java's client libraries, in the protocols that each of them speaks. */
enum Library {
  SPYMEMCACHED_TEXT,
  SPYMEMCACHED_BINARY,
  XMEMCACHED_TEXT,
  XMEMCACHED_BINARY,
  FOLSOM_ASCII,
  FOLSOM_BINARY;

  /** One that is connected. */
  CacheClient connect(InetSocketAddress address) throws Exception {
    return switch (this) {
      case SPYMEMCACHED_TEXT -> new SpyClient(address, Protocol.TEXT);
      case SPYMEMCACHED_BINARY -> new SpyClient(address, Protocol.BINARY);
      case XMEMCACHED_TEXT -> XmemcachedClient.text(address);
      case XMEMCACHED_BINARY -> XmemcachedClient.binary(address);
      case FOLSOM_ASCII -> FolsomClient.ascii(address);
      case FOLSOM_BINARY -> FolsomClient.binary(address);
    };
  }

  boolean isBinary() {
    return switch (this) {
      case SPYMEMCACHED_BINARY, XMEMCACHED_BINARY, FOLSOM_BINARY -> true;
      default -> false;
    };
  }
}
