package sluice.config.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import sluice.config.model.Address;
import sluice.config.model.Credentials;
import sluice.config.problems.Problem;
import sluice.names.Dialect;

class LoadPlanTest {
  @TempDir Path directory;

  private LoadPlan.Result plan(String text) throws IOException {
    return PlanReader.plan(Files.writeString(directory.resolve("f"), text.translateEscapes()));
  }

  @Test
  void shouldFillInWhatAPlanLeavesOut() throws IOException {
    LoadPlan.Result result = plan("loads: {a: {rate: 7}}");
    assertThat(result.problems()).isEmpty();
    LoadPlan plan = result.plan();
    assertThat(plan.gateway()).isEmpty();
    assertThat(plan.eventLoops()).isOne();
    assertThat(plan.startTimeoutMillis()).isEqualTo(60_000);
    assertThat(plan.loads().get("a"))
        .isEqualTo(
            new LoadPlan.Load(
                "a",
                LoadPlan.Protocol.MEMCACHED,
                Dialect.TEXT,
                7,
                8,
                16,
                1000,
                100,
                90,
                LoadPlan.Framing.CRC,
                60,
                250));
    assertThat(plan.phases())
        .isEqualTo(new LoadPlan.Phases(5_000, 10_000, 20_000, 5_000, 20_000, 5_000, 2_000));
    assertThat(plan.valid()).isEqualTo(new LoadPlan.Valid(99, 20, 0.01));
  }

  @Test
  void shouldKnowAGatewayThatRuns() throws IOException {
    LoadPlan plan =
        plan("gateway: {memcached: g:1, writers: g:2, replicas: g:3}\\nmemcached: m:4\\n"
                + "nodes: {writers: n:5, replicas: n:6}\\n"
                + "loads: {a: {rate: 7}, b: {protocol: internode, rate: 8}}\\n")
            .plan();
    assertThat(plan.gateway())
        .contains(
            new LoadPlan.Target(
                Optional.of(new Address.Tcp("g", 1)),
                Optional.of(new Address.Tcp("g", 2)),
                Optional.of(new Address.Tcp("g", 3)),
                new Address.Tcp("127.0.0.1", 9901),
                Optional.empty()));
    assertThat(plan.memcached()).contains(new Address.Tcp("m", 4));
    assertThat(plan.nodes())
        .contains(new LoadPlan.Nodes(new Address.Tcp("n", 5), new Address.Tcp("n", 6)));
  }

