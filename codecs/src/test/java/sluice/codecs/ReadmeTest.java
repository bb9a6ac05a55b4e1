package sluice.codecs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The example in this module's README: it is compiled and run, and prints what is written. */
class ReadmeTest {
  /** Without the tests' logger, which would log to the example's output. */
  private static final String CLASS_PATH =
      Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
          .filter(entry -> !entry.contains("logback"))
          .collect(Collectors.joining(File.pathSeparator));

  @TempDir Path directory;

  private static String block(String readme, String language) {
    Matcher block = Pattern.compile("(?s)```" + language + "\\n(.*?)```").matcher(readme);
    assertThat(block.find()).as(language).isTrue();
    return block.group(1);
  }

  @Test
  @Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void shouldCompileAndRunTheExample() throws IOException {
    String readme = Files.readString(Path.of("README.md"));
    Path source = Files.writeString(directory.resolve("Example.java"), block(readme, "java"));
    int compiled =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-proc:none",
                "-d",
                directory.toString(),
                "-cp",
                CLASS_PATH,
                source.toString());
    assertThat(compiled).isZero();

    Process example =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                directory + File.pathSeparator + CLASS_PATH,
                "Example")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    assertThat(new String(example.getInputStream().readAllBytes(), UTF_8).replace("\r\n", "\n"))
        .isEqualTo(block(readme, "text"));
    assertThat(example.onExit().join().exitValue()).isZero();
  }
}
