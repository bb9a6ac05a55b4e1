package sluice.gateway.process;

import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import sluice.gateway.discover.SystemNames;

/** Settings of a gateway's Vert.x. */
final class VertxSettings {
  private VertxSettings() {}

  /**
   * The settings for a number of event loops that carry traffic.
   *
   * <p>Without a cache of files, which a gateway does not need: Vert.x would make a directory for
   * it, and not start where it cannot, as on a full disk. A process that is killed would leave it.
   */
  static VertxOptions of(int eventLoops) {
    return new VertxOptions()
        .setEventLoopPoolSize(eventLoops + 1) // one more for the admin port
        .setWorkerPoolSize(2)
        .setInternalBlockingPoolSize(2)
        .setFileSystemOptions(
            new FileSystemOptions()
                .setFileCachingEnabled(false)
                .setClassPathResolvingEnabled(false))
        .setAddressResolverOptions(SystemNames.options());
  }
}
