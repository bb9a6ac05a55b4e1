package sluice.gateway.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** {@code promtool check metrics} has no complaint about a scrape. */
class ScrapeLintTest {
  static String complaintsAbout(String scrape) throws IOException {
    Process promtool =
        new ProcessBuilder("promtool", "check", "metrics").redirectErrorStream(true).start();
    try (var in = promtool.getOutputStream()) {
      in.write(scrape.getBytes(UTF_8));
    }
    return new String(promtool.getInputStream().readAllBytes(), UTF_8);
  }

  @Test
  void shouldFollowTheRulesForNamesUnitsAndHelp() throws Exception {
    assertThat(complaintsAbout(MetricsPageTest.scrape())).isEmpty();
  }

  @Test
  void shouldHearOfARuleThatIsBroken() throws Exception {
    assertThat(complaintsAbout("# TYPE took_milliseconds counter\ntook_milliseconds 1\n"))
        .contains("no help text", "use base unit", "\"_total\" suffix");
  }
}
