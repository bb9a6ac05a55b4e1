package sluice.gateway.suite;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import sluice.gateway.fixtures.RealMemcached;

/**
 * No gateway at all: a listener's address is that of its pool's first server, and an embedded store
 * is a memcached of its own. A test that fails here is wrong about memcached.
 */
final class DirectMemcached implements GatewayUnderTest {
  private static final Pattern POOL =
      Pattern.compile(
          "^  (\\S+): \\{protocol: (?:(embedded)|memcached, servers:"
              + " \\[\"127\\.0\\.0\\.1:(\\d+)\").*$",
          Pattern.MULTILINE);

  private final Map<String, InetSocketAddress> addresses = new HashMap<>();
  private final List<RealMemcached> stores = new ArrayList<>();

  @Override
  public void start(String yaml) {
    Matcher pools = POOL.matcher(yaml);
    while (pools.find()) {
      addresses.put(pools.group(1), serverOf(pools));
    }
  }

  private InetSocketAddress serverOf(Matcher pool) {
    if (pool.group(2) == null) {
      return new InetSocketAddress(
          InetAddress.getLoopbackAddress(), Integer.parseInt(pool.group(3)));
    }
    RealMemcached store = RealMemcached.start();
    stores.add(store);
    return store.address();
  }

  @Override
  public InetSocketAddress address(String listener) {
    return addresses.get(listener);
  }

  @Override
  public String embeddedVersion() {
    return RealMemcached.VERSION;
  }

  @Override
  public void close() {
    stores.forEach(RealMemcached::close);
  }
}
