package sluice.gateway.suite;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import sluice.gateway.fixtures.SideBySide;

/** The client libraries that applications use: their ordinary operations, many with each. */
class ClientLibrariesTest {

  /** How many at a time: much of the time goes by waiting for a flush or for the next batch. */
  private static final int AT_ONCE = 3;

  private static final Duration LIMIT = Duration.ofMinutes(20);

  /** Fewer where the time goes into compressing. */
  private static int operations(Backend backend) {
    return backend == Backend.COMPRESSED
        ? OrdinaryOperations.OPERATIONS / 5
        : OrdinaryOperations.OPERATIONS;
  }

  @TestFactory
  List<DynamicTest> shouldServeItsOrdinaryOperations() {
    SideBySide all = new SideBySide();
    for (Backend backend : Backend.values()) {
      for (Library library : Library.values()) {
        all.add(library + " on " + backend, () -> serve(library, backend));
      }
      all.add("pymemcache on " + backend, () -> servePymemcache(backend));
    }
    return all.tests(AT_ONCE, LIMIT);
  }

  private static void serve(Library library, Backend backend) throws Exception {
    backend.serve(
        address -> {
          try (CacheClient client = library.connect(address)) {
            new OrdinaryOperations(client, operations(backend)).run();
          }
        });
  }

  private static void servePymemcache(Backend backend) throws Exception {
    List<String> python = PythonWith.module("pymemcache");
    backend.serve(
        address ->
            PythonWith.run(
                python,
                "ordinary_operations.py",
                Duration.ofMinutes(10),
                address.getAddress().getHostAddress(),
                String.valueOf(address.getPort()),
                String.valueOf(operations(backend))));
  }
}
