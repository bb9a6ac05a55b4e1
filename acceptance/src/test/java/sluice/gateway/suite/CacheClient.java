package sluice.gateway.suite;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * What a memcached client library can do, whichever it is: its own calls with its own results, told
 * in one way. Values are text.
 */
interface CacheClient extends AutoCloseable {

  /** A value and the cas unique it was read with. */
  record Versioned(String value, long cas) {}

  /** Whether calls on one key, made without waiting in between, reach the server in that order. */
  boolean keepsOrder();

  /** Whether the library has {@link #touchAndGet} for its protocol. */
  boolean canTouchAndGet();

  /** Whether {@link #incr} of a counter that is not there says so instead of creating it. */
  default boolean canMissCounters() {
    return true;
  }

  /** Whether the library can let a counter begin when it is not there. */
  boolean canCreateCounters();

  CompletableFuture<Boolean> set(String key, String value);

  CompletableFuture<Boolean> add(String key, String value);

  CompletableFuture<Boolean> replace(String key, String value);

  CompletableFuture<Boolean> append(String key, String value);

  CompletableFuture<Boolean> prepend(String key, String value);

  /** The value; null when there is none. */
  CompletableFuture<String> get(String key);

  /** The value and its cas unique; null when there is none. */
  CompletableFuture<Versioned> gets(String key);

  CompletableFuture<Boolean> cas(String key, String value, long cas);

  /** Those that are there. */
  CompletableFuture<Map<String, String>> getAll(List<String> keys);

  /** The new number; nothing when there is no counter. */
  CompletableFuture<OptionalLong> incr(String key, long delta);

  /** The new number; nothing when there is no counter. */
  CompletableFuture<OptionalLong> decr(String key, long delta);

  /** The new number, which is {@code initial} when there was no counter. */
  CompletableFuture<Long> incrOrCreate(String key, long delta, long initial);

  CompletableFuture<Boolean> touch(String key, int seconds);

  /** The value, which from now on lives for so long; null when there is none. */
  CompletableFuture<String> touchAndGet(String key, int seconds);

  CompletableFuture<Boolean> delete(String key);

  /** The versions of the servers that the library knows of. */
  CompletableFuture<List<String>> versions();

  /** The general statistics. */
  CompletableFuture<Map<String, String>> stats();

  CompletableFuture<Void> flush();

  @Override
  void close();
}
