package sluice.gateway.process;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.config.model.Configuration;
import sluice.config.problems.Problem;

/**
 * Watches a configuration file and the files that it names, and lets the gateway follow what they
 * say once it is valid. It looks at what is in them, once a second: so it does not matter how they
 * are replaced, by writing, renaming, or by a symbolic link to another directory, as Kubernetes
 * does. What is in the middle of being written is left alone until it stays as it is.
 *
 * <p>One at a time, on the context that it was made on; files are read on a worker.
 */
final class Reloads {
  /** What goes over to the configuration. */
  interface Follower {
    /** Goes over to a configuration that is valid; fails, and stays as it was, if it cannot. */
    Future<Void> follow(Configuration configuration);

    /** The file was read, and is what runs now, unless there are problems. */
    void reloaded(List<String> problems);
  }

  private static final Logger LOG = LoggerFactory.getLogger(Reloads.class);
  private static final int LOOK_MILLIS = 1_000;

  private final Vertx vertx;
  private final Context context;
  private final Follower follower;
  private final Path file;
  private byte @Nullable [] followed; // of what was read last, whether it is valid or not
  private byte @Nullable [] seen; // at the last look
  private List<Path> named;
  private @Nullable Promise<List<String>> running; // null: nothing is being done
  private volatile boolean closed;

  Reloads(Vertx vertx, Follower follower, Path file) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.follower = follower;
    this.file = file;
    named = List.of(file);
  }

  /**
   * Begins to watch: from when this completes, no change is missed. What the files hold is learned
   * with the files' names, by reading them once more.
   *
   * @param started what they said when they were read for the start: if they say something else by
   *     now, that is followed
   */
  Future<Void> begin(Configuration started) {
    return read()
        .map(
            read -> {
              learn(read);
              vertx.setPeriodic(LOOK_MILLIS, id -> look());
              if (!read.result().isValid() || !read.result().configuration().equals(started)) {
                var unused = now();
              }
              return null;
            });
  }

  private Future<Snapshot> read() {
    List<Path> likely = named;
    return vertx.executeBlocking(() -> Snapshot.of(likely, Loader::load));
  }

  private void learn(Snapshot read) {
    named = read.result().files();
    followed = read.digest();
    seen = followed;
  }

  private void look() {
    if (running != null || followed == null || closed) {
      return;
    }
    List<Path> files = named;
    vertx
        .executeBlocking(() -> Snapshot.digest(files))
        .onSuccess(
            digest -> {
              boolean settled = Arrays.equals(digest, seen);
              seen = digest;
              if (settled && !Arrays.equals(digest, followed) && running == null) {
                var unused = reload();
              }
            });
  }

  /**
   * Reads the file now; waits for whatever is being done already.
   *
   * @return why it was refused; empty if it runs now. From any thread
   */
  Future<List<String>> now() {
    if (closed) {
      return Future.succeededFuture(List.of("found a gateway that stops, expected one that runs"));
    }
    Promise<List<String>> result = Promise.promise();
    context.runOnContext(
        v -> {
          Promise<List<String>> before = running;
          if (before == null) {
            reload().onComplete(result);
          } else {
            before.future().onComplete(done -> now().onComplete(result));
          }
        });
    return result.future();
  }

  /**
   * Looks no more, and follows nothing that has not begun: what reads files ends. From any thread.
   */
  void close() {
    closed = true;
  }

  private Future<List<String>> reload() {
    Promise<List<String>> ended = Promise.promise();
    running = ended;
    read()
        .compose(
            read -> {
              learn(read);
              return follow(read.result());
            })
        .otherwise(failure -> List.of(String.valueOf(failure.getMessage())))
        .onSuccess(
            problems -> {
              running = null;
              said(problems);
              ended.complete(problems);
            });
    return ended.future();
  }

  private Future<List<String>> follow(LoadResult result) {
    if (!result.isValid()) {
      return Future.succeededFuture(result.problems().stream().map(Problem::toString).toList());
    }
    return follower.follow(result.configuration()).map(List.of());
  }

  private void said(List<String> problems) {
    follower.reloaded(problems);
    if (problems.isEmpty()) {
      LOG.info("reloaded {}", file);
    } else {
      LOG.warn("{} is not followed, what ran runs on: {}", file, String.join("; ", problems));
    }
  }
}
