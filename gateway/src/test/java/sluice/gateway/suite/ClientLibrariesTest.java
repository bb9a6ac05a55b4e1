package sluice.gateway.suite;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The client libraries that applications use: their ordinary operations, many with each. */
class ClientLibrariesTest {

  static Stream<Arguments> librariesAndBackends() {
    return Stream.of(Backend.values())
        .flatMap(backend -> Stream.of(Library.values()).map(lib -> Arguments.of(lib, backend)));
  }

  /** Fewer where the time goes into compressing. */
  private static int operations(Backend backend) {
    return backend == Backend.COMPRESSED
        ? OrdinaryOperations.OPERATIONS / 5
        : OrdinaryOperations.OPERATIONS;
  }

  @ParameterizedTest(name = "{0} on {1}")
  @MethodSource("librariesAndBackends")
  void shouldServeItsOrdinaryOperations(Library library, Backend backend) throws Exception {
    backend.serve(
        address -> {
          try (CacheClient client = library.connect(address)) {
            new OrdinaryOperations(client, operations(backend)).run();
          }
        });
  }

  @ParameterizedTest(name = "pymemcache on {0}")
  @EnumSource
  void shouldServePymemcachesOrdinaryOperations(Backend backend) throws Exception {
    List<String> python = PythonWith.module("pymemcache");
    backend.serve(
        address ->
            PythonWith.run(
                python,
                "ordinary_operations.py",
                Duration.ofMinutes(2),
                address.getAddress().getHostAddress(),
                String.valueOf(address.getPort()),
                String.valueOf(operations(backend))));
  }
}
