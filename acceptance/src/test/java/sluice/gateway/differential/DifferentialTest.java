package sluice.gateway.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a client can see through the gateway is what it sees of memcached itself.
 *
 * <p>{@code -Dsluice.differential.seed=N} begins with that round, {@code
 * -Dsluice.differential.operations=N} says how many operations the long run sends for each pair,
 * {@code -Dsluice.differential.pair=REGEX} runs the pairs whose names are such.
 */
class DifferentialTest {
  private static final Logger LOG = LoggerFactory.getLogger(DifferentialTest.class);
  private static final long SEED = Long.getLong("sluice.differential.seed", 20_261_121);
  private static final long LONG_RUN = Long.getLong("sluice.differential.operations", 1_000_000);
  private static final String PAIR = System.getProperty("sluice.differential.pair", ".*");

  /** The fewest and the most operations of a short run, which ends when all rules were needed. */
  private static final int SHORT_RUN = 5 * Rounds.OF_A_ROUND;

  private static final int MOST_OF_A_SHORT_RUN = 10 * Rounds.OF_A_ROUND;
  private static final String COMPRESSED =
      "compression: {algorithm: %s, above: 64B, onCorrupt: %s}";

  /** By event loops; there is one otherwise. */
  static final String SHARED = "connections: {max: 1}";

  static List<Pair> pairs() {
    return Stream.of(
            Pair.same(Dialect.TEXT),
            Pair.same(Dialect.META),
            Pair.same(Dialect.BINARY),
            new Pair(Dialect.BINARY, "meta", 1, ""),
            new Pair(Dialect.BINARY, "text", 1, ""),
            new Pair(Dialect.TEXT, "meta", 1, ""),
            new Pair(Dialect.TEXT, "binary", 1, ""),
            new Pair(Dialect.META, "text", 1, ""),
            new Pair(Dialect.META, "binary", 1, ""),
            Pair.same(Dialect.TEXT).servers(3),
            Pair.same(Dialect.META).servers(3),
            Pair.same(Dialect.BINARY).servers(3),
            new Pair(Dialect.BINARY, "meta", 3, ""),
            new Pair(Dialect.TEXT, "binary", 3, ""),
            Pair.same(Dialect.TEXT).with(COMPRESSED.formatted("zstd", "pass")),
            Pair.same(Dialect.META).with(COMPRESSED.formatted("lz4", "error")),
            Pair.same(Dialect.BINARY).with(COMPRESSED.formatted("deflate", "pass")),
            new Pair(Dialect.BINARY, "meta", 1, "").with(COMPRESSED.formatted("zstd", "error")),
            new Pair(Dialect.BINARY, "text", 1, "").with(COMPRESSED.formatted("lz4", "pass")),
            new Pair(Dialect.TEXT, "meta", 3, "").with(COMPRESSED.formatted("deflate", "error")),
            new Pair(Dialect.TEXT, "binary", 1, "").with(COMPRESSED.formatted("lz4", "error")),
            new Pair(Dialect.META, "text", 1, "").with(COMPRESSED.formatted("zstd", "pass")),
            new Pair(Dialect.META, "binary", 3, "").with(COMPRESSED.formatted("zstd", "pass")),
            Pair.same(Dialect.TEXT).servers(3).split(),
            Pair.same(Dialect.META).split(),
            Pair.same(Dialect.BINARY).split(),
            new Pair(Dialect.BINARY, "meta", 3, "").split(),
            new Pair(Dialect.TEXT, "binary", 1, "").split(),
            new Pair(Dialect.META, "text", 1, "").split(),
            Pair.same(Dialect.TEXT).with(SHARED),
            Pair.same(Dialect.META).servers(2).with(SHARED),
            Pair.same(Dialect.BINARY).with(SHARED),
            new Pair(Dialect.BINARY, "meta", 1, "").with(SHARED),
            new Pair(Dialect.TEXT, "binary", 2, "").with(SHARED),
            new Pair(Dialect.META, "text", 1, "").with(SHARED))
        .filter(pair -> pair.toString().matches(PAIR))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void shouldShowAClientWhatMemcachedShows(Pair pair) throws Exception {
    run(pair, pair.keepsValues() ? SHORT_RUN : SHORT_RUN / 2);
  }

  @ParameterizedTest
  @MethodSource("pairs")
  @Tag("long")
  @Timeout(value = 60, unit = TimeUnit.MINUTES)
  void shouldShowAClientWhatMemcachedShowsForLong(Pair pair) throws Exception {
    run(pair, LONG_RUN);
  }

  private static Set<String> names(Pair pair) {
    return Bridging.of(pair).stream().map(Rule::what).collect(Collectors.toSet());
  }

  private static void run(Pair pair, long operations) throws Exception {
    long begin = System.nanoTime();
    long sent = operations;
    try (Arena arena = Arena.of(pair)) {
      Rounds rounds = new Rounds(arena, pair.client(), Bridging.of(pair));
      Predicate<Operation> wanted = Predicate.not(Features::isRefusedFetch);
      rounds.only(pair.keepsValues() ? wanted : wanted.and(Compressed.of(pair)));
      assertThat(rounds.run(SEED, operations)).isNull();
      if (pair.keepsValues()) { // else some have no operation left
        while (sent < MOST_OF_A_SHORT_RUN && !rounds.applied().equals(names(pair))) {
          long seed = SEED + sent / Rounds.OF_A_ROUND; // behind that of the last round
          assertThat(rounds.run(seed, Rounds.OF_A_ROUND)).isNull();
          sent += Rounds.OF_A_ROUND;
        }
        assertThat(rounds.applied()).as("rules that were needed").isEqualTo(names(pair));
      }
    }
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
    LOG.info("{}: {} operations from seed {} in {} ms", pair, sent, SEED, millis);
  }
}
