package sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.config.model.Configuration;
import sluice.config.problems.Problem;

/** Files that are made of several. */
class IncludesTest {
  private static final String MAIN =
      """
      include: [pools.yaml, more/routes.yaml]
      admin: {bind: 127.0.0.1:0}
      listeners: {cache: {bind: 127.0.0.1:0, route: cache}}
      pools: {near: {protocol: embedded}}
      """;
  private static final String ROUTES =
      "routes:\n  cache: [{match: {prefix: n}, pool: near}, {pool: far}]\n";
  private static final String POOLS = "pools:\n  far: {servers: [10.0.0.1:11211]}\n";

  @TempDir private Path directory;

  private LoadResult load(String main, String pools, String routes) throws IOException {
    Files.writeString(directory.resolve("pools.yaml"), pools);
    Files.createDirectories(directory.resolve("more"));
    Files.writeString(directory.resolve("more/routes.yaml"), routes);
    return Loader.load(Files.writeString(directory.resolve("sluice.yaml"), main));
  }

  private List<String> problems(String main, String pools, String routes) throws IOException {
    return load(main, pools, routes).problems().stream()
        .map(Problem::toString)
        .map(problem -> problem.replace(directory + "/", ""))
        .toList();
  }

  @Test
  void shouldBeOneConfiguration() throws IOException {
    LoadResult result = load(MAIN, POOLS, ROUTES);
    assertThat(result.problems()).isEmpty();
    Configuration configuration = result.configuration();
    assertThat(configuration.pools()).containsOnlyKeys("near", "far");
    assertThat(configuration.routes().get("cache").rules()).hasSize(2);
    assertThat(ConfigurationPrinter.toYaml(configuration)).doesNotContain("include");
  }

  @Test
  void shouldNameEveryFileSoThatAChangeOfEachIsFollowed() throws IOException {
    assertThat(load(MAIN, POOLS, ROUTES).files())
        .extracting(file -> file.getFileName().toString())
        .containsExactlyInAnyOrder("sluice.yaml", "pools.yaml", "routes.yaml");
  }

  /** A gateway reads each of them once a second. */
  @Test
  void shouldNameAFileOnceThatSeveralSettingsName() throws IOException {
    Files.writeString(directory.resolve("time"), "2s\n");
    String other = "other: {servers: ['h:1'], timeout: '${file:time}'}";
    LoadResult result =
        load(
            MAIN.replace("embedded}", "embedded}, " + other),
            POOLS.replace("]}", "], timeout: '${file:time}'}"),
            ROUTES);
    assertThat(result.problems()).isEmpty();
    assertThat(result.files())
        .extracting(file -> file.getFileName().toString())
        .containsExactlyInAnyOrder("sluice.yaml", "pools.yaml", "routes.yaml", "time");
  }

  @Test
  void shouldSayInWhichFileAProblemIs() throws IOException {
    assertThat(
            problems(
                MAIN.replace("embedded", "redis"),
                POOLS.replace("]", "], timeout: 9"),
                ROUTES.replace("pool: far", "pool: fra")))
        .satisfiesExactly(
            main ->
                assertThat(main)
                    .startsWith("sluice.yaml:4:26: pools.near.protocol: found redis, expected"),
            pools -> assertThat(pools).startsWith("pools.yaml:2:45: pools.far.timeout: found 9,"),
            routes ->
                assertThat(routes)
                    .startsWith("more/routes.yaml:2:52: routes.cache[1].pool: found fra, expected")
                    .contains("far"));
  }

  @Test
  void shouldShowTheLineOfTheFileThatIsWrong() throws IOException {
    LoadResult result = load(MAIN, POOLS.replace("11211", "x"), ROUTES);
    assertThat(CheckReport.of(result, directory.resolve("sluice.yaml")).problems())
        .contains("  2 |   far: {servers: [10.0.0.1:x]}");
  }

  @Test
  void shouldSayInWhichFileASyntaxErrorIs() throws IOException {
    assertThat(problems(MAIN, "pools: {far: [}\n", ROUTES))
        .anySatisfy(problem -> assertThat(problem).startsWith("pools.yaml:1:15: document: found"));
  }

  @Test
  void shouldRefuseANameInTwoFiles() throws IOException {
    assertThat(problems(MAIN, POOLS + "  near: {protocol: embedded}\n", ROUTES))
        .containsExactly(
            "pools.yaml:3:3: pools.near: found the key near again, as in sluice.yaml:4,"
                + " expected every name once");
  }

  @Test
  void shouldRefuseASectionInTwoFiles() throws IOException {
    assertThat(problems(MAIN, POOLS + "admin: {}\n", ROUTES))
        .containsExactly(
            "pools.yaml:3:1: admin: found the key admin again, as in sluice.yaml:2,"
                + " expected every section in one file");
  }

  @Test
  void shouldRefuseAnIncludeInAnIncludedFile() throws IOException {
    assertThat(problems(MAIN, POOLS + "include: [more/routes.yaml]\n", ROUTES))
        .containsExactly(
            "pools.yaml:3:1: include: found an include in an included file,"
                + " expected it in the main file alone");
  }

  @Test
  void shouldPointAtTheNameOfAFileThatCannotBeRead() throws IOException {
    assertThat(problems(MAIN.replace("pools.yaml", "pool.yaml"), POOLS, ROUTES))
        .contains(
            "sluice.yaml:1:11: include[0]: found pool.yaml: no such file,"
                + " expected a file that can be read");
    assertThat(problems(MAIN.replace("pools.yaml", "more"), POOLS, ROUTES))
        .contains(
            "sluice.yaml:1:11: include[0]: found more: a directory,"
                + " expected a file that can be read");
  }

  @Test
  void shouldRefuseAFileThatIsNoMapping() throws IOException {
    assertThat(problems(MAIN, "- a\n", ROUTES))
        .contains("pools.yaml:1:1: document: found a list, expected a mapping");
    assertThat(problems(MAIN.replace("[pools.yaml, more/routes.yaml]", "pools.yaml"), "", ""))
        .contains(
            "sluice.yaml:1:10: include: found pools.yaml, expected a list of files (did you mean"
                + " [pools.yaml]?)");
  }
}
