package sluice.gateway.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.gateway.fixtures.RealMemcached;

/**
 * The client libraries that applications use, on servers that are spoken to in another dialect and
 * understand no other protocol: side by side, each with a gateway and a server of its own, because
 * most of the time goes by waiting for a flush.
 */
@Timeout(900)
class BridgedLibrariesTest {
  private static final int OPERATIONS = 2_000;
  private static final long MINUTES = 10;

  /** What the servers are spoken to in, and for which libraries that is a bridge. */
  enum Servers {
    META("ascii"),
    TEXT("ascii"),
    BINARY("binary");

    private final String protocol;

    Servers(String protocol) {
      this.protocol = protocol;
    }

    boolean isBridgeFor(boolean binary) {
      return switch (this) {
        case META -> true;
        case TEXT -> binary;
        case BINARY -> !binary;
      };
    }

    void serve(Backend.Use use) throws Exception {
      try (RealMemcached server = RealMemcached.start("-B", protocol);
          InProcessGateway gateway = new InProcessGateway()) {
        String dialect = name().toLowerCase(Locale.ROOT);
        gateway.start(new Topology().servers("cache", dialect, server).yaml());
        use.with(gateway.address("cache"));
      }
    }
  }

  private static void run(Library library, Servers servers, InetSocketAddress address)
      throws Exception {
    try (CacheClient client = library.connect(address)) {
      OrdinaryOperations operations = new OrdinaryOperations(client, OPERATIONS);
      if (servers == Servers.TEXT) {
        operations.withoutCreatingCounters(); // docs/reference/bridging.md, "Requests without an
        // equivalent"
      }
      operations.run();
    }
  }

  private static void pymemcache(InetSocketAddress address) throws Exception {
    PythonWith.run(
        PythonWith.module("pymemcache"),
        "ordinary_operations.py",
        Duration.ofMinutes(MINUTES),
        address.getAddress().getHostAddress(),
        String.valueOf(address.getPort()),
        String.valueOf(OPERATIONS));
  }

  @ParameterizedTest
  @EnumSource
  void shouldServeTheOrdinaryOperationsOfLibraries(Servers servers) throws Exception {
    List<Library> libraries =
        Stream.of(Library.values()).filter(each -> servers.isBridgeFor(each.isBinary())).toList();
    ExecutorService threads = Executors.newCachedThreadPool();
    List<Future<?>> running = new ArrayList<>();
    try {
      for (Library library : libraries) {
        running.add(
            threads.submit(
                () -> {
                  servers.serve(address -> run(library, servers, address));
                  return library;
                }));
      }
      if (servers.isBridgeFor(false)) {
        running.add(
            threads.submit(
                () -> {
                  servers.serve(BridgedLibrariesTest::pymemcache);
                  return "pymemcache";
                }));
      }
      List<Object> served = new ArrayList<>();
      for (Future<?> each : running) {
        served.add(each.get(MINUTES, TimeUnit.MINUTES));
      }
      assertThat(served).containsAll(libraries);
    } finally {
      threads.shutdownNow();
    }
  }
}
