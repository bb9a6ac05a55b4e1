package sluice.gateway.admin;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import sluice.config.model.DurationText;
import sluice.gateway.profile.Profiler;
import sluice.gateway.time.Clocks;

/** Paths of the admin port, and their answers. */
final class Endpoints {
  /** Below the three seconds of a liveness probe, so that the probe gets the reason. */
  private static final long LOOP_DEADLINE_MILLIS = 1_000;

  /** The longest memcached key, percent-encoded byte by byte. */
  private static final int MAX_PARAMETER = 750;

  /** The longest client name that a rule can require. */
  private static final int MAX_CLIENT = 2048;

  /** Number of keys reported for each listener and pool. */
  private static final int HOTTEST = 20;

  /** Seconds of history that there are. */
  private static final int MAX_HISTORY = 3600;

  private static final String[] OF_EXPLAIN = {"listener", "command", "key", "client", "token"};

  private final Vertx vertx;
  private final AdminView view;
  private final Access access;
  private final Map<String, Endpoint> endpoints = new LinkedHashMap<>();

  Endpoints(Vertx vertx, AdminView view, Access access) {
    this.vertx = vertx;
    this.view = view;
    this.access = access;
    get("/live", request -> live());
    get("/ready", request -> now(ready()));
    get("/metrics", request -> metrics());
    get("/config", request -> beside(() -> Answer.yaml(view.configuration())));
    get("/listeners", request -> now(Answer.json(200, StateJson.listeners(view.listeners()))));
    get("/pools", request -> now(Answer.json(200, StateJson.pools(view.pools()))));
    get("/explain", this::explain, OF_EXPLAIN);
    get("/routes", request -> beside(() -> Answer.json(200, StateJson.routes(view.routes()))));
    get("/status", request -> now(status(request)));
    get("/history", request -> now(history(request)), "seconds");
    get("/version", request -> now(Answer.json(200, StateJson.version())));
    post("/drain", request -> now(drain()));
    get("/", request -> now(Page.answer()));
    get("/hot-keys", request -> hotKeys());
    post("/eject", request -> now(decide(request, view::eject)), "pool", "server");
    post("/restore", request -> now(decide(request, view::restore)), "pool", "server");
    post("/reload", request -> reload());
    post("/profile", new Profiles(vertx, new Profiler())::record, Profiles.PARAMETERS);
    post("/dictionary", new Training(vertx, view)::train, Training.PARAMETERS);
  }

  /** Answers a request. An invalid request does not fail the future. */
  Future<Answer> answer(HttpServerRequest request) {
    Endpoint endpoint = endpoints.get(request.path());
    if (endpoint == null) {
      return now(
          Answer.json(
              404,
              StateJson.error("no such path")
                  .put("paths", new JsonArray(new ArrayList<>(endpoints.keySet())))));
    }
    if (!endpoint.takes(request.method())) {
      request.response().putHeader("Allow", endpoint.allow());
      return now(Answer.error(405, request.path() + " accepts " + endpoint.allow()));
    }
    if (endpoint.changesState()) {
      Answer refusal = access.refusal(request);
      if (refusal != null) {
        return now(refusal);
      }
    }
    String problem = endpoint.unexpected(request.params());
    return problem == null ? endpoint.answer().apply(request) : now(Answer.error(400, problem));
  }

  private Future<Answer> live() {
    if (!view.bound()) {
      return now(notLive("not every listener is bound yet"));
    }
    List<Context> loops = view.eventLoops();
    return LoopsProbe.silentLoops(vertx, loops, LOOP_DEADLINE_MILLIS)
        .map(
            silent ->
                silent == 0
                    ? Answer.json(200, new JsonObject().put("live", true))
                    : notLive(
                        "%d of %d event loops did not answer within %s"
                            .formatted(
                                silent, loops.size(), DurationText.of(LOOP_DEADLINE_MILLIS))));
  }

  private static Answer notLive(String why) {
    return Answer.json(503, new JsonObject().put("live", false).put("why", why));
  }

  private Answer ready() {
    Readiness readiness = view.readiness();
    return Answer.json(readiness.ready() ? 200 : 503, StateJson.readiness(readiness));
  }

  /** Runs on a worker: this event loop may carry traffic too, which must not wait for a scrape. */
  private Future<Answer> metrics() {
    return vertx.executeBlocking(view::metrics, false).map(Answer::prometheus);
  }

  private Future<Answer> hotKeys() {
    return vertx
        .executeBlocking(() -> view.hotKeys(HOTTEST), false)
        .map(snapshot -> Answer.json(200, StateJson.hotKeys(snapshot, view.droppedKeys())));
  }

  /**
   * Makes an answer on a worker, one at a time. It may take long for a large configuration, and the
   * timeouts of the event loops that carry traffic depend on this event loop.
   */
  private Future<Answer> beside(Callable<Answer> answer) {
    return vertx.executeBlocking(answer, true);
  }

