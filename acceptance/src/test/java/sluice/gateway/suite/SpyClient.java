package sluice.gateway.suite;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import net.spy.memcached.CASResponse;
import net.spy.memcached.ConnectionFactoryBuilder;
import net.spy.memcached.ConnectionFactoryBuilder.Protocol;
import net.spy.memcached.ConnectionObserver;
import net.spy.memcached.FailureMode;
import net.spy.memcached.MemcachedClient;
import net.spy.memcached.auth.AuthDescriptor;
import net.spy.memcached.auth.PlainCallbackHandler;
import net.spy.memcached.internal.GetCompletionListener;
import net.spy.memcached.internal.GetFuture;
import net.spy.memcached.internal.OperationCompletionListener;
import net.spy.memcached.internal.OperationFuture;
import net.spy.memcached.ops.OperationStatus;

/** spymemcached: one connection, everything asynchronous. */
@SuppressWarnings("FutureReturnValueIgnored") // addListener returns what it was called on
final class SpyClient implements CacheClient {
  private static final int FOREVER = 0;

  private final MemcachedClient client;
  private final boolean binary;

  SpyClient(InetSocketAddress address, Protocol protocol) throws Exception {
    this(address, protocol, null);
  }

  /** One that has logged in by SASL's PLAIN. */
  static SpyClient sasl(InetSocketAddress address, String user, String password) throws Exception {
    SpyClient client =
        new SpyClient(
            address,
            Protocol.BINARY,
            new AuthDescriptor(new String[] {"PLAIN"}, new PlainCallbackHandler(user, password)));
    client.awaitLogin();
    return client;
  }

  /** What is asked while it logs in, the library now and then never sends. */
  private void awaitLogin() throws Exception {
    for (int second = 0; second < 30; second++) {
      GetFuture<Object> asked = client.asyncGet("login");
      try {
        asked.get(1, TimeUnit.SECONDS);
        return;
      } catch (TimeoutException | ExecutionException e) {
        asked.cancel(true);
      }
    }
    throw new AssertionError("no login");
  }

  private SpyClient(InetSocketAddress address, Protocol protocol, AuthDescriptor login)
      throws Exception {
    // Read when the library's first class is loaded: by default it writes to standard error.
    System.setProperty("net.spy.log.LoggerImpl", "net.spy.memcached.compat.log.SLF4JLogger");
    binary = protocol == Protocol.BINARY;
    Connected connected = new Connected();
    ConnectionFactoryBuilder builder =
        new ConnectionFactoryBuilder()
            .setProtocol(protocol)
            .setOpTimeout(30_000)
            .setOpQueueMaxBlockTime(30_000)
            // Nothing is tried again: a connection that breaks is a failed test.
            .setFailureMode(FailureMode.Cancel)
            .setInitialObservers(List.of(connected))
            .setDaemon(true);
    if (login != null) {
      builder.setAuthDescriptor(login);
    }
    client = new MemcachedClient(builder.build(), List.of(address));
    connected.await();
  }

  /** Waits for the connection: what is asked before it is there is cancelled. */
  static final class Connected implements ConnectionObserver {
    private final CountDownLatch established = new CountDownLatch(1);

    @Override
    public void connectionEstablished(SocketAddress address, int reconnects) {
      established.countDown();
    }

    @Override
    public void connectionLost(SocketAddress address) {}

    void await() throws InterruptedException {
      if (!established.await(30, TimeUnit.SECONDS)) {
        throw new AssertionError("no connection");
      }
    }
  }

  @Override
  public boolean keepsOrder() {
    return true;
  }

  @Override
  public boolean canTouchAndGet() {
    return binary; // the text protocol's gat is younger than the library
  }

  @Override
  public boolean canCreateCounters() {
    return binary; // in text it is an incr and an add, and it blocks
  }

  @Override
  public CompletableFuture<Boolean> set(String key, String value) {
    return result(client.set(key, FOREVER, value));
  }

  @Override
  public CompletableFuture<Boolean> add(String key, String value) {
    return result(client.add(key, FOREVER, value));
  }

