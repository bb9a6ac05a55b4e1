package sluice.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Several threads on one store. */
class ConcurrencyTest {
  private static final int THREADS = 4;
  private static final long MIB = 1024 * 1024;

  private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);

  private EmbeddedStore store(long size) {
    return new EmbeddedStore(
        size, EmbeddedStore.DEFAULT_ITEM_SIZE_LIMIT, InstantSource.system(), allocator);
  }

  private static <T> List<T> inThreads(Callable<T> task)
      throws InterruptedException, ExecutionException, TimeoutException {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      List<Future<T>> running = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        running.add(threads.submit(task));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : running) {
        results.add(future.get(60, TimeUnit.SECONDS));
      }
      return results;
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void shouldLetOneOfManyWinEachCas() throws Exception {
    Pattern value = Pattern.compile("VALUE n 0 \\d+ (\\d+)\r\n(\\d+)\r\nEND\r\n");
    try (EmbeddedStore store = store(16 * MIB)) {
      new Client(store).send("set n 0 0 1\r\n0\r\n");
      List<Integer> won =
          inThreads(
              () -> {
                Client client = new Client(store);
                int wins = 0;
                for (int i = 0; i < 5_000; i++) {
                  Matcher read = value.matcher(client.send("gets n\r\n"));
                  assertThat(read.matches()).isTrue();
                  String next = Long.toString(Long.parseLong(read.group(2)) + 1);
                  String cas =
                      "cas n 0 0 " + next.length() + " " + read.group(1) + "\r\n" + next + "\r\n";
                  wins += client.send(cas).equals("STORED\r\n") ? 1 : 0;
                }
                return wins;
              });
      int total = won.stream().mapToInt(Integer::intValue).sum();
      assertThat(total).isGreaterThan(0);
      assertThat(new Client(store).send("mg n v\r\n")).endsWith("\r\n" + total + "\r\n");
    }
  }

  @Test
  void shouldLoseNoIncrement() throws Exception {
    try (EmbeddedStore store = store(16 * MIB)) {
      new Client(store).send("set n 0 0 1\r\n0\r\n");
      inThreads(
          () -> {
            Client client = new Client(store);
            for (int i = 0; i < 5_000; i++) {
              client.send("incr n 1 noreply\r\n");
            }
            return null;
          });
      assertThat(new Client(store).send("incr n 0\r\n")).isEqualTo(THREADS * 5_000 + "\r\n");
    }
  }

  @Test
  void shouldNeverMixValuesWhileItemsAreEvictedAndReplaced() throws Exception {
    long seed = System.nanoTime();
    try (EmbeddedStore store = store(2 * MIB)) {
      List<Integer> hits =
          inThreads(
              () -> {
                Client client = new Client(store);
                Random random = new Random(seed + Thread.currentThread().getId());
                int seen = 0;
                for (int i = 0; i < 4_000; i++) {
                  String key = "key" + random.nextInt(200);
                  if (random.nextBoolean()) {
                    String value =
                        (key + ":" + random.nextInt(10) + ";")
                            .repeat(1 + random.nextInt(random.nextInt(20) == 0 ? 10_000 : 100));
                    client.send("set " + key + " 0 0 " + value.length() + "\r\n" + value + "\r\n");
                  } else {
                    seen += check(key, client.send("mg " + key + " v\r\n"), seed);
                  }
                }
                return seen;
              });
      assertThat(hits).allSatisfy(seen -> assertThat(seen).isGreaterThan(10));
    }
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }

  /** A value is one word over and over, that starts with its key. */
  private static int check(String key, String reply, long seed) {
    if (reply.equals("EN\r\n")) {
      return 0;
    }
    int start = reply.indexOf("\r\n") + 2;
    int length = Integer.parseInt(reply.substring(3, start - 2));
    String value = reply.substring(start, reply.length() - 2);
    String word = value.substring(0, value.indexOf(';') + 1);
    assertThat(value).as("seed %d", seed).hasSize(length);
    assertThat(word).as("seed %d", seed).startsWith(key + ":");
    assertThat(value.replace(word, "")).as("seed %d", seed).isEmpty();
    return 1;
  }

  @Test
  void shouldBeClosedUnderItsSessions() throws Exception {
    EmbeddedStore store = store(16 * MIB);
    List<String> last =
        inThreads(
            () -> {
              Client client = new Client(store);
              String reply = "";
              for (int i = 0; i < 20_000 && !reply.startsWith("SERVER_ERROR"); i++) {
                reply = client.send("set k" + i + " 0 0 100\r\n" + "v".repeat(100) + "\r\n");
                if (i == 1_000) {
                  store.close();
                }
              }
              return reply;
            });
    assertThat(last).containsOnly("SERVER_ERROR embedded store is closed\r\n");
    assertThat(allocator.metric().usedDirectMemory()).isZero();
  }
}
