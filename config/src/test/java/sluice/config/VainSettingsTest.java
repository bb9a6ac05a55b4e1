package sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.config.problems.Problem;

/** Settings that are valid and can have no effect: a warning names them. */
class VainSettingsTest {
  private static List<Problem> warnings(String rule, String pool) {
    LoadResult result =
        Samples.load(
            """
            listeners: {l: {bind: "127.0.0.1:1", route: r}}
            routes: {r: [{pool: p%s}]}
            pools:
              p: {%s}
              q: {servers: ["127.0.0.1:9"], timeout: 10s}
            """
                .formatted(rule, pool));
    assertThat(result.problems()).isEmpty();
    return result.warnings();
  }

  private static void check(List<Problem> warnings, String path, String warned) {
    if (warned == null) {
      assertThat(warnings).isEmpty();
    } else {
      assertThat(warnings).singleElement().asString().contains(path + ": ", warned);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1 | health: {} | expected 100% or more: less ejects none of 1 server",
        "1 | health: {maxEjected: 99%} | found 99%, expected 100% or more",
        "1 | health: {maxEjected: 100%} |",
        "2 | health: {} |",
        "3 | 'health: {maxEjected: 33%}' | expected 34% or more: less ejects none of 3 servers",
        "3 | 'health: {maxEjected: 34%}' |",
        "10 | 'health: {maxEjected: 9%}' | expected 10% or more",
        "1 | timeout: 1s |",
      })
  void shouldWarnOfHealthThatEjectsNoServer(int servers, String keys, String warned) {
    StringBuilder list = new StringBuilder();
    for (int i = 0; i < servers; i++) {
      list.append(i == 0 ? "" : ", ").append("\"127.0.0.1:").append(100 + i).append('"');
    }
    check(warnings("", "servers: [" + list + "], " + keys), "pools.p.health.maxEjected", warned);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1s | timeout: 500ms | found 1s, expected less than 1000ms",
        "999ms | timeout: 500ms |",
        "1s | 'timeout: 500ms, queueTimeout: 100ms' | expected less than 1000ms",
        "999ms | 'timeout: 500ms, queueTimeout: 100ms' |",
        "2s | 'timeout: 500ms, connections: {max: 1}' | expected less than 2000ms",
        "1999ms | 'timeout: 500ms, connections: {max: 1}' |",
        "10s | 'timeout: 500ms, retries: {}' |",
        "p95 | timeout: 1ms |",
      })
  void shouldWarnOfAHedgeThatComesTooLate(String after, String pool, String warned) {
    check(
        warnings(", hedge: {to: q, after: " + after + "}", "servers: [\"127.0.0.1:2\"], " + pool),
        "routes.r[0].hedge.after",
        warned);
  }
}
