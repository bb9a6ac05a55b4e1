package sluice.gateway.values;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.gateway.fixtures.ChildJvm;
import sluice.gateway.fixtures.RealMemcached;

/** A gateway that compresses works in memory that is there already. */
class CompressedMemoryTest {
  private static final Logger LOG = LoggerFactory.getLogger(CompressedMemoryTest.class);
  private static final int LENGTH = 100_000;

  /** What a request may allocate on the heap. */
  private static final double FEW = 100;

  /** By how much direct memory may change: a few of the allocator's chunks. */
  private static final long FLAT = 8 << 20;

  @TempDir private Path directory;

  @Test
  void shouldAllocateNextToNothingForACompressedRequest() throws Exception {
    check("zstd", 1_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"lz4", "deflate"})
  @Tag("long")
  void shouldAllocateNextToNothingWithAnyAlgorithm(String algorithm) throws Exception {
    check(algorithm, 5_000);
  }

  @Test
  @Tag("long")
  @Timeout(value = 15, unit = TimeUnit.MINUTES)
  void shouldAllocateNextToNothingForEachOfVeryManyCompressedRequests() throws Exception {
    check("zstd", 100_000);
  }

  private void check(String algorithm, int values) throws Exception {
    try (RealMemcached server = RealMemcached.start()) {
      List<String> lines =
          ChildJvm.run(
              directory,
              CompressedMemoryMain.class,
              Integer.toString(server.address().getPort()),
              algorithm,
              Integer.toString(values),
              Integer.toString(LENGTH));
      String output = String.join("\n", lines);
      Matcher heap = Pattern.compile("heap ([0-9.]+)").matcher(output);
      assertThat(heap.find()).as(output).isTrue();
      Matcher direct = Pattern.compile("direct (\\d+) (\\d+) (\\d+)").matcher(output);
      assertThat(direct.find()).as(output).isTrue();
      LOG.info("{}, {} values: {}, {}", algorithm, values, heap.group(), direct.group());
      assertThat(Double.parseDouble(heap.group(1))).as("bytes of heap a request").isLessThan(FEW);
      long before = Long.parseLong(direct.group(1));
      assertThat(Long.parseLong(direct.group(2))).isBetween(before - FLAT, before + FLAT);
      assertThat(Long.parseLong(direct.group(3))).isLessThan(before + FLAT);
    }
  }
}
