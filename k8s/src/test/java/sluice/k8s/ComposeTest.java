package sluice.k8s;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.config.model.Address;
import sluice.config.model.Configuration;
import sluice.config.model.ListenerConfig;

/** The file compose.yaml of the project, and the files that it mounts. */
class ComposeTest {
  private static final Path PROJECT = Manifests.ROOT.getParent();

  @TempDir Path directory;

  private final Map<String, Object> services = services();

  private static Map<String, Object> services() {
    try {
      String text = Files.readString(PROJECT.resolve("compose.yaml"));
      return Manifests.map(Manifests.parse(text).get(0), "services");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private List<?> list(String service, String key) {
    return Manifests.get(services, service, key) instanceof List<?> list ? list : List.of();
  }

  /** What a service sees at the paths of its mounts: files of the project. */
  private Map<String, Path> mounts(String service) {
    Map<String, Path> mounts = new TreeMap<>();
    for (Object volume : list(service, "volumes")) {
      String[] parts = volume.toString().split(":");
      assertThat(parts).as("%s", volume).hasSize(3);
      assertThat(parts[2]).as("%s", volume).isEqualTo("ro");
      mounts.put(parts[1], PROJECT.resolve(parts[0]));
    }
    return mounts;
  }

  private Configuration gateway() throws IOException {
    Path file = mounts("gateway").get("/etc/sluice").resolve("sluice.yaml");
    LoadResult result = Loader.load(file, Map.<String, String>of()::get);
    assertThat(result.problems()).isEmpty();
    assertThat(result.warnings()).isEmpty();
    return result.configuration();
  }

  @Test
  void shouldHaveTheServicesThatTheGuideNames() throws IOException {
    assertThat(services)
        .containsOnlyKeys(
            "gateway", "memcached-1", "memcached-2", "memcached-3", "prometheus", "grafana");
    String guide = Files.readString(PROJECT.resolve("docs/how-to/compose.md"));
    for (String service : services.keySet()) {
      for (Object port : list(service, "ports")) {
        assertThat(port.toString()).startsWith("127.0.0.1:");
        assertThat(guide).contains(port.toString().split(":")[1]);
      }
    }
  }

  @Test
  void shouldMountFilesThatAreThere() {
    for (String service : services.keySet()) {
      assertThat(mounts(service).values()).allMatch(Files::exists);
      assertThat(services.keySet()).containsAll(names(list(service, "depends_on")));
    }
  }

  private static List<String> names(List<?> list) {
    return list.stream().map(Object::toString).toList();
  }

  @Test
  void shouldNameImagesWithAVersion() throws IOException {
    Matcher version =
        Pattern.compile("<version>(.*)</version>")
            .matcher(Files.readString(PROJECT.resolve("pom.xml")));
    assertThat(version.find()).isTrue();
    assertThat(Manifests.text(services, "gateway", "image"))
        .isEqualTo("${SLUICE_IMAGE:-sluice:" + version.group(1) + "}");
    assertThat(services.keySet())
        .filteredOn(service -> !service.equals("gateway"))
        .allMatch(service -> Manifests.text(services, service, "image").matches(".+/.+:v?[0-9.]+"));
  }

  @Test
  void shouldGiveTheGatewayAConfigurationOfItsServices() throws IOException {
    assertThat(Manifests.get(services, "gateway", "command"))
        .isEqualTo(List.of("run", "-c", "/etc/sluice/sluice.yaml"));
    Configuration configuration = gateway();
    List<String> servers =
        configuration.pools().get("cache").servers().stream()
            .map(server -> server.address().label())
            .toList();
    assertThat(servers)
        .containsExactly("memcached-1:11211", "memcached-2:11211", "memcached-3:11211");
    List<String> bound =
        Stream.concat(
                Stream.of(configuration.admin().bind()),
                configuration.listeners().values().stream().map(ListenerConfig::bind))
            .map(address -> ((Address.Tcp) address).host() + ":" + ((Address.Tcp) address).port())
            .toList();
    assertThat(names(list("gateway", "ports")))
        .allMatch(port -> bound.contains("0.0.0.0:" + port.split(":")[2]));
    String grace = Manifests.text(services, "gateway", "stop_grace_period").replace("s", "");
    assertThat(Integer.parseInt(grace) * 1000L)
        .isGreaterThan(configuration.process().drainMillis());
  }

  /** Prometheus scrapes the gateway's admin port, and Grafana reads from Prometheus. */
  @Test
  void shouldReadMetricsWhereTheyAre() throws IOException {
    Map<String, Path> mounts = mounts("prometheus");
    Map<String, Object> prometheus =
        Manifests.parse(Files.readString(mounts.get("/etc/prometheus/prometheus.yml"))).get(0);
    Map<String, Object> scraped = Manifests.list(prometheus, "scrape_configs").get(0);
    assertThat(Manifests.list(scraped, "static_configs"))
        .containsExactly(Map.of("targets", List.of("gateway:9901")));
    for (Object file : (List<?>) prometheus.get("rule_files")) {
      assertThat(mounts).containsKey("/etc/prometheus/" + file);
    }

    mounts = mounts("grafana");
    Map<String, Object> sources =
        Manifests.parse(
                Files.readString(mounts.get("/etc/grafana/provisioning/datasources/sluice.yaml")))
            .get(0);
    assertThat(Manifests.list(sources, "datasources"))
        .singleElement()
        .satisfies(
            source -> {
              assertThat(source).containsEntry("url", "http://prometheus:9090");
              assertThat(source)
                  .containsEntry("type", "prometheus")
                  .containsEntry("isDefault", true);
            });
    Map<String, Object> dashboards =
        Manifests.parse(
                Files.readString(mounts.get("/etc/grafana/provisioning/dashboards/sluice.yaml")))
            .get(0);
    String path = Manifests.text(Manifests.list(dashboards, "providers").get(0), "options", "path");
    assertThat(mounts.keySet()).anyMatch(file -> file.matches(path + "/.+\\.json"));
    assertThat(mounts)
        .containsKey(
            Manifests.text(
                services, "grafana", "environment", "GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"));
  }

  @Test
  void shouldSatisfyPromtool() throws Exception {
    mounts("prometheus")
        .forEach(
            (path, file) -> {
              try {
                Files.copy(file, directory.resolve(Path.of(path).getFileName()));
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            });
    Process process;
    try {
      process =
          new ProcessBuilder(
                  "promtool", "check", "config", directory.resolve("prometheus.yml").toString())
              .redirectErrorStream(true)
              .start();
    } catch (IOException e) {
      abort("NOT TESTED: here is no promtool");
      return;
    }
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    assertThat(said).contains("SUCCESS: 1 rule files found", "rules found");
  }
}
