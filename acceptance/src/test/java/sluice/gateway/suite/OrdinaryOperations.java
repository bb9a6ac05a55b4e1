package sluice.gateway.suite;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.IntStream;
import sluice.testkit.Patience;

/**
 * What applications do with a cache, many thousand times, on many keys side by side. Every result
 * is known beforehand and checked, and no two keys have the same: a reply that belongs to another
 * request is found.
 */
final class OrdinaryOperations {
  /**
   * How many operations a client does at least; {@code -Dsluice.test.operations=100000} for a long
   * run.
   */
  static final int OPERATIONS = Integer.getInteger("sluice.test.operations", 10_000);

  private static final int SIDE_BY_SIDE = 64;
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final int GROUP = 20;

  private final CacheClient client;
  private final int wanted;
  private boolean createsCounters = true;
  private final AtomicInteger operations = new AtomicInteger();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  /** Those of a client, so many of them at least. */
  OrdinaryOperations(CacheClient client, int wanted) {
    this.client = client;
    this.wanted = wanted;
  }

  /** Leaves out all that may make a counter: servers cannot be told what it begins with. */
  OrdinaryOperations withoutCreatingCounters() {
    createsCounters = false;
    return this;
  }

  /** Whether the client can count at all. */
  private boolean counts() {
    return createsCounters || client.canMissCounters();
  }

