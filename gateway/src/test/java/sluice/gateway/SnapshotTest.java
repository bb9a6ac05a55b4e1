package sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.gateway.tls.Certificates;

/** Files that are replaced while they are read. */
class SnapshotTest {
  @TempDir private Path directory;

  private Path write(String pool) throws IOException {
    return Files.writeString(
        directory.resolve("sluice.yaml"),
        """
        listeners: {cache: {bind: 127.0.0.1:0, route: cache, tls: {certificate: s.crt, key: s.key}}}
        routes: {cache: [{pool: %s}]}
        pools: {%s: {protocol: embedded}}
        """
            .formatted(pool, pool));
  }

  @Test
  void shouldReadAgainWhatWasReplacedWhileItWasRead() throws Exception {
    Certificates authority = Certificates.of(directory, "ca");
    authority.issue("s");
    Path file = write("old");
    AtomicInteger reads = new AtomicInteger();
    Snapshot snapshot =
        Snapshot.of(
            List.of(file),
            path -> {
              LoadResult result = Loader.load(path);
              try {
                // the second read is the first that knows all files' names
                switch (reads.incrementAndGet()) {
                  case 2 -> write("young");
                  case 3 -> authority.issue("s");
                  default -> {}
                }
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
              return result;
            });
    assertThat(reads).hasValue(4);
    assertThat(snapshot.result().configuration().pools()).containsOnlyKeys("young");
    assertThat(snapshot.result().configuration())
        .as("the certificate of the last read, too")
        .isEqualTo(Loader.load(file).configuration());
    assertThat(snapshot.digest()).isEqualTo(Snapshot.digest(snapshot.result().files()));
  }

  /** Then the next look must find a difference, or it would never be followed. */
  @Test
  void shouldNotTakeWhatNeverKeepsStillForWhatIsThere() throws Exception {
    Certificates.of(directory, "ca").issue("s");
    Path file = write("pool");
    AtomicInteger reads = new AtomicInteger();
    Snapshot snapshot =
        Snapshot.of(
            List.of(file),
            path -> {
              LoadResult result = Loader.load(path);
              try {
                write("pool" + reads.incrementAndGet());
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
              return result;
            });
    assertThat(snapshot.result().configuration().pools()).containsOnlyKeys("pool4");
    assertThat(snapshot.digest()).isNotEqualTo(Snapshot.digest(snapshot.result().files()));
  }
}
