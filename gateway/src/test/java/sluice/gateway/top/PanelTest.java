package sluice.gateway.top;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.jline.utils.AttributedString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import sluice.gateway.top.AdminPort.Answers;

class PanelTest {
  private static final long SECOND = 1_000_000_000L;
  private static final String REFUSED =
      "/etc/sluice/sluice.yaml:12:14: pools.cache.timeout: found 500, expected a duration from 1ms"
          + " to 1h, such as 250ms, 5s or 2m (did you mean 500ms or 500s?)";

  private final Controls controls = new Controls();
  private final History rates = new History();

  private static String server(int i) {
    return "cache-" + i + ".memcached.production.svc.cluster.local:11211";
  }

  /** Server i of 30 has answered i requests a second, and server 7 is down. */
  private static Scrape metrics(int seconds) {
    StringBuilder text = new StringBuilder();
    text.append("sluice_requests_total{listener=\"web\",outcome=\"hit\"} " + 1000 * seconds + "\n");
    text.append("sluice_requests_total{listener=\"web\",outcome=\"error\"} " + 10 * seconds + "\n");
    for (int i = 0; i < 6; i++) {
      text.append("sluice_connections{listener=\"listener-" + i + "\"} " + i + "\n");
    }
    for (int i = 0; i < 30; i++) {
      String labels = "{pool=\"cache\",server=\"" + server(i) + "\"";
      text.append("sluice_server_time_seconds_count" + labels + "} " + i * seconds + "\n");
      text.append(
          "sluice_server_time_quantile_seconds" + labels + ",quantile=\"0.99\"} 0.0" + i + "\n");
    }
    return new Scrape(text.toString(), seconds * SECOND);
  }

  private static Answers answers(String... problems) {
    JsonArray servers = new JsonArray();
    for (int i = 0; i < 30; i++) {
      servers.add(
          new JsonObject()
              .put("server", server(i))
              .put("state", i == 7 ? "down" : "up")
              .put("inFlight", i % 10)
              .put("ejections", i % 7)
              .put("why", i == 7 ? "unreachable:\n\u001b[2Jconnection refused" : ""));
    }
    JsonObject key = new JsonObject().put("key", "user:1").put("share", 0.5).put("error", 0.01);
    JsonObject group =
        new JsonObject()
            .put("listener", "web")
            .put("pool", "cache")
            .put("keys", new JsonArray().add(key));
    return new Answers(
        metrics(2),
        new JsonObject()
            .put("ready", true)
            .put("phase", "running")
            .put("configurationProblems", new JsonArray(List.of(problems))),
        new JsonArray().add(new JsonObject().put("name", "cache").put("servers", servers)),
        new JsonObject().put("groups", new JsonArray().add(group)));
  }

  private List<String> screen(int width, int height, Answers now) {
    return screen(width, height, now, "");
  }

  private List<String> screen(int width, int height, Answers now, String problem) {
    Cells cells = new Cells(true);
    List<AttributedString> lines =
        Panel.lines(
            width, height, cells, controls, "127.0.0.1:9901", metrics(1), now, rates, problem);
    assertThat(lines)
        .hasSizeLessThanOrEqualTo(height)
        .allSatisfy(line -> assertThat(line.columnLength()).isLessThanOrEqualTo(width));
    return lines.stream().map(AttributedString::toString).toList();
  }

  private List<String> servers(List<String> screen) {
    return screen.stream()
        .filter(line -> line.contains("cache-"))
        .map(line -> line.replaceAll(".*?cache-([0-9]+).*", "$1"))
        .toList();
  }

  @ParameterizedTest
  @CsvSource({"80, 24", "120, 45", "200, 100", "40, 12", "20, 4", "1, 1", "300, 24"})
  void shouldFitEverySizeOfATerminal(int width, int height) {
    for (int i = 0; i < 300; i++) {
      rates.add(i);
    }
    screen(width, height, answers());
    screen(width, height, answers(REFUSED, REFUSED), "the admin port does not answer: timeout");
    "/cache".chars().forEach(controls::key);
    screen(width, height, answers(REFUSED));
  }