  /** Does them all; fails on the first result that is not the one expected. */
  void run() throws Exception {
    Semaphore slots = new Semaphore(SIDE_BY_SIDE);
    List<CompletableFuture<Void>> lives = new ArrayList<>();
    for (int i = 0; operations.get() < wanted && failure.get() == null; i++) {
      if (!slots.tryAcquire(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new AssertionError("no result for " + LIMIT + " after " + operations + " operations");
      }
      lives.add(life(i).whenComplete((done, thrown) -> end(slots, thrown)));
    }
    CompletableFuture<Void> all = CompletableFuture.allOf(lives.toArray(CompletableFuture[]::new));
    try {
      all.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      failure.compareAndSet(null, e.getCause());
    }
    if (failure.get() != null) {
      throw new AssertionError("after " + operations + " operations", failure.get());
    }
    wholeServer();
    assertThat(operations.get()).isGreaterThanOrEqualTo(wanted);
  }

  private void end(Semaphore slots, Throwable thrown) {
    if (thrown != null) {
      failure.compareAndSet(null, thrown);
    }
    slots.release();
  }

  private CompletableFuture<Void> life(int number) {
    String key = "key:" + number;
    Steps steps = new Steps(key);
    String first = "first of " + number + " ".repeat(number % 50) + ".";
    steps.then("get, missing", () -> client.get(key), null);
    steps.then("replace, missing", () -> client.replace(key, first), false);
    steps.then("append, missing", () -> client.append(key, first), false);
    steps.then("delete, missing", () -> client.delete(key), false);
    steps.then("touch, missing", () -> client.touch(key, 100), false);
    steps.then("add", () -> client.add(key, first), true);
    steps.then("add again", () -> client.add(key, "another"), false);
    steps.then("get", () -> client.get(key), first);
    steps.then("append", () -> client.append(key, "<end " + number), true);
    steps.then("prepend", () -> client.prepend(key, number + " begin>"), true);
    steps.then("get joined", () -> client.get(key), number + " begin>" + first + "<end " + number);
    steps.then("touch", () -> client.touch(key, 1000), true);
    if (client.canTouchAndGet()) {
      steps.then(
          "touch and get",
          () -> client.touchAndGet(key, 1000),
          number + " begin>" + first + "<end " + number);
    }
    compareAndSwap(steps, key, number);
    steps.then("set", () -> client.set(key, longValue(number)), true);
    steps.then("get long", () -> client.get(key), longValue(number));
    if (counts()) {
      counters(steps, "counter:" + number, number);
    }
    if (number % GROUP == GROUP - 1) {
      many(steps, number);
    }
    steps.then("delete", () -> client.delete(key), true);
    steps.then("get deleted", () -> client.get(key), null);
    if (client.keepsOrder() && counts()) {
      steps.allAtOnce("burst:" + number, number);
    }
    return steps.done();
  }

  private void compareAndSwap(Steps steps, String key, int number) {
    AtomicReference<CacheClient.Versioned> read = new AtomicReference<>();
    steps.then("gets", () -> client.gets(key).thenApply(got -> keep(read, got) != null), true);
    steps.then("cas", () -> client.cas(key, "swapped " + number, read.get().cas()), true);
    steps.then("cas of before", () -> client.cas(key, "too late", read.get().cas()), false);
    steps.then("get swapped", () -> client.get(key), "swapped " + number);
  }

  private static <T> T keep(AtomicReference<T> reference, T value) {
    reference.set(value);
    return value;
  }

  private void counters(Steps steps, String counter, int number) {
    if (client.canMissCounters()) {
      steps.then("incr, missing", () -> client.incr(counter, 1), OptionalLong.empty());
    }
    if (createsCounters && client.canCreateCounters()) {
      steps.then("incr, created", () -> client.incrOrCreate(counter, 3, number), (long) number);
    } else {
      steps.then("set counter", () -> client.set(counter, String.valueOf(number)), true);
    }
    steps.then("incr", () -> client.incr(counter, 7), OptionalLong.of(number + 7L));
    steps.then("decr", () -> client.decr(counter, 5), OptionalLong.of(number + 2L));
    steps.then("decr to 0", () -> client.decr(counter, number + 100L), OptionalLong.of(0));
    steps.then("delete counter", () -> client.delete(counter), true);
  }

  private void many(Steps steps, int number) {
    List<String> keys =
        IntStream.range(0, GROUP).mapToObj(i -> "many:" + number + ":" + i).toList();
    Map<String, String> expected = new HashMap<>();
    for (String key : keys.subList(0, GROUP - 1)) { // the last one is not there
      expected.put(key, "of " + key);
      steps.then("set of many", () -> client.set(key, "of " + key), true);
    }
    steps.then("get many", () -> client.getAll(keys), expected);
  }

  // After everything else: these are about the server, not about keys.
  private void wholeServer() throws Exception {
    assertThat(soon(client.versions())).hasSize(1).allMatch(v -> v.matches("[\\d.]+.*"), "version");
    assertThat(soon(client.stats())).containsKeys("cmd_get", "cmd_set", "curr_items");
    assertThat(soon(client.set("before:flush", "v"))).isTrue();
    // an item set in the second of the flush survives it, and the server's clock may be late
    assertThat(Patience.soon(this::isFlushed)).isTrue();
  }

  private boolean isFlushed() throws Exception {
    Thread.sleep(1_100);
    soon(client.flush());
    return soon(client.get("before:flush")) == null;
  }

  private static <T> T soon(CompletableFuture<T> future) throws Exception {
    return future.get(30, TimeUnit.SECONDS);
  }

  private static String longValue(int number) {
    return ("long value " + number + "\r\n").repeat(1 + number % 400 / (number % 10 + 1));
  }

  private interface Call<T> {
    CompletableFuture<T> make();
  }

  /** Calls on one key, each after the one before it has its result. */
  private final class Steps {
    private final String key;
    private CompletableFuture<?> last = CompletableFuture.completedFuture(null);

    Steps(String key) {
      this.key = key;
    }

    <T> void then(String what, Call<T> call, T expected) {
      last = last.thenCompose(before -> checked(what, key, call, expected));
    }

    void allAtOnce(String burst, int number) {
      last =
          last.thenCompose(
              before ->
                  CompletableFuture.allOf(
                      checked("set", burst, () -> client.set(burst, "10"), true),
                      checked("incr", burst, () -> client.incr(burst, number), plus(10, number)),
                      checked("append", burst, () -> client.append(burst, "0"), true),
                      checked("decr", burst, () -> client.decr(burst, 0), plus(100, number * 10L)),
                      checked("delete", burst, () -> client.delete(burst), true),
                      checked("get", burst, () -> client.get(burst), null)));
    }

    private OptionalLong plus(long one, long other) {
      return OptionalLong.of(one + other);
    }

    CompletableFuture<Void> done() {
      return last.thenApply(result -> null);
    }
  }

  private <T> CompletableFuture<T> checked(String what, String key, Call<T> call, T expected) {
    operations.incrementAndGet();
    Function<T, T> check =
        result -> {
          assertThat(result).as("%s (%s)", what, key).isEqualTo(expected);
          return result;
        };
    return call.make().thenApply(check);
  }
}
