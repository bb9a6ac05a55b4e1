package sluice.gateway.dispatch.policy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.codecs.memcached.text.TextLine;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.config.routing.Policies;
import sluice.config.routing.Policy;
import sluice.gateway.route.Rule;

/**
 * What every two kinds of policy mean together on one rule: either {@code check} refuses the rule,
 * with the text in the table, or the backends stand around each other as the table says.
 *
 * <p>A new kind of policy needs its keys in {@link #KEYS} and a row for it beside each other kind.
 */
class PolicyPairsTest {
  /** The smallest form of each kind: what a rule says, and whether it names the rule's pool. */
  private static final Map<String, String> KEYS = new LinkedHashMap<>();

  static {
    KEYS.put("failover", "failover: [f]");
    KEYS.put("replicate", "replicate: {pools: [p, r]}");
    KEYS.put("shadow", "shadow: {pool: s}");
    KEYS.put("hedge", "hedge: {to: h}");
    KEYS.put("nearCache", "nearCache: {size: 1MiB, ttl: 1s}");
    KEYS.put("warmUp", "warmUp: {cold: p, warm: w}");
    KEYS.put("migrate", "migrate: {to: m}");
    KEYS.put("ttl", "ttl: {max: 1h}");
    KEYS.put("limit", "limit: {rate: 5}");
    KEYS.put("split", "split: 64KiB");
    KEYS.put("stripToken", "match: {token: Px}, stripToken: true");
  }

  private static final String[] POOLS = {"p", "f", "r", "s", "h", "w", "m"};

  /**
   * One row for each pair, in the order of {@link Policies#ALL}: both kinds, then {@code refused}
   * and the places and expectations that {@code check} prints, or the chain, outermost first, and
   * what it means.
   */
  private static final String TABLE =
      """
      failover + replicate | refused: failover: found a list, expected a pool in the same rule
      failover + shadow | shadow(failover(p, f), s) | The shadow gets copies of what either pool answers.
      failover + hedge | failover(hedge(p, h), f) | A read that goes to f because its server is down is not hedged.
      failover + nearCache | nearCache(failover(p, f)) | Replies of f are kept as well as those of p.
      failover + warmUp | refused: failover: found a list, expected a pool in the same rule
      failover + migrate | failover(migrate(p, m), f) | The keys of a server that is down go to f from either pool.
      failover + ttl | failover(ttl(p), ttl(f)) | Times to live are bounded in either pool.
      failover + limit | limit(failover(p, f)) | A request counts once, whichever pool takes it.
      failover + split | failover(split(p, f), split(f, f)) | The head and each chunk go to f while their own server is down.
      failover + stripToken | stripToken(failover(p, f)) | Neither pool sees the token.
      replicate + shadow | refused: shadow: found a mapping, expected a pool in the same rule
      replicate + hedge | refused: hedge: found a mapping, expected a pool in the same rule
      replicate + nearCache | refused: nearCache: found a mapping, expected a pool in the same rule
      replicate + warmUp | refused: warmUp: found a mapping, expected no warmUp with a pool or replicate
      replicate + migrate | refused: migrate: found a mapping, expected a pool in the same rule
      replicate + ttl | replicate(ttl(p), ttl(r)) | Times to live are bounded in each pool, where each is shortened at random for itself.
      replicate + limit | limit(replicate(p, r)) | A request counts once, however many pools get it.
      replicate + split | refused: split: found 64KiB, expected a pool in the same rule
      replicate + stripToken | stripToken(replicate(p, r)) | No pool sees the token.
      shadow + hedge | refused: shadow: found a mapping, expected nothing here with routes.r[0].hedge
      shadow + nearCache | nearCache(shadow(p, s)) | A read that the cache answers is not copied.
      shadow + warmUp | refused: shadow: found a mapping, expected a pool in the same rule
      shadow + migrate | shadow(migrate(p, m), s) | The shadow gets copies of what either pool answers.
      shadow + ttl | shadow(ttl(p), ttl(s)) | Times to live are bounded in the copies, too.
      shadow + limit | limit(shadow(p, s)) | A copy does not count, and a refused request is not copied.
      shadow + split | refused: shadow: found a mapping, expected nothing here with routes.r[0].split
      shadow + stripToken | stripToken(shadow(p, s)) | The token is left out of the copies, too.
      hedge + nearCache | refused: nearCache: found a mapping, expected nothing here with routes.r[0].hedge
      hedge + warmUp | refused: hedge: found a mapping, expected a pool in the same rule
      hedge + migrate | migrate(hedge(p, h), hedge(m, h)) | Reads are hedged by h in either pool.
      hedge + ttl | hedge(ttl(p), ttl(h)) | Times to live are bounded in p; h gets reads alone, which set none.
      hedge + limit | limit(hedge(p, h)) | The second request for a read does not count.
      hedge + split | refused: split: found 64KiB, expected nothing here with routes.r[0].hedge
      hedge + stripToken | stripToken(hedge(p, h)) | Neither pool sees the token.
      nearCache + warmUp | refused: nearCache: found a mapping, expected a pool in the same rule
      nearCache + migrate | nearCache(migrate(p, m)) | Replies of both pools are kept; one from before a key has moved lives on for the cache's ttl.
      nearCache + ttl | nearCache(ttl(p)) | Times to live are bounded on the servers; how long the cache keeps a reply is its own ttl.
      nearCache + limit | limit(nearCache(p)) | A read that the cache answers counts, too.
      nearCache + split | refused: nearCache: found a mapping, expected nothing here with routes.r[0].split
      nearCache + stripToken | stripToken(nearCache(p)) | The server does not see the token.
      warmUp + migrate | refused: migrate: found a mapping, expected a pool in the same rule
      warmUp + ttl | warmUp(ttl(p), ttl(w)) | Times to live are bounded in the cold pool, also of what fills it, and those of deletes in both.
      warmUp + limit | limit(warmUp(p, w)) | A request counts once, with all that fills its miss.
      warmUp + split | refused: split: found 64KiB, expected a pool in the same rule
      warmUp + stripToken | stripToken(warmUp(p, w)) | Neither pool sees the token.
      migrate + ttl | migrate(ttl(p), ttl(m)) | Times to live are bounded in either pool.
      migrate + limit | limit(migrate(p, m)) | The requests of either pool count together.
      migrate + split | migrate(split(p), split(m)) | The chunks of a value are in the pool of its key.
      migrate + stripToken | stripToken(migrate(p, m)) | Neither pool sees the token.
      ttl + limit | limit(ttl(p)) | Times to live are bounded in the requests that pass.
      ttl + split | split(ttl(p)) | Chunks live as long as their head, which is bounded.
      ttl + stripToken | stripToken(ttl(p)) | The server sees a bounded time to live and no token.
      limit + split | limit(split(p)) | A value counts once, however many chunks it has.
      limit + stripToken | limit(stripToken(p)) | The token is left out of the requests that pass.
      split + stripToken | stripToken(split(p)) | The token is left out of the request for the head; those for chunks never have it.
      """;

