package sluice.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import sluice.config.problems.Problem;

class BadFilesTest {
  /** One file of the table, and what the loader and the schema must say of it. */
  record BadFile(String name, String yaml, boolean hasTheShape, List<String> problems) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<BadFile> badFiles() throws IOException {
    try (InputStream in = BadFilesTest.class.getResourceAsStream("bad-files.txt")) {
      String table = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return Arrays.stream(table.split("(?m)^=== ")).skip(1).map(BadFilesTest::badFile);
    }
  }

  private static BadFile badFile(String text) {
    List<String> lines = text.lines().toList();
    boolean hasTheShape = lines.get(1).startsWith("~");
    String yaml = hasTheShape ? lines.get(1).substring(1) : lines.get(1);
    return new BadFile(
        lines.get(0),
        yaml.replace("\\u0001", "\u0001").translateEscapes(),
        hasTheShape,
        lines.subList(2, lines.size()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("badFiles")
  void shouldNameEveryProblemWithItsPlace(BadFile file) {
    LoadResult result = Loader.parse("f", file.yaml());
    assertThat(result.isValid()).isFalse();
    assertThat(result.problems().stream().map(Problem::toString))
        .isNotEmpty()
        .containsExactlyElementsOf(file.problems());
  }
}
