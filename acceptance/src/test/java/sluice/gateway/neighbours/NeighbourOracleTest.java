package sluice.gateway.neighbours;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.testkit.Patience;
import sluice.testkit.model.Lines;

/**
 * Neighbours on a server connection notice nothing of what another client sends.
 *
 * <p>Each run has another seed, which is logged and named in a failure. These properties change a
 * run:
 *
 * <ul>
 *   <li>{@code -Dsluice.neighbours.seed=N} repeats a seed.
 *   <li>{@code -Dsluice.neighbours.cases=REGEX} runs the cases whose names match.
 *   <li>{@code -Dsluice.neighbours.without=REGEX} leaves out the requests that match.
 *   <li>{@code -Dsluice.test.operations=N} is the number of requests of the long run, for each
 *       version of the servers. Each other kind of rule gets a tenth.
 * </ul>
 *
 * <p>The servers are the installed memcached, those whose paths are in {@code
 * SLUICE_TEST_MEMCACHED}, and models of others.
 */
class NeighbourOracleTest {
  private static final Logger LOG = LoggerFactory.getLogger(NeighbourOracleTest.class);
  private static final long SEED = Long.getLong("sluice.neighbours.seed", System.nanoTime());
  private static final String CASES = System.getProperty("sluice.neighbours.cases", "");
  private static final long LONG_RUN = Long.getLong("sluice.test.operations", 10_000_000);
  private static final long SHORT_RUN = 300;
  private static final long AT_ONCE = 100_000; // then all begins anew, with a seed of its own
  private static final long PATIENCE_MILLIS = Patience.LIMIT.toMillis();

  private static final ServerKind OLD = ServerKind.model(Lines.V1_6_18);
  private static final ServerKind NEW = ServerKind.model(Lines.V1_6_45);

  /** A kind of rule before servers of these versions. */
  record Case(Kind kind, List<ServerKind> servers) {
    @Override
    public String toString() {
      return kind + " before " + servers;
    }
  }

  static List<Case> cases() {
    List<Case> all = new ArrayList<>();
    List<ServerKind> versions = new ArrayList<>(ServerKind.all());
    versions.addAll(ServerKind.models());
    for (Kind kind : Kind.all()) {
      for (ServerKind version : versions) {
        if (kind.isFor(version)) {
          all.add(new Case(kind, List.of(version)));
        }
      }
      if (kind.servers() > 1 || kind.second()) {
        all.add(new Case(kind, List.of(OLD, NEW)));
      }
    }
    return all.stream().filter(one -> one.toString().matches(".*(" + CASES + ").*")).toList();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void shouldDisturbNobody(Case one) throws Exception {
    assertUndisturbed(one, SHORT_RUN, SEED);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  @Tag("long")
  @Timeout(value = 6, unit = TimeUnit.HOURS)
  void shouldDisturbNobodyForLong(Case one) throws Exception {
    long requests = one.kind().equals(Kind.PLAIN) ? LONG_RUN : LONG_RUN / 10;
    for (long sent = 0; sent < requests; sent += AT_ONCE) {
      assertUndisturbed(one, Math.min(AT_ONCE, requests - sent), SEED + sent / AT_ONCE);
    }
  }

  private static void assertUndisturbed(Case one, long requests, long seed) throws Exception {
    LOG.info("{}: {} requests from seed {}", one, requests, seed);
    Oracle oracle = new Oracle(one.kind(), one.servers(), seed, PATIENCE_MILLIS);
    assertThat(oracle.run(requests)).as("%s, seed %d", one, seed).isNull();
  }
}