  @Test
  void shouldKnowWhoTakesProfilesOfAGatewayElsewhere() throws IOException {
    Files.writeString(directory.resolve("secret"), "p\u00e4ss word\n");
    LoadPlan plan =
        plan("gateway: {memcached: g:1, admin: g:2, user: load, passwordFile: secret}\\n"
                + "memcached: m:4\\nstartTimeout: 5m\\nloads: {a: {rate: 7}}\\n")
            .plan();
    Credentials login = plan.gateway().orElseThrow().login().orElseThrow();
    assertThat(login).isEqualTo(new Credentials("load", "p\u00e4ss word"));
    assertThat(plan.toString()).contains("Credentials[load]").doesNotContain("ss word");
    assertThat(plan.startTimeoutMillis()).isEqualTo(300_000);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "user: load | 1:17: gateway.user: found load, expected passwordFile too: a login needs"
            + " both",
        "passwordFile: good | 1:25: gateway.passwordFile: found good, expected user too: a login"
            + " needs both",
        "user: a b, passwordFile: good | 1:17: gateway.user: found a b, expected 1 to 250 bytes"
            + " without spaces, control characters and colons",
        "user: load, passwordFile: none | 1:37: gateway.passwordFile: found none: no such file,"
            + " expected a file of one line, the password, of 1 to 250 bytes",
        "user: load, passwordFile: two | 1:37: gateway.passwordFile: found two: several lines,"
            + " expected a file of one line, the password, of 1 to 250 bytes"
      })
  void shouldSayWhatIsWrongWithALogin(String keys, String problem) throws IOException {
    Files.writeString(directory.resolve("good"), "secret");
    Files.writeString(directory.resolve("two"), "secret\nsecret\n");
    assertThat(
            plan("gateway: {%s, memcached: g:1}\\nmemcached: m:4\\nloads: {a: {rate: 7}}\\n"
                    .formatted(keys))
                .problems())
        .extracting(p -> p.toString().replace(directory.resolve("f") + ":", ""))
        .containsExactly(problem);
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      strings = {
        "'' | 1:1: document: found nothing, expected a mapping",
        "[] | 1:1: document: found a list, expected a mapping with some of gateway, memcached,"
            + " nodes, eventLoops, startTimeout, loads, phases, valid",
        "eventLoops: 1 | 1:1: loads: found nothing, expected a mapping from names to loads",
        "loads: {a: {}} | 1:12: loads.a.rate: found nothing, expected 1 to 10000000",
        "loads: {a: {rate: 1, dialect: tex}} | 1:31: loads.a.dialect: found tex, expected text |"
            + " meta | binary (did you mean text?)",
        "loads: {a: {rate: 1, payload: 9KiB}} |"
            + " 1:31: loads.a.payload: found 9KiB, expected payload at most payloadUpTo",
        "loads: {a: {rate: 1, keys: 1000000}} |"
            + " 1:12: loads.a: found keys times values of more than 64MiB, expected less",
        "loads: {a: {rate: 1, protocol: internode}, b: {rate: 1, protocol: internode}} | 1:47:"
            + " loads.b: found a second load of internode, expected at most one",
        "memcached: m:1\\nloads: {a: {rate: 1}} | 1:12: memcached: found m:1, expected gateway"
            + " too: without it, the job starts these itself",
        "gateway: {memcached: m:1}\\nloads: {a: {rate: 1}} | 2:12: loads.a: found a load of"
            + " memcached, expected gateway.memcached and memcached",
        "gateway: {writers: m:1}\\n"
            + "loads: {a: {rate: 1, protocol: internode}} | 2:12: loads.a: found a load of"
            + " internode, expected gateway.writers, gateway.replicas and nodes",
        "loads: {a: {rate: 1}}\\nphases: {profiled: 51s} | 2:20: phases.profiled: found 51s,"
            + " expected a duration from 1s to 50s, such as 5s"
      })
  void shouldSayWhatIsWrongWithAPlan(String line) throws IOException {
    int bar = line.indexOf(" | ");
    String text = line.substring(0, bar);
    assertThat(plan(text.equals("''") ? "" : text).problems())
        .extracting(p -> p.toString().replace(directory.resolve("f") + ":", ""))
        .containsExactly(line.substring(bar + 3));
  }

  @Test
  void shouldReadBudgets() throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("b"),
            "{addedP50: 200us, addedP99: 5ms, saturation: 9, errors: 0.5%, bytesPerRequest: 0B,"
                + " gc: 1%, own: 100%}\n");
    assertThat(PlanReader.budgets(file).budgets())
        .isEqualTo(
            new LoadBudgets(
                Optional.of(200L),
                Optional.of(5_000L),
                Optional.of(9L),
                Optional.of(0.005),
                Optional.of(0L),
                Optional.of(0.01),
                Optional.of(1.0)));
    Files.writeString(file, "{addedP50: 200ns, gc: 101%, owm: 1%}\n");
    assertThat(PlanReader.budgets(file).problems())
        .extracting(Problem::path)
        .containsExactly("addedP50", "gc", "owm");
    assertThat(PlanReader.budgets(directory.resolve("missing")).budgets()).isNull();
  }

  @Test
  void shouldTakeThePlansThatAreShipped() {
    Path plans = Path.of("..", "perf", "plans");
    assertThat(PlanReader.plan(plans.resolve("plan.yaml")).problems()).isEmpty();
    assertThat(PlanReader.budgets(plans.resolve("budgets.yaml")).problems()).isEmpty();
  }
}