  @Test
  void shouldShowOnTwentyFourLinesWhatMatters() {
    List<String> screen = screen(80, 24, answers(REFUSED, "another"));
    assertThat(screen).hasSize(24);
    assertThat(screen.get(0)).contains("running", "servers 30, 1 not in use");
    assertThat(screen.get(1)).startsWith("requests 1010/s  errors 0.99%");
    assertThat(screen)
        .contains("reload refused; the previous configuration stays in use, 2 problems")
        .anySatisfy(line -> assertThat(line).startsWith("/etc/sluice/sluice.yaml:12:14:"))
        .filteredOn(line -> !line.isEmpty() && REFUSED.startsWith(line))
        .as("no word is broken")
        .allSatisfy(line -> assertThat(REFUSED.charAt(line.length())).isEqualTo(' '));
    assertThat(screen).anySatisfy(line -> assertThat(line).endsWith(" more"));
    assertThat(screen.get(23)).startsWith("q quit  / filter  sort c configured").hasSize(78);
    assertThat(servers(screen)).startsWith("0", "1", "2");
  }

  @Test
  void shouldShowWhyAServerIsNotInUseWithoutItsControlCharacters() {
    assertThat(screen(200, 45, answers()))
        .anySatisfy(line -> assertThat(line).contains(" down ", "unreachable:[2Jconnection"));
    "/cache-7".chars().forEach(controls::key);
    assertThat(screen(80, 24, answers()))
        .anySatisfy(line -> assertThat(line).contains(" down ", "unrea"));
  }

  @ParameterizedTest
  @CsvSource({"c, 0", "r, 29", "t, 9", "i, 9", "e, 6", "n, 0"})
  void shouldSortByTheKeyPressed(char key, String first) {
    assertThat(controls.key(key)).isTrue();
    assertThat(servers(screen(160, 45, answers()))).startsWith(first);
  }

  @Test
  void shouldFilterServersAndKeysUntilEscape() {
    "/CACHE-12".chars().forEach(controls::key);
    assertThat(controls.isTyping()).isTrue();
    assertThat(screen(80, 24, answers()).get(23)).startsWith("filter: CACHE-12_");
    controls.key('\r');
    List<String> filtered = screen(80, 24, answers());
    assertThat(servers(filtered)).containsExactly("12");
    assertThat(filtered).noneMatch(line -> line.contains("user:1"));
    assertThat(controls.key('q')).isFalse();
    controls.key(27);
    assertThat(servers(screen(80, 24, answers()))).hasSizeGreaterThan(5);
  }

  @Test
  void shouldTakeQAsALetterOfAFilter() {
    controls.key('/');
    assertThat(controls.key('q')).isTrue();
    assertThat(controls.filter()).isEqualTo("q");
    controls.key(127);
    assertThat(controls.filter()).isEmpty();
    assertThat(controls.key(3)).isFalse();
  }

  @Test
  void shouldScrollToTheLastServerAndNoFurther() {
    controls.key(Controls.DOWN);
    assertThat(servers(screen(80, 24, answers()))).startsWith("1");
    for (int i = 0; i < 9; i++) {
      controls.key(Controls.PAGE_DOWN);
    }
    assertThat(servers(screen(80, 24, answers()))).endsWith("29");
    controls.key(Controls.UP);
    assertThat(servers(screen(80, 24, answers()))).doesNotContain("29");
  }

  @Test
  void shouldDrawAHistoryAsHighAsItsPeak() {
    List.of(0.0, 50.0, 100.0, Double.NaN).forEach(rates::add);
    assertThat(rates.sparkline(10, true)).isEqualTo("▁▅█▁");
    assertThat(rates.sparkline(2, false)).isEqualTo("#_");
    assertThat(rates.peak(10)).isEqualTo(100);
  }
}