  @Override
  public CompletableFuture<Boolean> replace(String key, String value) {
    return result(client.replace(key, FOREVER, value));
  }

  @Override
  public CompletableFuture<Boolean> append(String key, String value) {
    return result(client.append(key, value));
  }

  @Override
  public CompletableFuture<Boolean> prepend(String key, String value) {
    return result(client.prepend(key, value));
  }

  @Override
  public CompletableFuture<String> get(String key) {
    CompletableFuture<String> result = new CompletableFuture<>();
    client
        .asyncGet(key)
        .addListener(
            (GetCompletionListener)
                done -> complete(result, done.getStatus(), () -> (String) done.get()));
    return result;
  }

  @Override
  public CompletableFuture<Versioned> gets(String key) {
    return result(client.asyncGets(key))
        .thenApply(
            got -> got == null ? null : new Versioned((String) got.getValue(), got.getCas()));
  }

  @Override
  public CompletableFuture<Boolean> cas(String key, String value, long cas) {
    return result(client.asyncCAS(key, cas, value)).thenApply(CASResponse.OK::equals);
  }

  @Override
  public CompletableFuture<Map<String, String>> getAll(List<String> keys) {
    CompletableFuture<Map<String, String>> result = new CompletableFuture<>();
    client
        .asyncGetBulk(keys)
        .addListener(
            done ->
                complete(
                    result,
                    done.getStatus(),
                    () -> {
                      Map<String, String> values = new HashMap<>();
                      done.get().forEach((key, value) -> values.put(key, (String) value));
                      return values;
                    }));
    return result;
  }

  @Override
  public CompletableFuture<OptionalLong> incr(String key, long delta) {
    return result(client.asyncIncr(key, delta)).thenApply(SpyClient::number);
  }

  @Override
  public CompletableFuture<OptionalLong> decr(String key, long delta) {
    return result(client.asyncDecr(key, delta)).thenApply(SpyClient::number);
  }

  private static OptionalLong number(Long result) {
    return result == null || result < 0 ? OptionalLong.empty() : OptionalLong.of(result);
  }

  @Override
  public CompletableFuture<Long> incrOrCreate(String key, long delta, long initial) {
    return result(client.asyncIncr(key, delta, initial, FOREVER));
  }

  @Override
  public CompletableFuture<Boolean> touch(String key, int seconds) {
    return result(client.touch(key, seconds));
  }

  @Override
  public CompletableFuture<String> touchAndGet(String key, int seconds) {
    return result(client.asyncGetAndTouch(key, seconds))
        .thenApply(got -> got == null ? null : (String) got.getValue());
  }

  @Override
  public CompletableFuture<Boolean> delete(String key) {
    return result(client.delete(key));
  }

  @Override
  public CompletableFuture<List<String>> versions() {
    return CompletableFuture.supplyAsync(() -> List.copyOf(client.getVersions().values()));
  }

  @Override
  public CompletableFuture<Map<String, String>> stats() {
    return CompletableFuture.supplyAsync(() -> client.getStats().values().iterator().next());
  }

  @Override
  public CompletableFuture<Void> flush() {
    return CompletableFuture.runAsync( // the library tells no listener that it is done
        () -> {
          try {
            client.flush().get(30, TimeUnit.SECONDS);
          } catch (Exception e) {
            throw new CompletionException(e);
          }
        });
  }

  @Override
  public void close() {
    client.shutdown();
  }

  private static <T> CompletableFuture<T> result(OperationFuture<T> future) {
    CompletableFuture<T> result = new CompletableFuture<>();
    future.addListener(
        (OperationCompletionListener) done -> complete(result, done.getStatus(), future::get));
    return result;
  }

  // A failure of the connection or of the protocol is a status too; these are the ordinary ones.
  private static <T> void complete(
      CompletableFuture<T> result, OperationStatus status, Callable<T> value) {
    try {
      switch (status.getStatusCode()) {
        case SUCCESS, ERR_NOT_FOUND, ERR_EXISTS, ERR_NOT_STORED -> result.complete(value.call());
        default -> throw new IllegalStateException(status.toString());
      }
    } catch (Exception e) {
      result.completeExceptionally(e);
    }
  }
}
