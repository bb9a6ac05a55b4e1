package sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.PooledByteBufAllocator;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every recorded conversation that a server of default settings has, byte for byte. */
class RecordedCasesTest {
  private static final Map<String, String> EXCEPTIONS = exceptions();
  // One segment: dumps come in the order of use.
  private static final long SIZE = 8L * 1024 * 1024;

  private static Map<String, String> exceptions() {
    Map<String, String> exceptions = new LinkedHashMap<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                RecordedCasesTest.class.getResourceAsStream("recorded-case-exceptions.txt"),
                StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (!line.isBlank() && !line.startsWith("#")) {
          int bar = line.indexOf('|');
          exceptions.put(line.substring(0, bar).strip(), line.substring(bar + 1).strip());
        }
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
    return exceptions;
  }

  private static Stream<RecordedCases.Case> applicable() {
    return RecordedCases.all().stream()
        .filter(c -> c.profile().equals("default") || c.profile().equals("nowatch"));
  }

  static Stream<RecordedCases.Case> cases() {
    return applicable().filter(c -> !EXCEPTIONS.containsKey(c.name()));
  }

  static Stream<RecordedCases.Case> exceptionalCases() {
    return applicable().filter(c -> EXCEPTIONS.containsKey(c.name()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void shouldAnswerAsMemcachedDid(RecordedCases.Case recorded) {
    assertThat(differences(recorded)).isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("exceptionalCases")
  void shouldListAsExceptionsOnlyWhatDiffers(RecordedCases.Case recorded) {
    assertThat(differences(recorded)).isNotEmpty();
  }

  @Test
  void shouldGiveAReasonForEveryExceptionAndKnowItsCase() {
    assertThat(applicable().map(RecordedCases.Case::name)).containsAll(EXCEPTIONS.keySet());
    assertThat(EXCEPTIONS.values()).allSatisfy(reason -> assertThat(reason).isNotEmpty());
  }

  /** What was answered otherwise than recorded; empty when all was the same. */
  private static String differences(RecordedCases.Case recorded) {
    FakeClock clock = new FakeClock();
    StringBuilder differences = new StringBuilder();
    try (EmbeddedStore store =
        new EmbeddedStore(
            SIZE, EmbeddedStore.DEFAULT_ITEM_SIZE_LIMIT, clock, PooledByteBufAllocator.DEFAULT)) {
      clock.advanceSeconds(2);
      for (String request : recorded.setup()) {
        new Client(store).send(request);
      }
      clock.advanceMillis(recorded.delayAfterSetupMillis());
      Client client = new Client(store);
      for (RecordedCases.Step step : recorded.steps()) {
        clock.advanceMillis(step.delayBeforeMillis());
        String reply = client.send(step.request());
        String expected = step.reply();
        if (!reply.equals(expected)) {
          differences.append("\nto       ").append(abbreviated(step.request()));
          differences.append("\nexpected ").append(abbreviated(expected));
          differences.append("\nanswered ").append(abbreviated(reply));
        }
        if (client.isClosed() != step.closed()) {
          differences.append("\nclosed: ").append(client.isClosed());
        }
      }
    }
    return differences.toString();
  }

  private static String abbreviated(String text) {
    String escaped = text.replace("\r", "\\r").replace("\n", "\\n");
    return escaped.length() < 400 ? escaped : escaped.substring(0, 400) + "...";
  }
}
