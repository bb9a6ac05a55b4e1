package sluice.gateway.process;

import io.vertx.core.Future;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.gateway.discover.DiscoveryState;

/** Lifecycle of the process, and commands for it. From any thread. */
interface Lifecycle {
  /** Whether every listener is bound. */
  boolean isBound();

  /** Whether it takes no new clients, because it is stopping. */
  boolean isDraining();

  /** The problems for which the configuration file is not in use; empty if it is. */
  List<String> problems();

  /** The configuration file; null if it was started without one. */
  @Nullable Path file();

  /** When the file was last read after a change; null if it never was. */
  @Nullable Instant reloadedAt();

  /** The state of a pool's discovery; null if its servers are written in the file. */
  @Nullable DiscoveryState discovery(String pool);

  /**
   * Reads the file again now.
   *
   * @return the reasons for refusing it; empty if it is in use now
   */
  Future<List<String>> reload();

  /**
   * Takes no new clients, lets requests in flight finish for as long as {@code process.drain}
   * allows, and stops. Further calls have no effect.
   */
  Future<Void> drain();
}
