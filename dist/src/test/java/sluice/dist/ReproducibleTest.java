package sluice.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The same jars make the same files: in runs that have time to build them twice. */
@Tag("dist")
@EnabledIfSystemProperty(named = "sluice.dist.again", matches = ".+")
class ReproducibleTest {
  @Test
  void shouldMakeTheSameBytesTwice() throws IOException {
    List<Path> files = Distributions.made().files();
    assertThat(files).hasSize(4); // two archives, the package, the checksums
    assertThat(Distributions.madeAgain().files())
        .extracting(Path::getFileName)
        .isEqualTo(files.stream().map(Path::getFileName).toList());
    for (Path file : files) {
      assertThat(Distributions.madeAgain().directory().resolve(file.getFileName()))
          .hasSameBinaryContentAs(file);
    }
  }
}
