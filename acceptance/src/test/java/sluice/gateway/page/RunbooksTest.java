package sluice.gateway.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Each alert has a runbook and a threshold that the dashboard shows. */
class RunbooksTest {
  private static final Path DOCS = Path.of("..", "docs");
  private static final Path MONITORING = DOCS.resolve("monitoring");
  private static final String RUNBOOKS = "how-to/runbooks.md";
  private static final Pattern METRIC = Pattern.compile("sluice_[a-z_]+");
  private static final Pattern ABOVE = Pattern.compile("> ([0-9.]+)\\s*$");

  private record Alert(String name, String expression, String runbook) {}

  private static List<Alert> alerts() throws IOException {
    Map<?, ?> file =
        (Map<?, ?>)
            new Load(LoadSettings.builder().build())
                .loadFromString(Files.readString(MONITORING.resolve("alerts.yaml")));
    List<Alert> alerts = new ArrayList<>();
    for (Object group : (List<?>) file.get("groups")) {
      for (Object each : (List<?>) ((Map<?, ?>) group).get("rules")) {
        Map<?, ?> rule = (Map<?, ?>) each;
        alerts.add(
            new Alert(
                (String) rule.get("alert"),
                (String) rule.get("expr"),
                (String) ((Map<?, ?>) rule.get("annotations")).get("runbook_url")));
      }
    }
    assertThat(alerts).hasSize(10);
    return alerts;
  }

  /** The sections of the runbooks, by title. */
  private static Map<String, String> sections() throws IOException {
    Map<String, String> sections = new LinkedHashMap<>();
    for (String section :
        Files.readString(DOCS.resolve(RUNBOOKS)).substring(1).split("(?m)^## ", -1)) {
      int end = section.indexOf('\n');
      sections.put(section.substring(0, end), section.substring(end));
    }
    sections.remove(" Runbooks");
    return sections;
  }

  private static List<JsonObject> panels() throws IOException {
    JsonArray panels =
        new JsonObject(Files.readString(MONITORING.resolve("grafana-dashboard.json")))
            .getJsonArray("panels");
    return panels.stream()
        .map(JsonObject.class::cast)
        .filter(panel -> !panel.getString("type").equals("row"))
        .toList();
  }

  @Test
  void shouldHaveASectionForEachAlertAndNoOther() throws IOException {
    assertThat(sections()).containsOnlyKeys(alerts().stream().map(Alert::name).toList());
    assertThat(sections())
        .allSatisfy(
            (alert, text) ->
                assertThat(text)
                    .contains(
                        "**Meaning.**",
                        "**First commands.**",
                        "```",
                        "**Likely causes.**",
                        "**Remedy.**"));
  }

  @Test
  void shouldBeNamedByTheAlerts() throws IOException {
    assertThat(alerts())
        .allSatisfy(
            alert ->
                assertThat(alert.runbook())
                    .isEqualTo("docs/" + RUNBOOKS + "#" + alert.name().toLowerCase(Locale.ROOT)));
  }

  @Test
  void shouldDescribeEachPanel() throws IOException {
    assertThat(panels())
        .hasSizeGreaterThan(30)
        .allSatisfy(
            panel ->
                assertThat(panel.getString("description"))
                    .as(panel.getString("title"))
                    .isNotNull()
                    .endsWith("."));
  }

  @Test
  void shouldShowTheThresholdOfEachAlertThatWatchesALevel() throws IOException {
    int levels = 0;
    for (Alert alert : alerts()) {
      Matcher above = ABOVE.matcher(alert.expression());
      if (above.find() && !alert.expression().contains("increase(")) {
        levels++;
        double threshold = Double.parseDouble(above.group(1));
        Matcher metric = METRIC.matcher(alert.expression());
        assertThat(metric.find()).isTrue();
        assertThat(panels())
            .as("a panel with %s and the threshold %s", metric.group(), threshold)
            .anySatisfy(
                panel -> {
                  assertThat(panel.getJsonArray("targets").encode()).contains(metric.group());
                  assertThat(steps(panel)).contains(threshold);
                });
      }
    }
    assertThat(levels).isEqualTo(4);
  }

  private static List<Double> steps(JsonObject panel) {
    return panel
        .getJsonObject("fieldConfig")
        .getJsonObject("defaults")
        .getJsonObject("thresholds", new JsonObject())
        .getJsonArray("steps", new JsonArray())
        .stream()
        .map(step -> ((JsonObject) step).getDouble("value"))
        .toList();
  }
}
