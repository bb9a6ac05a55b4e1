package sluice.gateway.suite;

import com.spotify.folsom.AsciiMemcacheClient;
import com.spotify.folsom.BinaryMemcacheClient;
import com.spotify.folsom.ConnectFuture;
import com.spotify.folsom.MemcacheClient;
import com.spotify.folsom.MemcacheClientBuilder;
import com.spotify.folsom.MemcacheStatus;
import com.spotify.folsom.client.tls.DefaultSSLEngineFactory;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;

/** folsom: one connection, everything asynchronous, on a Netty of its own. */
final class FolsomClient implements CacheClient {
  private static final int FOREVER = 0;
  private static final Set<MemcacheStatus> REFUSED =
      Set.of(
          MemcacheStatus.KEY_NOT_FOUND, MemcacheStatus.KEY_EXISTS, MemcacheStatus.ITEM_NOT_STORED);

  private final MemcacheClient<String> client;
  private final AsciiMemcacheClient<String> ascii;
  private final BinaryMemcacheClient<String> binary;

  private FolsomClient(
      MemcacheClient<String> client,
      AsciiMemcacheClient<String> ascii,
      BinaryMemcacheClient<String> binary)
      throws Exception {
    this.client = client;
    this.ascii = ascii;
    this.binary = binary;
    ConnectFuture.connectFuture(client).toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  static FolsomClient ascii(InetSocketAddress address) throws Exception {
    AsciiMemcacheClient<String> client = builder(address).connectAscii();
    return new FolsomClient(client, client, null);
  }

  /** Over TLS, of a context that knows the authority. */
  static FolsomClient ascii(InetSocketAddress address, SSLContext tls) throws Exception {
    AsciiMemcacheClient<String> client = encrypted(address, tls).connectAscii();
    return new FolsomClient(client, client, null);
  }

  /** Over TLS, of a context that knows the authority. */
  static FolsomClient binary(InetSocketAddress address, SSLContext tls) throws Exception {
    BinaryMemcacheClient<String> client = encrypted(address, tls).connectBinary();
    return new FolsomClient(client, null, client);
  }

  private static MemcacheClientBuilder<String> encrypted(
      InetSocketAddress address, SSLContext tls) {
    return builder(address).withSSLEngineFactory(new DefaultSSLEngineFactory(tls, true));
  }

  static FolsomClient binary(InetSocketAddress address) throws Exception {
    BinaryMemcacheClient<String> client = builder(address).connectBinary();
    return new FolsomClient(client, null, client);
  }

  private static MemcacheClientBuilder<String> builder(InetSocketAddress address) {
    return MemcacheClientBuilder.newStringClient()
        .withAddress(address.getAddress().getHostAddress(), address.getPort())
        .withConnections(1)
        .withMaxOutstandingRequests(10_000)
        .withConnectionTimeoutMillis(30_000)
        .withReplyExecutor(Runnable::run);
  }

  @Override
  public boolean keepsOrder() {
    return true;
  }

  @Override
  public boolean canTouchAndGet() {
    return binary != null;
  }

  @Override
  public boolean canMissCounters() {
    return binary == null; // it has no way to say "do not create" in binary
  }

  @Override
  public boolean canCreateCounters() {
    return binary != null;
  }

  @Override
  public CompletableFuture<Boolean> set(String key, String value) {
    return accepted(client.set(key, value, FOREVER));
  }

  @Override
  public CompletableFuture<Boolean> add(String key, String value) {
    return accepted(client.add(key, value, FOREVER));
  }

  @Override
  public CompletableFuture<Boolean> replace(String key, String value) {
    return accepted(client.replace(key, value, FOREVER));
  }

  @Override
  public CompletableFuture<Boolean> append(String key, String value) {
    return accepted(client.append(key, value));
  }

  @Override
  public CompletableFuture<Boolean> prepend(String key, String value) {
    return accepted(client.prepend(key, value));
  }

  @Override
  public CompletableFuture<String> get(String key) {
    return client.get(key).toCompletableFuture();
  }

  @Override
  public CompletableFuture<Versioned> gets(String key) {
    return client
        .casGet(key)
        .thenApply(got -> got == null ? null : new Versioned(got.getValue(), got.getCas()))
        .toCompletableFuture();
  }

  @Override
  public CompletableFuture<Boolean> cas(String key, String value, long cas) {
    return accepted(client.set(key, value, FOREVER, cas));
  }

  @Override
  public CompletableFuture<Map<String, String>> getAll(List<String> keys) {
    return client.getAsMap(keys).toCompletableFuture();
  }

  @Override
  public CompletableFuture<OptionalLong> incr(String key, long delta) {
    return number(binary == null ? ascii.incr(key, delta) : binary.incr(key, delta, 0, FOREVER));
  }

  @Override
  public CompletableFuture<OptionalLong> decr(String key, long delta) {
    return number(binary == null ? ascii.decr(key, delta) : binary.decr(key, delta, 0, FOREVER));
  }

  @Override
  public CompletableFuture<Long> incrOrCreate(String key, long delta, long initial) {
    return binary.incr(key, delta, initial, FOREVER).toCompletableFuture();
  }

  @Override
  public CompletableFuture<Boolean> touch(String key, int seconds) {
    return accepted(client.touch(key, seconds));
  }

  @Override
  public CompletableFuture<String> touchAndGet(String key, int seconds) {
    return binary.getAndTouch(key, seconds).toCompletableFuture();
  }

  @Override
  public CompletableFuture<Boolean> delete(String key) {
    return accepted(client.delete(key));
  }

  @Override
  public CompletableFuture<List<String>> versions() {
    return stats().thenApply(stats -> Stream.ofNullable(stats.get("version")).toList());
  }

  @Override
  public CompletableFuture<Map<String, String>> stats() {
    return client
        .getStats("")
        .thenApply(stats -> stats.values().iterator().next().getStats())
        .toCompletableFuture();
  }

  @Override
  public CompletableFuture<Void> flush() {
    return accepted(client.flushAll(0)).thenApply(done -> null);
  }

  @Override
  public void close() {
    client.shutdown();
  }

  private static CompletableFuture<OptionalLong> number(CompletionStage<Long> result) {
    return result
        .thenApply(number -> number == null ? OptionalLong.empty() : OptionalLong.of(number))
        .toCompletableFuture();
  }

  private static CompletableFuture<Boolean> accepted(CompletionStage<MemcacheStatus> result) {
    return result
        .thenApply(
            status -> {
              if (status != MemcacheStatus.OK && !REFUSED.contains(status)) {
                throw new IllegalStateException(status.toString());
              }
              return status == MemcacheStatus.OK;
            })
        .toCompletableFuture();
  }
}
