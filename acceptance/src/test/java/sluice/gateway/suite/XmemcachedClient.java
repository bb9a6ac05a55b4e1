package sluice.gateway.suite;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import net.rubyeye.xmemcached.CommandFactory;
import net.rubyeye.xmemcached.GetsResponse;
import net.rubyeye.xmemcached.MemcachedClient;
import net.rubyeye.xmemcached.XMemcachedClientBuilder;
import net.rubyeye.xmemcached.auth.AuthInfo;
import net.rubyeye.xmemcached.command.BinaryCommandFactory;
import net.rubyeye.xmemcached.command.TextCommandFactory;

/** xmemcached: calls block, so many threads make them; they share the library's connections. */
final class XmemcachedClient implements CacheClient {
  private static final int FOREVER = 0;
  private static final int THREADS = 32;
  private static final int CONNECTIONS = 2;

  private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
  private final MemcachedClient client;
  private final boolean binary;

  private XmemcachedClient(InetSocketAddress address, CommandFactory protocol, AuthInfo login)
      throws IOException {
    binary = protocol instanceof BinaryCommandFactory;
    XMemcachedClientBuilder builder = new XMemcachedClientBuilder(List.of(address));
    builder.setCommandFactory(protocol);
    builder.setConnectionPoolSize(
        login == null ? CONNECTIONS : 1); // it waits for the first login only
    builder.setOpTimeout(30_000);
    builder.setConnectTimeout(30_000);
    if (login != null) {
      // Looked up by the name of the address that was connected to.
      String host = address.getAddress().getHostName();
      builder.addAuthInfo(new InetSocketAddress(host, address.getPort()), login);
    }
    client = builder.build();
  }

  static XmemcachedClient text(InetSocketAddress address) throws IOException {
    return new XmemcachedClient(address, new TextCommandFactory(), null);
  }

  static XmemcachedClient binary(InetSocketAddress address) throws IOException {
    return new XmemcachedClient(address, new BinaryCommandFactory(), null);
  }

  /** One that logs in by SASL's PLAIN. */
  static XmemcachedClient sasl(InetSocketAddress address, String user, String password)
      throws IOException {
    return new XmemcachedClient(
        address, new BinaryCommandFactory(), AuthInfo.plain(user, password));
  }

  @Override
  public boolean keepsOrder() {
    return false; // several threads, several connections
  }

  @Override
  public boolean canTouchAndGet() {
    return binary;
  }

  @Override
  public boolean canMissCounters() {
    return false; // incr and decr create what is missing, in text by an add
  }

  @Override
  public boolean canCreateCounters() {
    return true;
  }

  @Override
  public CompletableFuture<Boolean> set(String key, String value) {
    return call(() -> client.set(key, FOREVER, value));
  }

  @Override
  public CompletableFuture<Boolean> add(String key, String value) {
    return call(() -> client.add(key, FOREVER, value));
  }

  @Override
  public CompletableFuture<Boolean> replace(String key, String value) {
    return call(() -> client.replace(key, FOREVER, value));
  }

  @Override
  public CompletableFuture<Boolean> append(String key, String value) {
    return call(() -> client.append(key, value));
  }

  @Override
  public CompletableFuture<Boolean> prepend(String key, String value) {
    return call(() -> client.prepend(key, value));
  }

  @Override
  public CompletableFuture<String> get(String key) {
    return call(() -> client.get(key));
  }

  @Override
  public CompletableFuture<Versioned> gets(String key) {
    return call(
        () -> {
          GetsResponse<String> got = client.gets(key);
          return got == null ? null : new Versioned(got.getValue(), got.getCas());
        });
  }

  @Override
  public CompletableFuture<Boolean> cas(String key, String value, long cas) {
    return call(() -> client.cas(key, FOREVER, value, cas));
  }

  @Override
  public CompletableFuture<Map<String, String>> getAll(List<String> keys) {
    return call(
        () -> {
          Map<String, String> values = client.get(keys);
          return values == null ? Map.of() : new HashMap<>(values);
        });
  }

  @Override
  public CompletableFuture<OptionalLong> incr(String key, long delta) {
    return call(() -> OptionalLong.of(client.incr(key, delta)));
  }

  @Override
  public CompletableFuture<OptionalLong> decr(String key, long delta) {
    return call(() -> OptionalLong.of(client.decr(key, delta)));
  }

  @Override
  public CompletableFuture<Long> incrOrCreate(String key, long delta, long initial) {
    return call(() -> client.incr(key, delta, initial));
  }

  @Override
  public CompletableFuture<Boolean> touch(String key, int seconds) {
    return call(() -> client.touch(key, seconds));
  }

  @Override
  public CompletableFuture<String> touchAndGet(String key, int seconds) {
    return call(() -> client.getAndTouch(key, seconds));
  }

  @Override
  public CompletableFuture<Boolean> delete(String key) {
    return call(() -> client.delete(key));
  }

  @Override
  public CompletableFuture<List<String>> versions() {
    // In binary it may return before the last of its connections has answered, with nothing.
    return call(
        () -> {
          String version = null;
          for (int i = 0; i < 100 && version == null; i++) {
            version = client.getVersions().values().iterator().next();
            Thread.sleep(version == null ? 20 : 0);
          }
          return Stream.ofNullable(version).toList();
        });
  }

  @Override
  public CompletableFuture<Map<String, String>> stats() {
    return call(() -> client.getStats().values().iterator().next());
  }

  @Override
  public CompletableFuture<Void> flush() {
    return call(
        () -> {
          client.flushAll();
          return null;
        });
  }

  @Override
  public void close() {
    try {
      client.shutdown();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } finally {
      threads.shutdown();
    }
  }

  private <T> CompletableFuture<T> call(Callable<T> call) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return call.call();
          } catch (Exception e) {
            throw new CompletionException(e);
          }
        },
        threads);
  }
}
