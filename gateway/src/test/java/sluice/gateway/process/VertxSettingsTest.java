package sluice.gateway.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Settings of Vert.x. */
class VertxSettingsTest {
  /** A full disk, or a file system that cannot be written, keeps no gateway from starting. */
  @Test
  void shouldNotNeedADirectory() throws Exception {
    VertxOptions options = VertxSettings.of(1);
    options.getFileSystemOptions().setFileCacheDir("/proc/no/directory");
    Vertx vertx = Vertx.vertx(options);
    try {
      assertThat(vertx.<Integer>executeBlocking(() -> 7).await(60, TimeUnit.SECONDS)).isEqualTo(7);
    } finally {
      vertx.close().await(60, TimeUnit.SECONDS);
    }
  }
}
