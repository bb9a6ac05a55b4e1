package sluice.gateway.process;

import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;
import sluice.gateway.discover.DiscoveryState;

/** What a process is about to do, and what it can be told to do. From any thread. */
interface Lifecycle {
  /** Whether every listener is bound. */
  boolean isBound();

  /** Whether it takes no new clients, because it stops. */
  boolean isDraining();

  /** Why the configuration file is not what runs; empty if it is. */
  List<String> problems();

  /** Where the servers of a pool are learned; null if they are written. */
  @Nullable DiscoveryState discovery(String pool);

  /**
   * Reads the file again now.
   *
   * @return why it was refused; empty if it runs now
   */
  Future<List<String>> reload();

  /**
   * Takes no new clients, lets what is in flight finish for as long as {@code process.drain}
   * allows, and stops. Asked again, it changes nothing.
   */
  Future<Void> drain();
}
