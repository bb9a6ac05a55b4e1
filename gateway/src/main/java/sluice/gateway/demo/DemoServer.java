package sluice.gateway.demo;

import io.vertx.core.Future;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import sluice.config.Loader;
import sluice.gateway.process.Gateway;

/** Memcached server of the demonstration: a store on a port of its own, which can fail. */
final class DemoServer {
  private static final int PATIENCE_SECONDS = 30;

  private final String name;
  private int port; // 0 until it has started once
  private @Nullable Gateway running; // null while it is down

  DemoServer(String name) {
    this.name = name;
  }

  String name() {
    return name;
  }

  int port() {
    return port;
  }

  /** Starts with an empty store, on the same port as before. */
  void start() throws InterruptedException {
    Gateway started =
        started(
            """
            admin: {bind: 127.0.0.1:0}
            process: {eventLoops: 1, drain: 0ms}
            listeners: {%s: {bind: "127.0.0.1:%d", route: store}}
            routes: {store: [{pool: store}]}
            pools: {store: {protocol: embedded, size: 16MiB}}
            """
                .formatted(name, port));
    running = started;
    port = port(started, name);
  }

  /** Closes the port and all connections, and loses all items. */
  void stop() throws InterruptedException {
    Gateway stopped = running;
    running = null;
    if (stopped != null) {
      await(stopped.close());
    }
  }

  /** The port of a gateway's listener. */
  static int port(Gateway gateway, String listener) {
    String address = Objects.requireNonNull(gateway.address(listener));
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  /** A gateway with this configuration. */
  static Gateway started(String configuration) throws InterruptedException {
    return await(Gateway.start(Loader.parse("demo", configuration).configuration()));
  }

  static <T> T await(Future<T> future) throws InterruptedException {
    try {
      return future
          .toCompletionStage()
          .toCompletableFuture()
          .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      throw new IllegalStateException(cause == null ? e.getMessage() : cause.getMessage(), e);
    } catch (TimeoutException e) {
      throw new IllegalStateException("found no end of a start or stop, expected one in 30 s", e);
    }
  }
}
