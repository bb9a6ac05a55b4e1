package sluice.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
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

  /** What happens behind a read. */
  private interface Disturbance {
    void happen() throws Exception;
  }

  /** A snapshot of file, behind each read of which something happens. */
  private static Snapshot disturbed(Path file, Disturbance disturbance) {
    return Snapshot.of(
        List.of(file),
        path -> {
          LoadResult result = Loader.load(path);
          try {
            disturbance.happen();
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
          return result;
        });
  }

  /** Every path of the admin port that needs a worker would wait behind such a read. */
  @Test
  @Timeout(60)
  void shouldNotWaitForAPipeThatTheConfigurationNames() throws Exception {
    Path pipe = directory.resolve("s.crt");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    assertThat(Snapshot.digest(List.of(write("one"), pipe))).isNotEmpty();
  }

  @Test
  void shouldReadAgainWhatWasReplacedWhileItWasRead() throws Exception {
    Certificates authority = Certificates.of(directory, "ca");
    authority.issue("s");
    Path file = write("old");
    AtomicInteger reads = new AtomicInteger();
    Snapshot snapshot =
        disturbed(
            file,
            () -> {
              // the second read is the first that knows all files' names
              switch (reads.incrementAndGet()) {
                case 2 -> write("young");
                case 3 -> authority.issue("s");
                default -> {}
              }
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
    Snapshot snapshot = disturbed(file, () -> write("pool" + reads.incrementAndGet()));
    assertThat(snapshot.result().configuration().pools()).containsOnlyKeys("pool4");
    assertThat(snapshot.digest()).isNotEqualTo(Snapshot.digest(snapshot.result().files()));
  }
}