  private Future<Answer> explain(HttpServerRequest request) {
    MultiMap parameters = request.params();
    for (String name : List.of("listener", "command", "key")) {
      String value = parameters.get(name);
      if (value == null || value.isEmpty()) {
        return now(
            Answer.error(
                400, "'" + name + "' is missing: /explain?listener=NAME&command=COMMAND&key=KEY"));
      }
      if (value.length() > MAX_PARAMETER) {
        return now(Answer.error(400, "'" + name + "' is too long"));
      }
    }
    String client = parameters.get("client");
    if (client != null && client.length() > MAX_CLIENT) {
      return now(Answer.error(400, "'client' is too long"));
    }
    String token = parameters.get("token");
    if (token != null && token.length() > MAX_PARAMETER) {
      return now(Answer.error(400, "'token' is too long"));
    }
    String listener = parameters.get("listener");
    String command = parameters.get("command");
    String key = parameters.get("key");
    return beside(() -> explain(listener, command, key, client, token));
  }

  private Answer explain(
      String listener,
      String command,
      String key,
      @Nullable String client,
      @Nullable String token) {
    try {
      return Answer.json(
          200, StateJson.explanation(view.explain(listener, command, key, client, token)));
    } catch (IllegalArgumentException wrongQuestion) {
      return Answer.error(400, wrongQuestion.getMessage());
    }
  }

  private Answer status(HttpServerRequest request) {
    return Answer.json(200, StateJson.process(view.process(), access.permission(request)));
  }

  private Answer history(HttpServerRequest request) {
    String asked = request.getParam("seconds", Integer.toString(MAX_HISTORY));
    int seconds;
    try {
      seconds = Integer.parseInt(asked);
    } catch (NumberFormatException notANumber) {
      seconds = 0;
    }
    if (seconds < 1 || seconds > MAX_HISTORY) {
      return Answer.error(400, "seconds: found " + asked + ", expected 1 to " + MAX_HISTORY);
    }
    return Answer.compactJson(HistoryJson.of(view.history(), seconds, Clocks.now()));
  }

  private static Answer decide(
      HttpServerRequest request, BiFunction<String, String, @Nullable String> change) {
    String pool = request.getParam("pool");
    String server = request.getParam("server");
    if (pool == null || server == null) {
      return Answer.error(400, "'pool' and 'server' are needed: ?pool=NAME&server=SERVER");
    }
    try {
      String against = change.apply(pool, server);
      return against == null
          ? Answer.json(200, new JsonObject().put("pool", pool).put("server", server))
          : Answer.error(409, against);
    } catch (IllegalArgumentException unknown) {
      return Answer.error(404, unknown.getMessage());
    }
  }

  private Answer drain() {
    view.drain();
    return Answer.json(202, new JsonObject().put("draining", true));
  }

  private Future<Answer> reload() {
    return view.reload()
        .map(
            problems ->
                problems.isEmpty()
                    ? Answer.json(200, new JsonObject().put("reloaded", true))
                    : Answer.json(
                        422,
                        new JsonObject()
                            .put("reloaded", false)
                            .put("problems", new JsonArray(new ArrayList<>(problems)))));
  }

  private static Future<Answer> now(Answer answer) {
    return Future.succeededFuture(answer);
  }

  private void get(
      String path, Function<HttpServerRequest, Future<Answer>> answer, String... parameters) {
    endpoints.put(path, new Endpoint(false, answer, List.of(parameters)));
  }

  private void post(
      String path, Function<HttpServerRequest, Future<Answer>> answer, String... parameters) {
    endpoints.put(path, new Endpoint(true, answer, List.of(parameters)));
  }

  /** Methods and parameters that a path accepts, and its handler. */
  private record Endpoint(
      boolean changesState,
      Function<HttpServerRequest, Future<Answer>> answer,
      List<String> parameters) {

    /**
     * The problem with a misspelt parameter, or with one that is given twice: only one of them
     * could be meant. Null if there is none. A path without parameters ignores all.
     */
    @Nullable String unexpected(MultiMap given) {
      for (String name : parameters.isEmpty() ? Set.<String>of() : given.names()) {
        if (!parameters.contains(name) || given.getAll(name).size() > 1) {
          int last = parameters.size() - 1;
          String expected =
              last == 0
                  ? parameters.get(0) + ","
                  : String.join(", ", parameters.subList(0, last))
                      + " and "
                      + parameters.get(last)
                      + ", each";
          return "found '" + name + "', expected " + expected + " at most once";
        }
      }
      return null;
    }

    boolean takes(HttpMethod method) {
      return changesState
          ? method.equals(HttpMethod.POST)
          : method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
    }

    String allow() {
      return changesState ? "POST" : "GET, HEAD";
    }
  }
}
