package sluice.gateway.admin;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import sluice.codecs.compress.DictionaryTrainer;
import sluice.gateway.values.ValueSamples;
import sluice.names.DictionaryId;

/**
 * Handler of {@code POST /dictionary}: collects samples of a pool's values for the requested time,
 * and answers with a Zstandard dictionary that was trained from them. A worker trains it, one at a
 * time. If the caller disconnects, the samples are dropped.
 */
final class Training {
  /** Half of the idle time after which the admin port closes a connection: training takes time. */
  private static final int MAX_SECONDS = 30;

  private static final int DEFAULT_SECONDS = 10;
  private static final int MIN_SIZE = 1024;

  /** The size that the zstd command gives a dictionary. */
  private static final int MAX_SIZE = 112_640;

  private static final int DEFAULT_SIZE = 16 * 1024;

  /** The names of its parameters. */
  static final String[] PARAMETERS = {"pool", "seconds", "size"};

  private final Vertx vertx;
  private final AdminView view;
  private final AtomicBoolean busy = new AtomicBoolean();

  /** A checked request. */
  private record Asked(String pool, int seconds, int size) {}

  Training(Vertx vertx, AdminView view) {
    this.vertx = vertx;
    this.view = view;
  }

  Future<Answer> train(HttpServerRequest request) {
    Asked asked;
    ValueSamples samples;
    try {
      asked = parse(request.params());
    } catch (IllegalArgumentException wrong) {
      return Future.succeededFuture(Answer.error(400, wrong.getMessage()));
    }
    try {
      samples = view.valueSamples(asked.pool());
    } catch (IllegalArgumentException unknown) {
      return Future.succeededFuture(Answer.error(404, unknown.getMessage()));
    }
    if (!busy.compareAndSet(false, true)) {
      return Future.succeededFuture(
          Answer.error(409, "another dictionary is being trained; only one at a time is possible"));
    }
    return vertx
        .executeBlocking( // it allocates the memory for all samples
            () -> {
              samples.begin(asked.size(), asked.seconds());
              return samples;
            },
            false)
        .compose(begun -> train(request, asked, begun))
        .onComplete(done -> busy.set(false));
  }

  private Future<Answer> train(HttpServerRequest request, Asked asked, ValueSamples samples) {
    Promise<Void> over = Promise.promise();
    long timer =
        vertx.setTimer(TimeUnit.SECONDS.toMillis(asked.seconds()), id -> over.tryComplete());
    request.response().closeHandler(gone -> over.tryFail("the caller left"));
    return over.future()
        .<Answer>compose(
            done -> {
              DictionaryTrainer trainer = samples.end();
              return vertx.executeBlocking(
                  () -> {
                    try (trainer) {
                      return answer(asked, trainer);
                    }
                  },
                  false);
            },
            gone -> {
              vertx.cancelTimer(timer);
              samples.end().close();
              return Future.succeededFuture(Answer.error(499, "the caller has disconnected"));
            });
  }

  private static Answer answer(Asked asked, DictionaryTrainer trainer) {
    byte[] content;
    try {
      content = trainer.train();
    } catch (IllegalStateException tooFew) {
      return Answer.error(
          503,
          "pool %s in %d seconds: %s"
              .formatted(asked.pool(), asked.seconds(), tooFew.getMessage()));
    }
    String id = DictionaryId.label(DictionaryId.of(content));
    return new Answer(
        200,
        "application/octet-stream",
        content,
        Map.of(
            "Sluice-Dictionary-Id",
            id,
            "Sluice-Samples",
            Integer.toString(trainer.count()),
            "Content-Disposition",
            "attachment; filename=\"" + asked.pool() + "-" + id + ".zdict\""));
  }

  private static Asked parse(MultiMap parameters) {
    String pool = parameters.get("pool");
    if (pool == null || pool.isEmpty()) {
      throw new IllegalArgumentException("'pool' is missing: /dictionary?pool=NAME");
    }
    return new Asked(
        pool,
        number("seconds", parameters.get("seconds"), DEFAULT_SECONDS, 1, MAX_SECONDS),
        number("size", parameters.get("size"), DEFAULT_SIZE, MIN_SIZE, MAX_SIZE));
  }

  private static int number(String name, @Nullable String written, int usual, int least, int most) {
    if (written == null) {
      return usual;
    }
    int number = written.matches("[0-9]{1,6}") ? Integer.parseInt(written) : -1;
    if (number < least || number > most) {
      throw new IllegalArgumentException(
          name + ": found '" + written + "', expected " + least + " to " + most);
    }
    return number;
  }
}
