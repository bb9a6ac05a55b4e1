package sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;

/** Any text is a configuration or a list of problems, guided by the branches it reaches. */
class LoaderCoverageFuzzTest {
  @FuzzTest(maxDuration = "60s")
  void shouldFindNothingButProblems(FuzzedDataProvider data) {
    LoadResult result = Loader.parse("f", data.consumeRemainingAsString());
    assertThat(result.isValid()).isEqualTo(result.problems().isEmpty());
    assertThat(result.problems())
        .allSatisfy(problem -> assertThat(problem.toString()).doesNotContain("\n"));
  }
}