  /** One row of the table. */
  record Row(String one, String other, String result, String meaning) {
    static Row of(String line) {
      String[] cells = line.split(" *\\| *");
      assertThat(cells).as(line).hasSizeBetween(2, 3);
      String[] kinds = cells[0].split(" \\+ ");
      return new Row(kinds[0], kinds[1], cells[1], cells.length > 2 ? cells[2] : "");
    }

    boolean isRefused() {
      return result.startsWith("refused: ");
    }

    @Override
    public String toString() {
      return one + " + " + other;
    }
  }

  static Stream<Row> rows() {
    return TABLE.lines().map(String::strip).filter(line -> !line.isEmpty()).map(Row::of);
  }

  private static String rule(String one, String other) {
    boolean inPlaceOfPool =
        Policies.ALL.stream()
            .filter(policy -> policy.key().name().equals(one) || policy.key().name().equals(other))
            .anyMatch(Policy::isInPlaceOfPool);
    return "{" + (inPlaceOfPool ? "" : "pool: p, ") + KEYS.get(one) + ", " + KEYS.get(other) + "}";
  }

  private static String problems(String rule) {
    String pools =
        Stream.of(POOLS)
            .map(pool -> pool + ": {servers: [\"" + pool + ":1\"]}")
            .collect(Collectors.joining(", "));
    LoadResult result =
        Loader.parse(
            "f",
            "listeners: {a: {bind: 127.0.0.1:0, route: r}}\nroutes: {r: ["
                + rule
                + "]}\npools: {"
                + pools
                + "}\n");
    return result.problems().stream()
        .map(problem -> problem.toString().replaceFirst("^f:[0-9]+:[0-9]+: routes\\.r\\[0]\\.", ""))
        .collect(Collectors.joining("; "));
  }

  /** The rule's chain, in what is done with a request before its backend is asked. */
  private static String chain(String rule) {
    try (ScriptedPools pools = new ScriptedPools(rule, POOLS)) {
      String chain = ChainDescription.of(pools.chain());
      chain = stripsToken(pools.rule()) ? "stripToken(" + chain + ")" : chain;
      return pools.rule().action().limit() == null ? chain : "limit(" + chain + ")";
    }
  }

  private static boolean stripsToken(Rule rule) {
    ByteBuf line = Unpooled.copiedBuffer("mg key Px", US_ASCII);
    TextLine view = new TextLine();
    view.wrap(line, 0, line.writerIndex());
    boolean strips = rule.strippedToken(view) >= 0;
    line.release();
    return strips;
  }

  @Test
  void shouldHaveARowForEachPair() {
    List<String> kinds = Policies.ALL.stream().map(policy -> policy.key().name()).toList();
    assertThat(KEYS.keySet()).containsExactlyElementsOf(kinds);
    List<String> pairs = new ArrayList<>();
    for (int i = 0; i < kinds.size(); i++) {
      for (int j = i + 1; j < kinds.size(); j++) {
        pairs.add(kinds.get(i) + " + " + kinds.get(j));
      }
    }
    assertThat(rows().map(Row::toString)).containsExactlyElementsOf(pairs);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void shouldBeRefusedOrStandInTheOrderThatTheTableSays(Row row) {
    String rule = rule(row.one(), row.other());
    String problems = problems(rule);
    if (row.isRefused()) {
      assertThat("refused: " + problems).isEqualTo(row.result());
      return;
    }
    assertThat(problems).as(rule).isEmpty();
    assertThat(chain(rule)).isEqualTo(row.result());
    assertThat(row.meaning()).as("what %s mean together", row).endsWith(".");
  }
}
