package sluice.gateway.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import sluice.gateway.fixtures.Programs;

/** libmemcached's own test of what a server is capable of. */
class MemccapableTest {
  private static final Pattern RESULT =
      Pattern.compile("^(ascii|binary) (.+?)\\s+\\[(\\w+)\\]$", Pattern.MULTILINE);
  private static final int OF_EACH_PROTOCOL = 27;

  @ParameterizedTest
  @EnumSource
  void shouldBeCapableOfEverything(Backend backend) throws Exception {
    String program = Programs.find("memccapable");
    backend.serve(
        address -> {
          List<String> command =
              List.of(
                  program,
                  "-h",
                  address.getAddress().getHostAddress(),
                  "-p",
                  String.valueOf(address.getPort()),
                  "-t",
                  "5",
                  "-v");
          Programs.Result result = Programs.run(Duration.ofMinutes(2), command);

          assertThat(RESULT.matcher(result.output()).results().map(r -> r.group(3)))
              .as(result.output())
              .hasSize(2 * OF_EACH_PROTOCOL)
              .containsOnly("pass");
          assertThat(names(result.output(), "ascii")).hasSize(OF_EACH_PROTOCOL);
          assertThat(names(result.output(), "binary")).hasSize(OF_EACH_PROTOCOL);
          assertThat(result.output()).endsWith("All tests passed\n");
          assertThat(result.exitCode()).isZero();
        });
  }

  private static List<String> names(String output, String protocol) {
    Matcher results = RESULT.matcher(output);
    return results
        .results()
        .filter(result -> result.group(1).equals(protocol))
        .map(result -> result.group(2))
        .distinct()
        .toList();
  }
}
