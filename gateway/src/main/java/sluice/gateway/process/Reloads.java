package sluice.gateway.process;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import sluice.config.LoadResult;
import sluice.config.Loader;
import sluice.config.model.Configuration;
import sluice.config.problems.Problem;

/**
 * Watch of a configuration file and the files that it names, which makes the gateway follow their
 * content once it is valid. It compares the content once a second. The way of replacing a file
 * therefore does not matter: by writing, renaming, or by a symbolic link to another directory, as
 * in Kubernetes. Files that are still changing are left alone until they stay the same.
 *
 * <p>One check at a time, on the context that it was created on; files are read on a worker.
 */
final class Reloads {
  /** Receiver of configurations. */
  interface Follower {
    /** Changes to a valid configuration; fails, and stays as it was, if it cannot. */
    Future<Void> follow(Configuration configuration);

    /** The file was read, and is in use now unless there are problems. */
    void reloaded(List<String> problems);
  }

  private static final Logger LOG = LoggerFactory.getLogger(Reloads.class);
  private static final int LOOK_MILLIS = 1_000;

  /** A refused file is read again after that many looks: a certificate may have become valid. */
  private static final int LOOKS_UNTIL_RETRY = 10;

  private final Vertx vertx;
  private final Context context;
  private final Follower follower;
  private final Path file;
  private byte @Nullable [] followed; // digest of the files last read, valid or not
  private byte @Nullable [] seen; // digest of the files at the last check
  private List<Path> named;
  private @Nullable Promise<List<String>> running; // null: no reload is in progress
  private List<String> refusedFor = List.of();
  private List<Problem> warnings = List.of(); // of the files last read
  private Set<String> warned = Set.of(); // what the log has, or the start has printed
  private int looks; // since the file was read
  private volatile boolean closed;

  Reloads(Vertx vertx, Follower follower, Path file) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.follower = follower;
    this.file = file;
    named = List.of(file);
  }

  /**
   * Begins to watch: after this completes, no change is missed. It reads the files once more, to
   * learn their names and content.
   *
   * @param started the content at the start: if it has changed by now, the new content is followed
   */
  Future<Void> begin(Configuration started) {
    return read()
        .map(
            read -> {
              learn(read);
              vertx.setPeriodic(LOOK_MILLIS, id -> look());
              if (!read.result().isValid() || !read.result().configuration().equals(started)) {
                var unused = now();
              } else {
                warned = texts(warnings);
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
    warnings = read.result().warnings();
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
              boolean retries = !refusedFor.isEmpty() && ++looks >= LOOKS_UNTIL_RETRY;
              if (closed) {
                return;
              }
              if (settled && (retries || !Arrays.equals(digest, followed)) && running == null) {
                var unused = reload();
              }
            });
  }

  /**
   * Reads the file now, after a reload in progress.
   *
   * @return the reasons for refusing it; empty if it is in use now. From any thread
   */
  Future<List<String>> now() {
    if (closed) {
      return Future.succeededFuture(
          List.of("found a gateway that is stopping, expected a running one"));
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
   * Stops watching, and follows nothing that has not begun. A change that is refused from now on is
   * not reported: the file is not the reason. From any thread.
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
              if (!closed || problems.isEmpty()) {
                said(problems);
              }
              ended.complete(problems);
            });
    return ended.future();
  }

  private Future<List<String>> follow(LoadResult result) {
    if (!result.isValid()) {
      return Future.succeededFuture(result.problems().stream().map(Problem::toString).toList());
    }
    return follower
        .follow(result.configuration())
        .<List<String>>map(List.of())
        .otherwise(failure -> List.of(result.located(String.valueOf(failure.getMessage()))));
  }

  private void said(List<String> problems) {
    follower.reloaded(problems);
    boolean again = !problems.isEmpty() && problems.equals(refusedFor);
    refusedFor = problems;
    looks = 0;
    if (problems.isEmpty()) {
      LOG.info("reloaded {}", file);
      warn();
    } else if (!again) {
      LOG.warn(
          "{} is refused; the previous configuration stays in use: {}",
          file,
          String.join("; ", problems));
    }
  }

  /** Logs the warnings that the configuration in use did not have before. */
  private void warn() {
    for (Problem warning : warnings) {
      if (!warned.contains(text(warning))) {
        LOG.warn("{}", warning);
      }
    }
    warned = texts(warnings);
  }

  private static Set<String> texts(List<Problem> warnings) {
    return warnings.stream().map(Reloads::text).collect(Collectors.toSet());
  }

  /** A warning without its line, which other changes move. */
  private static String text(Problem warning) {
    return warning.path() + ": " + warning.found() + ", " + warning.expected();
  }
}
