package sluice.gateway.admin;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import sluice.gateway.profile.Profile;
import sluice.gateway.profile.ProfileRequest;
import sluice.gateway.profile.Profiler;
import sluice.gateway.profile.ProfilerException;

/**
 * Handler of {@code POST /profile}: records for the requested time, and answers with the artifact.
 * Workers execute the blocking parts. If the caller disconnects, the profile ends.
 */
final class Profiles {
  /** The names of its parameters. */
  static final String[] PARAMETERS = {"event", "seconds", "format"};

  private final Vertx vertx;
  private final Profiler profiler;

  Profiles(Vertx vertx, Profiler profiler) {
    this.vertx = vertx;
    this.profiler = profiler;
  }

  Future<Answer> record(HttpServerRequest request) {
    ProfileRequest asked;
    try {
      asked = parse(request.params());
    } catch (IllegalArgumentException wrong) {
      return Future.succeededFuture(Answer.error(400, wrong.getMessage()));
    }
    if (!profiler.reserve(asked)) {
      return Future.succeededFuture(
          Answer.error(409, "another profile is being recorded; only one at a time is possible"));
    }
    Promise<Void> over = Promise.promise();
    request.response().closeHandler(gone -> over.tryFail("the caller left"));
    return vertx
        .executeBlocking(profiler::start, false)
        .compose(
            recording -> {
              long timer =
                  vertx.setTimer(
                      TimeUnit.SECONDS.toMillis(asked.seconds()), id -> over.tryComplete());
              return over.future()
                  .<Answer>compose(
                      done -> vertx.executeBlocking(recording::finish, false).map(Profiles::answer),
                      gone -> {
                        vertx.cancelTimer(timer);
                        return vertx.executeBlocking(
                            () -> {
                              recording.drop();
                              return Answer.error(499, "the caller has disconnected");
                            },
                            false);
                      });
            })
        .recover(
            failure ->
                failure instanceof ProfilerException
                    ? Future.succeededFuture(Answer.error(503, failure.getMessage()))
                    : Future.failedFuture(failure));
  }

  private static ProfileRequest parse(MultiMap parameters) {
    return ProfileRequest.parse(
        parameters.get("event"), parameters.get("seconds"), parameters.get("format"));
  }

  private static Answer answer(Profile profile) {
    return new Answer(
        200,
        profile.request().format().contentType(),
        profile.content(),
        Map.of(
            "Sluice-Profile-Engine",
            profile.engine().label(),
            "Content-Disposition",
            "inline; filename=\"" + profile.fileName() + "\""));
  }
}
