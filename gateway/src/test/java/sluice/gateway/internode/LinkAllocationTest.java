package sluice.gateway.internode;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.gateway.fixtures.ChildJvm;

/** A frame that passes leaves nothing for the collector. */
class LinkAllocationTest {
  private static final int READS = 10_000;

  /** Bytes a read of one frame: less than the least object for one read in four. */
  private static final double NOTHING = 4;

  /**
   * Bytes a read of one frame that is framed anew: the NIO views of a buffer that was read and of
   * one to write, through which alone the JDK's CRC32 and LZ4 can be reached.
   */
  private static final double VIEWS = 3 * 64 + NOTHING;

  @TempDir private Path directory;

  @Test
  void shouldAllocateNothingForAFrameThatPasses() throws Exception {
    Map<String, Double> bytes = new TreeMap<>();
    for (String line : ChildJvm.run(directory, LinkAllocationMain.class, Integer.toString(READS))) {
      String[] fields = line.split(" ", -1);
      if (fields.length == 3 && fields[0].matches("crc|lz4")) {
        bytes.put(fields[0] + " " + fields[1], Double.parseDouble(fields[2]));
      }
    }
    assertThat(bytes).hasSize(6);
    bytes
        .entrySet()
        .removeIf(each -> each.getValue() < (each.getKey().endsWith("same") ? NOTHING : VIEWS));
    assertThat(bytes).as("bytes a read, by framings, that are too many").isEmpty();
  }
}
