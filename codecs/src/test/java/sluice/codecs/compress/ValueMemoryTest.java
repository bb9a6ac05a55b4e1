package sluice.codecs.compress;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Values are worked on in memory that is there already. In a JVM of its own with the launcher's
 * flags: leak detection allocates for each buffer.
 */
class ValueMemoryTest {
  private static final int LENGTH = 100_000;

  /** What a value may allocate on the heap. */
  private static final long FEW = 100;

  /** By how much direct memory may change: a few of the allocator's chunks. */
  private static final long FLAT = 8 << 20;

  @ParameterizedTest
  @ValueSource(strings = {"ZSTD", "LZ4", "DEFLATE", "REPLACE", "PLAIN"})
  void shouldAllocateNextToNothingForAValue(String work) throws Exception {
    check(work, 1_500);
  }

  @Test
  @Tag("long")
  void shouldAllocateNextToNothingForEachOfVeryManyValues() throws Exception {
    check("ZSTD", 100_000);
  }

  private static void check(String work, int values) throws Exception {
    String output = run(work, values);
    Matcher heap = Pattern.compile("heap (\\d+)").matcher(output);
    assertThat(heap.find()).as(output).isTrue();
    assertThat(Long.parseLong(heap.group(1))).as("bytes of heap a value").isLessThan(FEW);
    Matcher direct = Pattern.compile("direct (\\d+) (\\d+) (\\d+)").matcher(output);
    assertThat(direct.find()).as(output).isTrue();
    long before = Long.parseLong(direct.group(1));
    assertThat(Long.parseLong(direct.group(2))).isBetween(before - FLAT, before + FLAT);
    assertThat(Long.parseLong(direct.group(3))).isLessThan(before + FLAT);
  }

  private static String run(String work, int values) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Dio.netty.allocator.lowMemory=false", "-Xmx256m"));
    command.add("-Dio.netty.leakDetection.level=disabled");
    if (Runtime.version().feature() >= 23) {
      command.add("--enable-native-access=ALL-UNNAMED");
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(ValueMemoryMain.class.getName());
    command.addAll(List.of(work, Integer.toString(values), Integer.toString(LENGTH)));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(output).isZero();
      return output;
    } finally {
      process.destroyForcibly().waitFor();
    }
  }
}
